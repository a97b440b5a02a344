"""The clock as Home Assistant shows it, and what a person there can do with it."""

import json
import re

from home_assistant import judged
from relay import CLOCK, COMMAND
from sound_server import wait_until

# The name, icon, unit and device class of each entity.
ENTITIES = {
    "sensor.hall_next_announcement": ("Next announcement", "clock-outline", None, "timestamp"),
    "sensor.hall_playing": ("Playing", "bullhorn-outline", None, None),
    "switch.hall_mute": ("Mute", "volume-off", None, None),
    "sensor.hall_muted_by": ("Muted by", "volume-mute", None, "enum"),
    "sensor.hall_ringer_switch": ("Ringer switch", "toggle-switch-outline", None, "enum"),
    "sensor.hall_clock_trust": ("Clock trust", "clock-check-outline", None, "enum"),
    "binary_sensor.hall_problem": ("Problem", "alert-outline", None, "problem"),
    "number.hall_volume": ("Volume", "volume-high", "dB", None),
    "button.hall_say_the_time": ("Say the time", "bullhorn", None, None),
    "button.hall_stop": ("Stop", "stop", None, None),
    "button.hall_snooze": ("Snooze", "alarm-snooze", None, None),
    "sensor.hall_last_announcement": ("Last announcement", "history", None, "timestamp"),
    "sensor.hall_onset_error": ("Onset error", "timer-alert-outline", "ms", "duration"),
    "sensor.hall_timer_ends": ("Timer ends", "timer-sand", None, "timestamp"),
    "sensor.hall_next_alarm": ("Next alarm", "alarm", None, "timestamp"),
    "event.hall_ring": ("Ring", "bell-ring-outline", None, None),
}


def is_there(state):
    return state != "unavailable"


def is_gone(state):
    return state == "unavailable"


def wait_for_all(home, fits, seconds=60):
    """Waits until exactly these entities are there, and the state of each fits."""
    def are_so():
        entities = home.entities()
        return set(entities) == set(ENTITIES) and all(
            fits(each["state"]) for each in entities.values())
    wait_until(are_so, seconds, f"all entities; there was {home.entities()}")


def instant(state):
    return re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", state)


# What Home Assistant shows.


def test_every_entity_is_there_with_its_name_icon_and_unit(home):
    shown = {}
    for name, entity in home.entities().items():
        about = entity["attributes"]
        shown[name] = (
            about["friendly_name"].removeprefix("hall "), about["icon"].removeprefix("mdi:"),
            about.get("unit_of_measurement"), about.get("device_class"))
    assert shown == ENTITIES


def test_all_of_them_are_of_one_device_that_names_its_program(home):
    def of_device(what):
        return {home.render(f"{{{{ device_attr('{name}', '{what}') }}}}") for name in ENTITIES}
    assert of_device("name") == {"hall"} and of_device("manufacturer") == {"clocksmith"}
    [version] = of_device("sw_version")
    assert version and version != "None"


def test_all_of_them_can_be_used_while_the_clock_runs(home):
    wait_for_all(home, is_there)
    assert instant(home.entity("sensor.hall_next_announcement")["state"])
    assert home.entity("sensor.hall_clock_trust")["state"] in ("synchronised", "untrusted")
    assert home.entity("sensor.hall_playing")["state"] == "nothing"


def test_it_listens_and_commands_so_that_nothing_is_lost_on_the_way(house, home):
    def logged(pattern):
        return re.findall(pattern, (house.folder / "mosquitto.log").read_text(), re.MULTILINE)
    for topic in ("state", "availability"):
        assert set(logged(rf"\t{CLOCK}/{topic} \(QoS (\d)\)")) == {"1"}, topic
    home.do("button.press", "button.hall_stop")
    wait_until(
        lambda: logged(rf"Received PUBLISH from \S+ \(\w+, q1, r0, m\d+, '{COMMAND}'"), 10,
        "a command")


def test_its_own_schema_takes_all_that_it_is_told(house):
    heard = house.broker.listen("homeassistant/device/clocksmith_hall/config")
    config = heard.wait_for("homeassistant/device/clocksmith_hall/config")
    assert judged(config) == []
    wrong = json.loads(config)
    wrong["cmps"]["volume"]["min"] = 5
    wrong["cmps"]["stop"]["volume"] = 3
    assert [name for name, _ in judged(json.dumps(wrong))] == ["volume", "stop"]


# What a person does there.


def test_a_press_of_the_button_is_heard(house, home):
    before = house.heard.frames
    home.do("button.press", "button.hall_say_the_time")
    wait_until(lambda: house.heard.is_sounding(before, 1), 15, "the words")
    playing = home.wait_for("sensor.hall_playing", lambda state: state == "nothing")
    assert playing
    last = home.wait_for("sensor.hall_last_announcement", instant)
    assert last["attributes"]["text"]
    assert abs(last["attributes"]["onset_error_ms"]) < 1000


def test_mute_there_mutes_the_clock_and_unmute_here_is_seen_there(house, home):
    home.do("switch.turn_on", "switch.hall_mute")
    home.wait_for("switch.hall_mute", lambda state: state == "on")
    with house.bus.caller() as caller:
        assert caller.get("Muted") is True
        caller.call("Unmute")
    home.wait_for("switch.hall_mute", lambda state: state == "off")
    assert home.entity("sensor.hall_muted_by")["state"] == "nobody"


def test_the_switch_on_the_box_is_seen(house, home):
    house.line.put(is_active=True)
    home.wait_for("sensor.hall_ringer_switch", lambda state: state == "off")
    home.wait_for("sensor.hall_muted_by", lambda state: state == "switch")
    house.line.put(is_active=False)
    home.wait_for("sensor.hall_ringer_switch", lambda state: state == "on")


def test_the_volume_is_set_there(house, home):
    home.do("number.set_value", "number.hall_volume", value=-12.5)
    home.wait_for("number.hall_volume", lambda state: float(state) == -12.5)
    with house.bus.caller() as caller:
        assert caller.get("VolumeDB") == -12.5


def test_a_timer_is_seen_with_its_name(house, home):
    with house.bus.caller() as caller:
        caller.ask("StartTimer", seconds=600, name="tea")
        timer = home.wait_for("sensor.hall_timer_ends", instant)
        assert [each["name"] for each in timer["attributes"]["timers"]] == ["tea"]
        caller.ask("CancelTimer", timer="tea")
    home.wait_for("sensor.hall_timer_ends", lambda state: state == "unknown")


def test_a_timer_at_zero_is_an_event(house, home):
    with house.bus.caller() as caller:
        caller.ask("StartTimer", seconds=1, name="egg")
        ring = home.wait_for("event.hall_ring", lambda state: state.startswith("20"))
        caller.ask("CancelTimer", timer="egg")
    assert ring["attributes"]["event_type"] == "timer_elapsed" and ring["attributes"]["name"] == "egg"


# Parts that stop and return.


def test_without_its_announcer_the_clock_cannot_be_used(house, home):
    assert house.announcer.stop() == 0
    wait_for_all(home, is_gone)
    house.start_announcer()
    wait_for_all(home, is_there)


def test_without_its_relay_the_clock_cannot_be_used(house, home):
    house.relay.process.kill()
    house.relay.process.wait(5)
    wait_for_all(home, is_gone)
    house.start_relay()
    wait_for_all(home, is_there)


def test_a_broker_that_returns_with_nothing_is_told_everything(house, home):
    house.broker.kill()
    wait_for_all(home, is_gone)
    house.broker.start()
    wait_for_all(home, is_there, 120)
    home.do("number.set_value", "number.hall_volume", value=-3)
    home.wait_for("number.hall_volume", lambda state: float(state) == -3)


def test_all_of_it_is_there_again_when_home_assistant_has_restarted(house, home):
    welcomes = len(house.relay.matching("Home Assistant has started"))
    home.stop()
    home.start()
    wait_for_all(home, is_there, 120)
    wait_until(
        lambda: len(house.relay.matching("Home Assistant has started")) > welcomes, 60, "its birth")
    assert instant(home.entity("sensor.hall_next_announcement")["state"])


def test_home_assistant_has_nothing_to_complain_of(house, home):
    assert home.complaints() == []
    house.broker.publish(f"{CLOCK}/state", "no JSON")
    wait_until(lambda: any("value_json" in line for line in home.complaints()), 20, "a complaint")
