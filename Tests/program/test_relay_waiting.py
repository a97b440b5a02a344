"""Commands that wait for their instants: cancelled, and in each other's way."""

import datetime
import json
import time
import zoneinfo

import pytest

from relay import CLOCK, COMMAND, GROUP_COMMAND
from slow_voice import lengthen
from sound_server import wait_until

WORDS = "three thirty P M"


@pytest.fixture
def announcer(on_the_bus, start):
    """Starts an announcer that plays in real time."""
    def announcer(announce="interval = 60\nvoice_at_hour = none", **options):
        return start(announce, words=("--output", on_the_bus.folder / "heard.wav"), **options)
    return announcer


def online(broker):
    heard = broker.listen("clocksmith/#")
    heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
    return heard


def bell(ahead, name="bell", **others):
    """An announcement in so many seconds, but not at a full minute, where an occasion could be."""
    at = int(time.time()) + ahead
    return {"command": "announce", "time": "15:30", "at": at + (at % 60 == 0), "id": name,
            **others}


def shown(at):
    """The time that the clocks of the program's zone show."""
    return datetime.datetime.fromtimestamp(at, zoneinfo.ZoneInfo("Europe/London")).strftime("%H:%M")


def waiting(ids):
    return lambda state: [each["id"] for each in state["waiting"]] == ids


def test_no_more_than_64_wait(broker, announcer, relay_to):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    for number in range(65):
        broker.publish(COMMAND, bell(500, f"bell-{number}"))
    assert 'the command "bell-64"' in relay.wait_for("64 commands wait for their instants already")
    heard.wait_for_state(waiting([f"bell-{number}" for number in range(64)]))


def test_a_stop_cancels_what_waits_and_it_may_be_sent_again(broker, announcer, relay_to):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(500)
    for _ in range(2):
        broker.publish(COMMAND, order)
        heard.wait_for_state(waiting(["bell"]))
        assert 'took announce "bell" for 20' in relay.wait_for("took announce")
        broker.publish(GROUP_COMMAND, {"command": "stop"})
        heard.wait_for_state(waiting([]))
        relay.wait_for("'stop' has cancelled announce \"bell\"")


def test_a_speaker_that_needs_long_gets_its_command_earlier(broker, announcer, relay_to):
    """It needs nine seconds: a lead-in of four, and five between the converter and the ear."""
    announcer("interval = 60\nvoice_at_hour = none\n[speaker]\nlead_in = 4s\ndelay = 5s")
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(20)
    broker.publish(COMMAND, order)
    relay.wait_for('handed announce "bell" to the clock')
    state = heard.wait_for_state(lambda state: state.get("last", {}).get("text") == WORDS)
    assert datetime.datetime.fromisoformat(
        state["last"]["at"].replace("Z", "+00:00")).timestamp() == order["at"]


def test_what_is_asked_for_twice_within_a_phrase_is_said_when_the_speaker_is_free(
        broker, announcer, relay_to, pack):
    """4.75 s before its instant another announcement is being said, which ends in time. It lasts a
    good four seconds, so that on a slow machine, too, it is being said at that moment."""
    announcer(voice=lengthen(pack, 3, "minute-45"))
    relay = relay_to(broker.port)
    heard = online(broker)
    at = int(time.time()) + 15
    broker.publish(COMMAND, {"command": "announce", "time": "15:30", "at": at, "id": "bell"})
    heard.wait_for_state(waiting(["bell"]))
    wait_until(lambda: time.time() > at - 8, 60, "the time for the other one")
    broker.publish(COMMAND, {"command": "announce", "time": "11:45"})
    state = heard.wait_for_state(lambda state: state.get("last", {}).get("text") == WORDS)
    assert datetime.datetime.fromisoformat(
        state["last"]["at"].replace("Z", "+00:00")).timestamp() == at
    relay.wait_for('handed announce "bell" to the clock')
    assert relay.matching("refused") == []


def test_an_occasion_says_what_is_asked_for_at_it_and_another_time_is_refused_by_its_name(
        broker, announcer, relay_to):
    """As in docs/home-assistant.md: a bell at the full hour; here at a full minute."""
    announcer("interval = 1\nchime = none\nchime_quarters = none")
    relay = relay_to(broker.port)
    heard = online(broker)
    at = (int(time.time()) // 60 + 1) * 60
    if at - time.time() < 20:
        at += 60
    for name, given in (
            ("now", {}), ("that-time", {"time": shown(at)}), ("another", {"time": "03:33"})):
        broker.publish(COMMAND, {"command": "announce", "at": at, "id": name} | given)
    state = heard.wait_for_state(
        lambda state: "last" in state and datetime.datetime.fromisoformat(
            state["last"]["at"].replace("Z", "+00:00")).timestamp() == at, 150)
    assert abs(state["last"]["onset_error_ms"]) < 100
    for name in ("now", "that-time"):
        assert relay.wait_for(f'handed announce "{name}" to the clock')
    [refused] = relay.matching("refused")
    assert 'the command "another"' in refused and "the next announcement is about to be made" in refused


ANSWER = f"{CLOCK}/answer"


def answers(heard):
    return [(each.get("id"), each["status"]) for each in map(json.loads, heard.payloads(ANSWER))]


def said(heard, at):
    """Which announcements of that instant have been made."""
    states = [json.loads(payload) for payload in heard.payloads(f"{CLOCK}/state")]
    return {state["last"]["text"] for state in states if "last" in state and datetime.datetime.fromisoformat(
        state["last"]["at"].replace("Z", "+00:00")).timestamp() == at}


def kill(relay):
    relay.process.kill()
    relay.process.wait(60)
    relay.stop = lambda: 0


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_command_that_waits_outlasts_a_relay_that_ends(broker, announcer, relay_to, way):
    clock = announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(15)
    broker.publish(COMMAND, order)
    wait_until(lambda: answers(heard) == [("bell", "waiting")], 60, "its first answer")
    kill(relay) if way == "kill" else relay.stop()
    relay_to(broker.port)
    heard.wait_for_state(waiting(["bell"]))
    wait_until(lambda: said(heard, order["at"]) == {WORDS}, 60, "the announcement")
    assert answers(heard) == [("bell", "waiting"), ("bell", "done")]
    assert len(clock.matching(f"said.*{WORDS}")) <= 1


def test_a_command_that_the_clock_has_is_not_doubled_by_a_relay_that_is_killed(
        broker, announcer, relay_to):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(8)
    broker.publish(COMMAND, order)
    relay.wait_for('handed announce "bell" to the clock')
    kill(relay)
    again = relay_to(broker.port)
    wait_until(lambda: said(heard, order["at"]) == {WORDS}, 60, "the announcement")
    wait_until(lambda: json.loads(heard.payloads(f"{CLOCK}/state")[-1])["waiting"] == [], 60, "its end")
    assert not again.matching("refused")


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_command_that_the_clock_has_outlasts_a_clock_that_ends_or_its_loss_is_told(
        broker, announcer, relay_to, way):
    clock = announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(12)
    broker.publish(COMMAND, order)
    relay.wait_for('handed announce "bell" to the clock')
    clock.end_by(way)
    announcer()
    # It is told once how it ended, and not before its instant.
    wait_until(lambda: len(answers(heard)) == 2, 60, "the last answer")
    if answers(heard)[-1] == ("bell", "done"):
        wait_until(lambda: said(heard, order["at"]) == {WORDS}, 60, "the announcement")
    else:
        assert answers(heard)[-1] == ("bell", "refused") and relay.matching("refused")


def test_a_command_whose_instant_passes_while_the_relay_is_down_is_told_as_lost(
        broker, announcer, relay_to):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    order = bell(9)
    broker.publish(COMMAND, order)
    wait_until(lambda: answers(heard) == [("bell", "waiting")], 60, "its first answer")
    kill(relay)
    wait_until(lambda: time.time() > order["at"], 60, "its instant")
    for _ in range(2):
        again = relay_to(broker.port)
        again.wait_for("connected to")
        wait_until(lambda: answers(heard)[1:] == [("bell", "refused")], 60, "that it is lost")
        assert again.stop() == 0
