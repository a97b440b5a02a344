"""The relay as it runs, a broker for tests, and a listener on it."""

import functools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import threading

import pytest

from program import PROGRAM, ROOT
from sound_server import wait_until

RELAY = pathlib.Path(
    os.environ.get("CLOCKSMITH_RELAY", PROGRAM.with_name("clocksmith-relay"))).resolve()
CLOCK = "clocksmith/clock/hall"
COMMAND = f"{CLOCK}/command"
GROUP_COMMAND = "clocksmith/group/school/command"
CONFIGURATION = """[mqtt]
broker = {host}
port = {port}
name = hall
group = school
{rest}
"""


@functools.cache
def object_id():
    """By what Home Assistant knows the clocks of this machine."""
    words = ["systemd-id128", "machine-id", "--app-specific=b17f05ab946742a28398d43f6e54c08b"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"clocksmith_{done.stdout[:8] if done.returncode == 0 else '0' * 8}"


def discovery():
    return f"homeassistant/device/{object_id()}/config"


def described_commands():
    """The names of the commands in the description for apps."""
    text = (ROOT / "docs/clocksmith-relay.openapi.json").read_text(encoding="utf-8")
    forms = json.loads(text)["components"]["schemas"]["Command"]["oneOf"]
    return [name for form in forms for command in [form["properties"]["command"]]
            for name in command.get("enum", [command.get("const")])]


def need_relay():
    for program, package in (("mosquitto", "mosquitto"), ("mosquitto_sub", "mosquitto-clients")):
        if not shutil.which(program, path="/usr/sbin:/usr/bin"):
            pytest.skip(f"no {program} here (apt install {package})")
    if not RELAY.exists():
        pytest.skip(f"no {RELAY} (swift build -c release --product clocksmith-relay)")


# The claims of this process on ports, held until it ends.
claims = []


def free_port():
    """A port that nobody else gets: outside the range from which the kernel takes the ports of
    connections, and claimed before all other test processes by a socket with its name."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 1000):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0clocksmith-test-port-{port}")
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("0.0.0.0", port))
        except OSError:
            claim.close()
            continue
        claims.append(claim)
        return port
    raise AssertionError("no port is free")


class Broker:
    """A mosquitto, and its clients."""

    def __init__(self, folder, settings="allow_anonymous true\n", client=(), persists=False):
        self.folder = folder
        self.port = free_port()
        self.client = ["-p", str(self.port), *map(str, client)]
        (folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\npersistence {str(persists).lower()}\nuser root\n"
            f"persistence_location {folder}/\nautosave_interval 1\nautosave_on_changes true\n"
            f"{settings}")
        self.listeners = []
        self.start()

    def start(self):
        with (self.folder / "mosquitto.log").open("a", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(
                ["/usr/sbin/mosquitto", "-c", self.folder / "mosquitto.conf"],
                stdout=log, stderr=log)

        def answers():
            assert self.daemon.poll() is None, (self.folder / "mosquitto.log").read_text()
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0
        wait_until(answers, 60, "the broker")

    def kill(self):
        self.daemon.kill()
        self.daemon.wait(60)

    def listen(self, *topics):
        listener = Listener(self.client, topics)
        self.listeners.append(listener)
        return listener

    def publish(self, topic, payload, *words):
        payload = json.dumps(payload) if isinstance(payload, dict) else payload
        if isinstance(payload, str):
            payload = payload.encode()
        subprocess.run(
            ["mosquitto_pub", *self.client, "-t", topic, "-q", "1", "-s" if payload else "-n", *words],
            input=payload, check=True, timeout=60)

    def close(self):
        for listener in self.listeners:
            listener.close()
        self.kill()


class Listener:
    """Records what is published from now on, and the retained messages."""

    def __init__(self, client, topics):
        words = [word for topic in topics for word in ("-t", topic)]
        # With -d it also writes when it is subscribed.
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", "mosquitto_sub", *client, "-d", "-q", "1", "-F", "%j", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        self.messages = []
        self.remarks = []
        self.is_subscribed = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        assert self.is_subscribed.wait(60), f"the listener was not subscribed: {self.remarks}"

    def read(self):
        for line in self.process.stdout:
            if not line.startswith("{"):
                self.remarks.append(line)
                if line.startswith("Subscribed"):
                    self.is_subscribed.set()
                continue
            message = json.loads(line)
            payload = message["payload"] or ""
            self.messages.append((message["topic"], payload, bool(message["retain"])))

    def payloads(self, topic):
        return [payload for at, payload, _ in list(self.messages) if at == topic]

    def wait_for(self, topic, fits=lambda payload: True, seconds=60):
        """The latest payload of the topic, once it fits."""
        def found():
            payloads = self.payloads(topic)
            return payloads and fits(payloads[-1]) and (payloads[-1],)
        return wait_until(found, seconds, f"{topic}; there was {self.last()}")[0]

    def last(self):
        """The last three messages, shortened for an error message."""
        return [(topic, payload[:200]) for topic, payload, _ in self.messages[-3:]]

    def wait_for_passing_state(self, fits, seconds=60):
        """Waits until a state fits that may be over already."""
        wait_until(
            lambda: any(fits(json.loads(payload)) for payload in self.payloads(f"{CLOCK}/state")),
            seconds, f"a state; there was {self.last()}")

    def wait_for_state(self, fits, seconds=60):
        return json.loads(
            self.wait_for(f"{CLOCK}/state", lambda payload: fits(json.loads(payload)), seconds))

    def close(self):
        self.process.kill()
        self.process.wait(60)


class Relay:
    """A `clocksmith-relay run` with its standard error in a file."""

    def __init__(
            self, environment, folder, port, rest="", host="127.0.0.1", within=(), name="hall"):
        number = len(list(folder.glob("*.relay.log")))
        self.log = folder / f"{number}.relay.log"
        self.configuration = configuration = folder / f"{number}.relay.conf"
        self.configure(port, rest, host, name)
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*within, RELAY, "run", "--config", configuration], env=environment,
                stdin=subprocess.DEVNULL, stderr=log)

    def configure(self, port, rest="", host="127.0.0.1", name="hall"):
        self.configuration.write_text(
            CONFIGURATION.format(host=host, port=port, rest=rest).replace("hall", name, 1))

    def cpu(self):
        """Its CPU time so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, kind):
        """Its memory of this kind (as in smaps_rollup) in KiB."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as rollup:
            return next(int(line.split()[1]) for line in rollup if line.startswith(f"{kind}:"))

    def wakeups(self):
        """How often it has gone to sleep so far, as voluntary context switches."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split("voluntary_ctxt_switches:")[1].split()[0])

    def lines(self):
        return self.log.read_text(encoding="utf-8").splitlines()

    def matching(self, words):
        return [line for line in self.lines() if words in line]

    def wait_for(self, words, seconds=60):
        def found():
            has_ended = self.process.poll() is not None
            lines = self.matching(words)
            assert lines or not has_ended, f"it ended without '{words}': {self.lines()}"
            return lines
        return wait_until(found, seconds, f"'{words}' in {self.log}")[0]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)
