"""Commands that wait for their instants: kept over a restart, cancelled, in each other's way."""

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


@pytest.fixture
def kept(on_the_bus):
    """The file in which relays keep the waiting commands."""
    return on_the_bus.folder / "state/relay.json"


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


def test_what_waits_is_told_and_outlasts_the_relay(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    # It outlasts a slow restart.
    soon = bell(30)
    broker.publish(GROUP_COMMAND, soon)
    broker.publish(GROUP_COMMAND, bell(3600, "later"))
    heard.wait_for_state(waiting(["bell", "later"]))
    assert 'took announce "bell" for 20' in relay.wait_for("took announce")
    wait_until(lambda: len(json.loads(kept.read_text())["waiting"]) == 2, 60, "both in the file")
    assert relay.stop() == 0
    relay = relay_to(broker.port)
    relay.wait_for("commands that wait for their instants: 2")
    relay.wait_for("connected to")
    # Delivered again, it is still the same command.
    broker.publish(GROUP_COMMAND, soon)
    relay.wait_for("a command with this id has come before")
    heard.wait_for_state(lambda state: state.get("last", {}).get("text") == WORDS)
    heard.wait_for_state(waiting(["later"]))
    wait_until(
        lambda: [each["topic"] for each in json.loads(kept.read_text())["waiting"]]
        == [GROUP_COMMAND], 60, "the other one alone in the file")


def test_what_waits_outlasts_a_relay_that_dies(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    broker.publish(COMMAND, bell(3600))
    heard.wait_for_state(waiting(["bell"]))
    relay.process.kill()
    relay.process.wait(60)
    relay.stop = lambda: 0
    relay_to(broker.port).wait_for("commands that wait for their instants: 1")


def test_what_could_not_be_saved_is_saved_later_or_at_the_end(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    wait_until(kept.exists, 60, "the file")
    # A folder in the file's place takes no file.
    kept.unlink()
    kept.mkdir()
    broker.publish(COMMAND, bell(3600))
    relay.wait_for("the commands that wait would not outlast a restart")
    kept.rmdir()
    relay.wait_for("the commands that wait are saved again")
    assert [each["topic"] for each in json.loads(kept.read_text())["waiting"]] == [COMMAND]
    kept.unlink()
    kept.mkdir()
    broker.publish(COMMAND, bell(3600, "later"))
    heard.wait_for_state(waiting(["bell", "later"]))
    kept.rmdir()
    assert relay.stop() == 0
    assert len(json.loads(kept.read_text())["waiting"]) == 2


def test_no_more_wait_than_are_kept(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    for number in range(65):
        broker.publish(COMMAND, bell(3600 + number, f"bell-{number}"))
    assert 'the command "bell-64"' in relay.wait_for("64 commands wait for their instants already")
    heard.wait_for_state(waiting([f"bell-{number}" for number in range(64)]))
    assert kept.stat().st_size < 20_000


def test_what_waits_is_cancelled_by_its_id(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    for name in ("one", "two"):
        broker.publish(COMMAND, bell(3600, name))
    heard.wait_for_state(waiting(["one", "two"]))
    broker.publish(COMMAND, {"command": "cancel", "id": "one"})
    heard.wait_for_state(waiting(["two"]))
    relay.wait_for("'cancel' has cancelled announce \"one\" for 20")
    broker.publish(COMMAND, {"command": "cancel", "id": "three"})
    relay.wait_for('no command with the id "three" waits')
    # Sent again after it was cancelled, it is taken again.
    broker.publish(COMMAND, bell(3600, "one"))
    heard.wait_for_state(waiting(["two", "one"]))


def test_a_stop_cancels_what_waits(broker, announcer, relay_to, kept):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    broker.publish(COMMAND, bell(3600))
    heard.wait_for_state(waiting(["bell"]))
    broker.publish(GROUP_COMMAND, {"command": "stop"})
    heard.wait_for_state(waiting([]))
    relay.wait_for("'stop' has cancelled announce \"bell\"")
    wait_until(lambda: json.loads(kept.read_text())["waiting"] == [], 60, "an empty file")


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


def test_a_speaker_that_stays_taken_is_the_reason(broker, announcer, relay_to):
    announcer()
    relay = relay_to(broker.port)
    heard = online(broker)
    at = int(time.time()) + 15
    for name in ("one", "two"):
        broker.publish(COMMAND, {"command": "announce", "time": "15:30", "at": at, "id": name})
    heard.wait_for_state(lambda state: state.get("last", {}).get("text") == WORDS)
    assert 'the command "two"' in relay.wait_for("another announcement had the speaker")


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


def test_what_was_kept_and_is_past_is_told(broker, announcer, relay_to, kept):
    announcer()
    line = json.dumps(bell(-60))
    kept.write_text(json.dumps({"waiting": [{"topic": COMMAND, "command": line}], "retained": []}))
    relay = relay_to(broker.port)
    assert 'refused the command "bell"' in relay.wait_for("passed before it could be carried out")


def test_a_memory_that_is_broken_is_set_aside(broker, announcer, relay_to, kept):
    announcer()
    kept.write_text("{")
    relay = relay_to(broker.port)
    assert f"it is now {kept}.set-aside" in relay.wait_for("the commands that waited are lost")
    online(broker)
