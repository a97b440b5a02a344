"""Home Assistant without a screen, with its own MQTT integration, and its view of a clock."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from relay import free_port
from sound_server import wait_until

TREE = pathlib.Path(os.environ.get("HOME_ASSISTANT", "/nowhere"))
CONFIGURATION = """homeassistant:
  name: Home
  time_zone: Europe/London
  country: GB
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
logger:
  default: warning
"""
WHEN = "2026-01-01T00:00:00+00:00"


def entry(port):
    """The entry of its MQTT integration, as if a person had set it up."""
    return {
        "entry_id": "01JGFXYZ0000000000000000MQ", "version": 2, "minor_version": 1,
        "domain": "mqtt", "title": "127.0.0.1", "source": "user", "unique_id": None,
        "data": {"broker": "127.0.0.1", "port": port}, "options": {}, "disabled_by": None,
        "pref_disable_new_entities": False, "pref_disable_polling": False, "discovery_keys": {},
        "subentries": [], "created_at": WHEN, "modified_at": WHEN,
    }


def in_tree(*command):
    return ["chroot", TREE, "/usr/bin/env", "-i", "HOME=/root", "PATH=/usr/bin:/bin",
            "LC_ALL=C.UTF-8", *command]


def judged(config):
    """What its own schema refuses or drops of a configuration: [[component, complaint]]."""
    judge = pathlib.Path(__file__).with_name("judge.py").read_text(encoding="utf-8")
    done = subprocess.run(
        in_tree("/opt/home-assistant/bin/python3", "-c", judge), input=config, text=True,
        capture_output=True, timeout=60, check=True)
    return json.loads(done.stdout)


class HomeAssistant:
    """A Home Assistant in its own folder, with a person logged in."""

    def __init__(self, folder, port_of_broker):
        self.folder = folder
        self.port = free_port()
        self.token = None
        (folder / "configuration.yaml").write_text(CONFIGURATION.format(port=self.port))
        storage = folder / ".storage"
        storage.mkdir()
        (storage / "core.config_entries").write_text(json.dumps({
            "version": 1, "minor_version": 5, "key": "core.config_entries",
            "data": {"entries": [entry(port_of_broker)]}}))
        self.process = None
        self.start()
        self.log_in()

    def start(self):
        with (self.folder / "output").open("a", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                in_tree("/opt/home-assistant/bin/hass", "--config", self.folder, "--skip-pip"),
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_until(self.answers, 120, f"Home Assistant; {self.folder}/output may say why")

    def answers(self):
        assert self.process.poll() is None, (self.folder / "output").read_text()[-2000:]
        with contextlib.suppress(OSError):
            self.ask("/api/onboarding")
            return True
        return False

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def ask(self, path, body=None, form=False):
        """The answer, parsed if it is JSON."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            body = urllib.parse.urlencode(body) if form else json.dumps(body)
            kind = "application/x-www-form-urlencoded" if form else "application/json"
            headers["Content-Type"] = kind
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body and body.encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read().decode()
        try:
            return json.loads(text)
        except ValueError:
            return text

    def log_in(self):
        client = f"http://127.0.0.1:{self.port}/"
        code = self.ask("/api/onboarding/users", {
            "client_id": client, "name": "Ann", "username": "ann", "password": "a long password",
            "language": "en"})["auth_code"]
        self.token = self.ask("/auth/token", {
            "grant_type": "authorization_code", "code": code, "client_id": client},
            form=True)["access_token"]

    # What it shows, and what a person does there.

    def entities(self):
        """The clock's entities, by their ids."""
        return {each["entity_id"]: each for each in self.ask("/api/states")
                if each["entity_id"].partition(".")[2].startswith("hall_")}

    def entity(self, name):
        return self.entities().get(name)

    def wait_for(self, name, fits, seconds=20):
        """Waits until the entity's state fits, and returns the entity."""
        def found():
            entity = self.entity(name)
            return entity and fits(entity["state"]) and entity
        return wait_until(found, seconds, f"{name}, which is {self.entity(name)}")

    def do(self, service, entity, **more):
        domain, _, name = service.partition(".")
        self.ask(f"/api/services/{domain}/{name}", {"entity_id": entity} | more)

    def complaints(self):
        """Its log records about MQTT or a template, without those about lost connections."""
        # A traceback belongs to the record before it, which begins with its date.
        records = [record for log in sorted(self.folder.glob("home-assistant.log*"))
                   for record in re.split(r"(?m)^(?=\d{4}-\d\d-\d\d )", log.read_text(encoding="utf-8"))]
        return [record for record in records
                if ("mqtt" in record.lower() or "template" in record.lower())
                and not re.search("Disconnected|Failed to connect|Error returned from MQTT|"
                                  "client is not currently connected", record)]
