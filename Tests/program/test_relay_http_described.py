"""The description of the door for apps (OpenAPI 3.1) and the program agree. Each answer that a test
gets by `Door.ask` is held to it as well."""

import re
import time

import jsonschema

from http_door import DESCRIPTION, OPERATIONS, resolved
from program import ROOT
from sound_server import wait_until


def test_the_state_of_a_real_clock_is_as_described(start, bus, door):
    start()
    with bus.caller() as caller:
        keys = {re.sub("([a-z])([A-Z])", r"\1_\2", name).lower() for name in caller.all()}
    described = DESCRIPTION["components"]["schemas"]["State"]["properties"]
    assert set(described) == keys - {"clock_words", "clock_uncertainty"} | {"waiting"}
    running = door().wait_for_announcer()
    for command in ({"command": "timer", "seconds": 600, "name": "tea"},
                    {"command": "alarm", "time": "07:00", "days": "mon-fri", "name": "school"},
                    {"command": "mute", "for": 60},
                    {"command": "interval", "work": 20, "rest": 10, "rounds": 8},
                    {"command": "announce", "at": time.time() + 500, "id": "bell"}):
        assert running.order(command).status in (200, 202), command
    kinds = ("timers", "alarms", "intervals", "waiting", "muted_until")
    wait_until(lambda: all(map(running.state().body.get, kinds)), 60, "all of it")


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
    for (_, path), operation in OPERATIONS.items():
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
