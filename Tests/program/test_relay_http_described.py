"""The description of the door for apps (OpenAPI 3.1) and the program agree: every described
operation is tried with every described status, and the answer has the described form."""

import json
import re
import sqlite3
import time

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="apt install python3-jsonschema")

import relay as parts
from http_door import APNS, PHONE, TOKEN, Door
from installed_relay import Installed
from pretended_announcer import PretendedAnnouncer, notice
from program import ROOT, SILENT_ALSA
from service import Service
from sound_server import wait_until

PATH = ROOT / "docs/clocksmith-relay.openapi.json"
DESCRIPTION = json.loads(PATH.read_text(encoding="utf-8"))
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def resolved(part):
    """The part that a `$ref` refers to, or the part itself."""
    while "$ref" in part:
        names = part["$ref"].removeprefix("#/").split("/")
        part = DESCRIPTION
        for name in names:
            part = part[name]
    return part


OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, item in DESCRIPTION["paths"].items()
    for method, operation in item.items() if method in METHODS}
DESCRIBED = {
    (name, status) for name, (_, _, operation) in OPERATIONS.items()
    for status in operation["responses"]}


def validate(value, schema):
    """Checks a value against a schema, which may refer to others of the description."""
    jsonschema.Draft202012Validator(
        {**schema, "components": DESCRIPTION["components"]}).validate(value)


class Case:
    """A request, and the circumstances that lead to its answer."""

    def __init__(self, body=None, path=PHONE, answer=True, **settings):
        self.body = body
        self.path = path
        self.answer = answer
        self.token = settings.get("token", TOKEN)
        self.kind = settings.get("kind", "application/json")
        self.rest = settings.get("rest", APNS)
        self.before = settings.get("before", lambda door: None)
        self.is_absent = settings.get("is_absent", False)
        self.section = settings.get("section", "")
        self.has_folder = settings.get("has_folder", True)
        self.clocksmith = settings.get("clocksmith")


def registered(door):
    assert door.ask("PUT", f"/v1/devices/{PHONE}").status == 200


def locked(door):
    """Another program holds the register."""
    registered(door)
    door.other = sqlite3.connect(f"{door.environment['STATE_DIRECTORY']}/register.sqlite")
    door.other.execute("BEGIN IMMEDIATE")


def noticed(door):
    door.announcer.connection.send(notice("switch", "the switch is off", {"SWITCH": "off"}))
    wait_until(lambda: door.ask("GET", "/v1/notices").body["notices"], 60, "the notice")


def listened_to(door):
    """As many listen to the events as may, from several addresses."""
    door.listeners = [opened(door, "/v1/events", f"127.0.0.{2 + number // 16}") for number in range(32)]


def asked_for_much(door):
    """As many pictures and voices are asked for as may."""
    door.listeners = [door.connect() for _ in range(8)]
    for connection in door.listeners:
        connection.request("GET", "/v1/noon.svg", headers={"Authorization": f"Bearer {TOKEN}"})


def opened(door, path, source=None):
    """The answer, whose body may have no end."""
    connection = door.connect(source=source)
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    return connection.getresponse()


def asked(door):
    assert door.ask("POST", "/v1/pair", {"name": "Anna's"}).status == 202


def confirmed(door):
    asked(door)
    door.command("pair", given="y\n")


NO_TOKEN = {"token": None}
FACE = {"section": "face = yes"}
CASES = {
    ("state", "200"): Case(),
    ("state", "401"): Case(**NO_TOKEN),
    ("state", "503"): Case(is_absent=True),
    ("time", "200"): Case(),
    ("time", "401"): Case(**NO_TOKEN),
    ("agenda", "200"): Case(answer={
        "lines": ("aa{sv}", [{"text": ("s", "noon")}]), "until": ("s", "2200-01-01T00:00:00Z")}),
    ("agenda", "401"): Case(**NO_TOKEN),
    ("agenda", "503"): Case(is_absent=True),
    ("agenda", "504"): Case(answer=False),
    ("notices", "200"): Case(before=noticed),
    ("notices", "401"): Case(**NO_TOKEN),
    ("settings", "200"): Case(answer={"settings": ("aa{sv}", [])}),
    ("settings", "401"): Case(**NO_TOKEN),
    ("settings", "503"): Case(is_absent=True),
    ("settings", "504"): Case(answer=False),
    ("events", "200"): Case(),
    ("events", "401"): Case(**NO_TOKEN),
    ("events", "503"): Case(before=listened_to),
    ("noon", "200"): Case(),
    ("noon", "401"): Case(**NO_TOKEN),
    ("noon", "409"): Case(clocksmith="exit 1"),
    ("noon", "503"): Case(clocksmith="exec sleep 60", before=asked_for_much),
    ("noon", "504"): Case(clocksmith="exec sleep 60"),
    ("voice", "200"): Case(path="heart"),
    ("voice", "401"): Case(path="heart", **NO_TOKEN),
    ("voice", "404"): Case(path="none"),
    ("voice", "409"): Case(path="heart", clocksmith="exit 1"),
    ("voice", "503"): Case(path="heart", clocksmith="exec sleep 60", before=asked_for_much),
    ("voice", "504"): Case(path="heart", clocksmith="exec sleep 60"),
    ("command", "200"): Case({"command": "stop"}),
    ("command", "202"): Case({"command": "announce", "at": time.time() + 500}),
    ("command", "400"): Case({"command": "explode"}),
    ("command", "401"): Case({"command": "stop"}, token="none"),
    ("command", "404"): Case({"command": "device_remove", "token": PHONE}),
    ("command", "409"): Case({"command": "stop"}, answer="org.clocksmith.Error.Refused"),
    ("command", "413"): Case("[" + " " * 20_000 + "]"),
    ("command", "503"): Case({"command": "stop"}, is_absent=True),
    ("command", "504"): Case({"command": "stop"}, answer=False),
    ("register", "200"): Case({"platform": "ios", "events": "all"}),
    ("register", "400"): Case({"platform": "amiga"}),
    ("register", "401"): Case(**NO_TOKEN),
    ("register", "409"): Case(rest=""),
    ("register", "413"): Case("[" + " " * 20_000 + "]"),
    ("register", "503"): Case(before=locked),
    ("unregister", "200"): Case(before=registered),
    ("unregister", "400"): Case(path="zz"),
    ("unregister", "401"): Case(**NO_TOKEN),
    ("unregister", "404"): Case(),
    ("unregister", "409"): Case(rest=""),
    ("unregister", "503"): Case(before=locked),
    ("standing", "200"): Case(**FACE),
    ("standing", "401"): Case(token="none", **FACE),
    ("standing", "503"): Case(has_folder=False, **FACE),
    ("pair", "202"): Case({"name": "Anna's"}, **FACE),
    ("pair", "400"): Case({"name": 1}, **FACE),
    ("pair", "401"): Case({"name": "Anna's"}, token="none", **FACE),
    ("pair", "409"): Case({"name": "Anna's"}, before=asked, **FACE),
    ("pair", "413"): Case("[" + " " * 20_000 + "]", **FACE),
    ("unpair", "200"): Case(before=asked, **FACE),
    ("unpair", "401"): Case(token="none", **FACE),
    ("unpair", "503"): Case(has_folder=False, **FACE),
    ("pair", "503"): Case({"name": "Anna's"}, has_folder=False, **FACE),
    ("phones", "200"): Case(before=confirmed, **FACE),
    ("phones", "401"): Case(**NO_TOKEN, **FACE),
    ("phones", "503"): Case(has_folder=False, **FACE),
    ("revoke", "200"): Case(path="1", before=confirmed, **FACE),
    ("revoke", "401"): Case(path="1", token="none", **FACE),
    ("revoke", "404"): Case(path="1", **FACE),
    ("revoke", "503"): Case(path="1", has_folder=False, **FACE),
}


def test_every_answer_that_is_described_is_tried_and_no_other():
    assert set(CASES) == DESCRIBED


@pytest.mark.parametrize("name, status", sorted(DESCRIBED | set(CASES)))
def test_the_program_answers_as_described(
        on_the_bus, bus, tmp_path, monkeypatch, name, status):
    parts.need_relay()
    case = CASES[name, status]
    method, path, operation = OPERATIONS[name]
    announcer = None
    if name in ("noon", "voice"):
        installed = Installed(tmp_path)
        monkeypatch.setattr(parts, "RELAY", installed.program)
        if case.clocksmith:
            installed.does(case.clocksmith)
    if not case.is_absent:
        announcer = PretendedAnnouncer(
            bus.address, lambda member: member == "GetAll" or case.answer)
    if not case.has_folder:
        (tmp_path / "state").rmdir()
    running = Door(
        on_the_bus.environment, tmp_path, case.section, case.rest).wait_until_open()
    try:
        running.wait_for(
            "the announcer does not run" if case.is_absent else "the announcer answers")
        running.announcer = announcer
        case.before(running)
        [form] = resolved(operation["responses"][status])["content"]
        if form != "application/json":
            answer = opened(running, path.replace("{name}", case.path))
            assert (answer.status, answer.headers["Content-Type"]) == (200, form)
            assert answer.read(1)
            return
        answer = running.ask(
            method, re.sub("{\\w+}", case.path, path), case.body, case.token, case.kind)
    finally:
        assert running.stop() == 0
        if announcer:
            announcer.close()
    assert answer.status == int(status), answer.body
    described = resolved(operation["responses"][status])
    validate(answer.body, described["content"]["application/json"]["schema"])
    for header, form in described.get("headers", {}).items():
        validate(answer.headers[header], form["schema"])
    if int(status) < 300 and isinstance(case.body, dict):
        validate(case.body, operation["requestBody"]["content"]["application/json"]["schema"])


def test_the_state_of_a_real_clock_is_as_described(on_the_bus, bus, tmp_path):
    parts.need_relay()
    service = Service(
        on_the_bus, on_the_bus.configuration("interval = 60\nvoice_at_hour = none"),
        "--output", tmp_path / "heard.wav", alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
        keys = {re.sub("([a-z])([A-Z])", r"\1_\2", name).lower() for name in caller.all()}
    described = DESCRIPTION["components"]["schemas"]["State"]["properties"]
    assert set(described) == keys - {"clock_words", "clock_uncertainty"} | {"waiting"}
    running = Door(on_the_bus.environment, tmp_path).wait_until_open()
    running.wait_for_announcer()
    for command in ({"command": "timer", "seconds": 600, "name": "tea"},
                    {"command": "alarm", "time": "07:00", "days": "mon-fri", "name": "school"},
                    {"command": "mute", "for": 60},
                    {"command": "interval", "work": 20, "rest": 10, "rounds": 8},
                    {"command": "announce", "at": time.time() + 500, "id": "bell"}):
        assert running.order(command).status in (200, 202), command
    found = wait_until(
        lambda: whole(running.state().body), 60, f"all of it: {running.state().body}")
    validate(found, {"$ref": "#/components/schemas/State"})
    assert running.stop() == 0 and service.stop() == 0


def whole(state):
    kinds = ("timers", "alarms", "intervals", "waiting", "muted_until")
    return state if all(state.get(kind) for kind in kinds) else None


# What the description says of requests, and what the program takes.


@pytest.fixture
def running(door, bus):
    announcer = PretendedAnnouncer(bus.address)
    yield door(rest=APNS).wait_for_announcer()
    announcer.close()


def listed(answer):
    """The names that the sentence of a refusal lists."""
    return sorted(re.split("; there are |; write one of ", answer.body["error"])[1].split(", "))


def test_the_description_has_every_command_with_its_keys_and_no_other(running):
    described = {}
    for form in DESCRIPTION["components"]["schemas"]["Command"]["oneOf"]:
        command = form["properties"]["command"]
        for name in command.get("enum", [command.get("const")]):
            described[name] = sorted(form["properties"])
    assert sorted(described) == listed(running.order({"command": "explode"}))
    for name, keys in described.items():
        assert keys == listed(running.order({"command": name, "explode": 1})), name


# The description itself.


def references(part):
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key == "$ref")
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from references(each)


def test_the_description_is_one_of_openapi():
    assert DESCRIPTION["openapi"].startswith("3.1.") and DESCRIPTION["info"]["version"]
    for reference in references(DESCRIPTION):
        assert resolved({"$ref": reference}), reference
    for schema in DESCRIPTION["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for _, path, operation in OPERATIONS.values():
        assert operation["summary"] and path.startswith("/v1/")
        named = {each["name"] for each in DESCRIPTION["paths"][path].get("parameters", [])}
        assert set(re.findall(r"{(\w+)}", path)) == named
        for response in operation["responses"].values():
            assert resolved(response)["description"]
    used = set(references(DESCRIPTION))
    assert used >= {f"#/components/{kind}/{name}" for kind in ("responses", "schemas")
                    for name in DESCRIPTION["components"][kind]}, "nothing stands there unused"


def test_the_description_has_every_path_and_reason_of_the_program():
    source = (ROOT / "Sources/Relay/HTTP/HTTPDoor.swift").read_text()
    paths = re.findall(r'Route\(path: "([^"]+)"', source)
    described = [re.sub("{.*", "", path) for path in DESCRIPTION["paths"]]
    assert set(paths) == set(described)
    schemas = DESCRIPTION["components"]["schemas"]
    kinds = (ROOT / "Sources/Relay/Rejection.swift").read_text()
    reasons = {name.strip() for names in re.findall(r"^    case (.+)", kinds, re.M)
               for name in names.split(",")}
    # Without the reasons of MQTT alone, and with those of HTTP alone.
    reasons = reasons - {"topic", "retained"} | {
        "path", "host", "origin", "unpaired", "pairing"}
    told = schemas["Refusal"]["properties"]["reason"]["description"]
    assert reasons <= set(re.findall(r"`(\w+)`", told))
