"""The clock as Home Assistant shows it, and what a person there can do with it."""

import json
import re

import pytest

from home_assistant import judged
from relay import CLOCK, discovery
from sound_server import wait_until


@pytest.fixture(scope="session")
def config(house):
    """What the relay tells Home Assistant of the clock."""
    return house.broker.listen(discovery()).wait_for(discovery())


@pytest.fixture(scope="session")
def told(config):
    """The name, icon, unit and device class of each entity, by its id."""
    return {
        f"{each['p']}.hall_{each['name'].lower().replace(' ', '_')}": (
            f"hall {each['name']}", each["icon"], each.get("unit_of_measurement"),
            each.get("device_class"))
        for each in json.loads(config)["cmps"].values()}


def wait_for_all(home, told, are_there, seconds=60):
    """Waits until exactly these entities are there, and can or cannot be used."""
    def are_so():
        entities = home.entities()
        return set(entities) == set(told) and all(
            (each["state"] != "unavailable") is are_there for each in entities.values())
    wait_until(are_so, seconds, f"all entities; there was {home.entities()}")


def instant(state):
    return re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", state)


# What Home Assistant shows.


def test_every_entity_is_there_with_its_name_icon_and_unit(home, told):
    wait_for_all(home, told, True)
    shown = {
        name: tuple(entity["attributes"].get(key) for key in (
            "friendly_name", "icon", "unit_of_measurement", "device_class"))
        for name, entity in home.entities().items()}
    assert shown == told
    assert instant(home.entity("sensor.hall_next_announcement")["state"])
    assert home.entity("sensor.hall_playing")["state"] == "nothing"


def test_its_own_schema_takes_all_that_it_is_told(config):
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
    home.wait_for("sensor.hall_playing", lambda state: state == "nothing")
    last = home.wait_for("sensor.hall_last_announcement", instant)
    assert last["attributes"]["text"]
    assert abs(last["attributes"]["onset_error_ms"]) < 1000


def test_the_switch_on_the_box_is_seen(house, home):
    house.line.put(is_active=True)
    home.wait_for("sensor.hall_ringer_switch", lambda state: state == "off")
    home.wait_for("sensor.hall_muted_by", lambda state: state == "switch")
    house.line.put(is_active=False)
    home.wait_for("sensor.hall_ringer_switch", lambda state: state == "on")


# Parts that stop and return.


def test_a_broker_that_returns_with_nothing_is_told_everything(house, home, told):
    house.broker.kill()
    wait_for_all(home, told, False)
    house.broker.start()
    wait_for_all(home, told, True, 120)
    home.do("number.set_value", "number.hall_volume", value=-3)
    home.wait_for("number.hall_volume", lambda state: float(state) == -3)


def test_all_of_it_is_there_again_when_home_assistant_has_restarted(house, home, told):
    welcomes = len(house.relay.matching("Home Assistant has started"))
    home.stop()
    home.start()
    wait_for_all(home, told, True, 120)
    wait_until(
        lambda: len(house.relay.matching("Home Assistant has started")) > welcomes, 60, "its birth")
    assert instant(home.entity("sensor.hall_next_announcement")["state"])


def test_home_assistant_has_nothing_to_complain_of(house, home):
    assert home.complaints() == []
    house.broker.publish(f"{CLOCK}/state", "no JSON")
    wait_until(lambda: any("value_json" in line for line in home.complaints()), 20, "a complaint")
