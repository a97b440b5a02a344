"""The discovery message for Home Assistant, checked against the rules of its schema (homeassistant
2026.11, mqtt). That schema refuses some mistakes, and silently drops the others."""

import json
import re

import pytest

import relay as parts
from message_bus import MessageBus
from relay import CLOCK, Broker, Relay
from service import Service
from program import SILENT_ALSA, Clocksmith

CONFIG = "homeassistant/device/clocksmith_hall/config"
ROOT = {"dev", "o", "cmps", "availability_topic", "state_topic", "command_topic"}
EVERY = {"p", "unique_id", "name", "icon", "qos", "entity_category", "value_template",
         "json_attributes_topic", "json_attributes_template", "device_class"}
# The other keys that a platform knows, and those it requires; the topics come from the root.
PLATFORMS = {
    "sensor": ({"state_class", "unit_of_measurement", "options", "state_topic"}, {"value_template"}),
    "binary_sensor": ({"payload_on", "payload_off"}, {"value_template"}),
    "switch": ({"payload_on", "payload_off", "state_on", "state_off"}, {"value_template"}),
    "number": ({"min", "max", "step", "mode", "command_template", "unit_of_measurement"},
               {"command_template", "value_template"}),
    "button": ({"payload_press"}, {"payload_press"}),
    "event": ({"state_topic", "event_types"}, {"state_topic", "event_types"}),
}
CLASSES = {
    "sensor": {"timestamp", "enum", "duration"}, "binary_sensor": {"problem"},
}
UNITS = {"duration": {"d", "h", "min", "s", "ms"}, None: {"dB"}}


ANSWER = {"id": "tea", "status": "refused", "error": "there is no timer", "reason": "no_timer"}


@pytest.fixture(scope="module")
def told(surroundings, tmp_path_factory):
    """The configuration, a state, and the log lines about commands that the relay refused."""
    parts.need_relay()
    folder = tmp_path_factory.mktemp("discovery")
    bus, broker = MessageBus(folder), Broker(folder)
    program = Clocksmith(
        surroundings | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address, "STATE_DIRECTORY": str(folder)},
        folder)
    # Nothing sounds by itself, at whatever time this runs.
    configuration = program.configuration("interval = 60\nvoice_at_hour = none")
    service = Service(program, configuration, alsa=SILENT_ALSA)
    relay = Relay(program.environment, folder, broker.port)
    try:
        heard = broker.listen("clocksmith/#", "homeassistant/#")
        heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
        config = json.loads(heard.wait_for(CONFIG))
        state = heard.wait_for_state(lambda state: state["trust"])
        for payload in payloads(config):
            broker.publish(f"{CLOCK}/command", payload)
        heard.wait_for_state(lambda state: state["volume_db"] == -20)
        yield config, state, relay.matching("refused")
    finally:
        assert relay.stop() == 0 and service.stop() == 0
        broker.close()
        bus.stop()


def payloads(config):
    """Every command that Home Assistant would send, the volume last."""
    components = config["cmps"].values()
    found = [component[key] for component in components
             for key in ("payload_on", "payload_off", "payload_press") if key in component]
    return found + [component["command_template"].replace("{{ value }}", "-20")
                    for component in components if "command_template" in component]


def test_the_root_has_what_is_required_and_no_more(told):
    config = told[0]
    assert set(config) == ROOT
    assert config["dev"]["ids"] == ["clocksmith_hall"] and config["dev"]["name"]
    assert config["o"]["name"] and config["o"]["sw"] == config["dev"]["sw"]
    assert config["availability_topic"] == f"{CLOCK}/availability"
    for key, value in config.items():
        if key.endswith("_topic"):
            assert not re.search(r"[+#\0]", value)


def test_every_entity_has_what_its_platform_wants_and_nothing_that_would_be_dropped(told):
    for key, component in told[0]["cmps"].items():
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", key)
        known, wanted = PLATFORMS[component["p"]]
        assert set(component) <= EVERY | known, key
        assert set(component) >= {"p", "unique_id", "name", "icon", "qos"} | wanted, key
        assert component["icon"].startswith("mdi:")
        assert component.get("entity_category") in (None, "diagnostic")
        topic = component.get("state_topic", f"{CLOCK}/state")
        assert component.get("json_attributes_topic") in (None, topic)


def test_every_entity_is_known_by_an_id_of_its_own(told):
    components = told[0]["cmps"].values()
    for key in ("unique_id", "name"):
        assert len({component[key] for component in components}) == len(components)


def test_classes_units_and_choices_fit_each_other(told):
    for key, component in told[0]["cmps"].items():
        kind = component.get("device_class")
        assert kind is None or kind in CLASSES[component["p"]], key
        unit = component.get("unit_of_measurement")
        assert unit is None or unit in UNITS[kind], key
        assert (kind == "duration") <= (unit is not None), key
        assert ("options" in component) == (kind == "enum"), key
        assert not (kind == "enum" and {"state_class", "unit_of_measurement"} & set(component)), key
        if component["p"] == "number":
            assert component["min"] < component["max"] and component["step"] >= 0.001


def test_every_template_finds_its_value_in_the_state(told):
    jinja2 = pytest.importorskip("jinja2", reason="no jinja2 here (apt install python3-jinja2)")
    config, state, _ = told
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
    assert component["state_topic"] == component["json_attributes_topic"] == f"{CLOCK}/answer"
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
    config, state, _ = told
    template = jinja2.Environment().from_string(config["cmps"][key]["json_attributes_template"])
    text = template.render(value_json=state | {listed: [record] * 100})
    # As much as Home Assistant records of an entity, with some space for its own attributes.
    assert len(text) < 16_384 - 1000
    shown = json.loads(text)
    assert shown[listed] == [record] * 20 and shown[f"{key}_count"] == 100


def test_every_command_that_it_would_send_is_understood(told):
    config, _, refused = told
    assert len(payloads(config)) == 6
    assert [line for line in refused if "alarm_snooze" not in line] == []
