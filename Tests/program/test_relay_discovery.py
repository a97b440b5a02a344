"""The discovery message for Home Assistant: entities with ids, topics, and templates that find their
values. Home Assistant's own schema is asked by Tests/home-assistant."""

import json
import re

import pytest

from relay import CLOCK, COMMAND, discovery, object_id

ANSWER = {"id": "tea", "status": "refused", "error": "there is no timer", "reason": "no_timer"}


@pytest.fixture
def relay(broker, start, relay_to):
    start()
    return relay_to(broker.port)


@pytest.fixture
def heard(broker):
    return broker.listen("clocksmith/#", "homeassistant/#")


@pytest.fixture
def told(heard, relay):
    """The configuration, and a state."""
    config = json.loads(heard.wait_for(discovery()))
    return config, heard.wait_for_state(lambda state: state["trust"])


def test_every_entity_has_an_id_and_topics(told):
    config = told[0]
    assert config["dev"]["ids"] == [object_id()] and config["dev"]["name"] == "hall"
    assert config["availability_topic"] == f"{CLOCK}/availability"
    assert config["state_topic"] == f"{CLOCK}/state" and config["command_topic"] == COMMAND
    components = config["cmps"].values()
    # They stay as they are when the clock gets another name.
    assert all(component["unique_id"].startswith(object_id()) for component in components)
    for key in ("unique_id", "name"):
        assert len({component[key] for component in components}) == len(components)
    assert {component["qos"] for component in components} == {1}
    for key, topics in {"ring": {f"{CLOCK}/event"}, "answer": {f"{CLOCK}/answer"}}.items():
        found = {config["cmps"][key].get(name) for name in ("state_topic", "json_attributes_topic")}
        assert found - {None} == topics


def test_every_template_finds_its_value_in_the_state(told):
    jinja2 = pytest.importorskip("jinja2", reason="no jinja2 here (apt install python3-jinja2)")
    config, state = told
    surroundings = jinja2.Environment(undefined=jinja2.StrictUndefined)
    for key, component in config["cmps"].items():
        for name in ("value_template", "json_attributes_template"):
            if name not in component:
                continue
            shown = ANSWER if component.get("state_topic") == f"{CLOCK}/answer" else state
            value = surroundings.from_string(component[name]).render(value_json=shown)
            if name == "json_attributes_template":
                assert isinstance(json.loads(value), dict), key
            elif "options" in component:
                assert value in component["options"], key
            elif component["p"] in ("switch", "binary_sensor"):
                assert value in ("ON", "OFF"), key
            elif component.get("device_class") == "timestamp":
                assert value == "None" or re.fullmatch(r"20\d\d-.*Z", value), key


def test_it_shows_how_the_last_command_has_ended(told):
    jinja2 = pytest.importorskip("jinja2", reason="no jinja2 here (apt install python3-jinja2)")
    component = told[0]["cmps"]["answer"]
    template = jinja2.Environment().from_string(component["value_template"])
    for answer, shown in [({"status": "done"}, "done"), (ANSWER, ANSWER["error"]),
                          ({"error": "e" * 300}, "e" * 255)]:
        assert template.render(value_json=answer) == shown


@pytest.mark.parametrize("key, listed, record", [
    ("alarm", "alarms", {
        "number": 100, "name": "n" * 160, "time": "07:00", "days": "mon-fri", "tune": "t" * 255,
        "rise": "5min", "state": "waiting", "rings": "2026-11-23T07:00:00Z", "reason": "r" * 80}),
    ("timer", "timers", {
        "number": 100, "name": "n" * 160, "state": "running", "seconds": 600,
        "ends": "2026-11-23T07:00:00.123456Z"}),
])
def test_attributes_are_small_enough_to_be_recorded_and_tell_how_many_there_are(
        told, key, listed, record):
    jinja2 = pytest.importorskip("jinja2", reason="no jinja2 here (apt install python3-jinja2)")
    config, state = told
    template = jinja2.Environment().from_string(config["cmps"][key]["json_attributes_template"])
    text = template.render(value_json=state | {listed: [record] * 100})
    # As much as Home Assistant records of an entity, with some space for its own attributes.
    assert len(text) < 16_384 - 1000
    shown = json.loads(text)
    assert shown[listed] == [record] * 20 and shown[f"{key}_count"] == 100


def test_each_alarm_has_a_switch_until_it_is_removed(broker, heard, relay, told, bus):
    jinja2 = pytest.importorskip("jinja2", reason="no jinja2 here (apt install python3-jinja2)")
    with bus.caller() as caller:
        caller.ask("SetAlarm", time="07:00", days="mon-fri", name="school")
        caller.ask("SetAlarm", time="08:00")
        config = json.loads(heard.wait_for(discovery(), lambda text: "alarm_2" in text))
        made = config["cmps"]["alarm_1"]
        assert (made["p"], made["name"], config["cmps"]["alarm_2"]["name"]) == ("switch", "Alarm school", "Alarm 2")
        template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(made["value_template"])
        shown = lambda state: template.render(value_json=state)  # noqa: E731
        heard.wait_for_state(lambda state: shown(state) == "ON")
        broker.publish(COMMAND, made["payload_off"])
        state = heard.wait_for_state(lambda state: shown(state) == "OFF")
        assert [alarm["on"] for alarm in state["alarms"] if alarm["number"] == 1] == [False]
        broker.publish(COMMAND, made["payload_on"])
        heard.wait_for_state(lambda state: shown(state) == "ON")
        caller.ask("CancelAlarm", alarm="school")
    config = json.loads(heard.wait_for(discovery(), lambda text: '"alarm_1":{"p":"switch"}' in text))
    assert config["cmps"]["alarm_2"]["name"] == "Alarm 2"


def test_every_command_that_it_would_send_is_understood(broker, told, heard, relay):
    components = told[0]["cmps"].values()
    payloads = [component[key] for component in components
                for key in ("payload_on", "payload_off", "payload_press") if key in component]
    # The volume comes last.
    payloads += [component["command_template"].replace("{{ value }}", "-20")
                 for component in components if "command_template" in component]
    assert len(payloads) == 6
    relay.wait_for("the announcer answers")
    for payload in payloads:
        broker.publish(COMMAND, payload)
    heard.wait_for_state(lambda state: state["volume_db"] == -20)
    assert [line for line in relay.matching("refused") if "alarm_snooze" not in line] == []
