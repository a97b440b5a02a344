"""The relay between a real broker and a real announcer: what it publishes and what it carries out."""

import datetime
import json
import signal
import socket
import time

import pytest

from relay import CLOCK, COMMAND, GROUP_COMMAND, discovery
from sound_server import wait_until

WORDS = "three thirty P M"


@pytest.fixture
def start(on_the_bus, start):
    """Starts an announcer that plays in real time."""
    return lambda: start(words=("--output", on_the_bus.folder / "heard.wav"))


@pytest.fixture
def heard(broker):
    return broker.listen("clocksmith/#", "homeassistant/#")


@pytest.fixture
def relay(broker, heard, start, relay_to):
    """A relay that has reached its broker and its announcer."""
    start()
    relay = relay_to(broker.port)
    heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
    relay.wait_for("connected to")
    relay.wait_for("the announcer answers")
    return relay


def is_online(payload):
    return payload == "online"


def is_offline(payload):
    return payload == "offline"


# What the relay publishes.


def test_the_state_is_kept_by_the_broker(broker, relay, heard):
    state = heard.wait_for_state(lambda state: state["trust"])
    assert state["muted"] is False and state["switch"] == "absent" and "playing" not in state
    assert state["next"]["at"].endswith("Z") and state["timers"] == []
    late = broker.listen(f"{CLOCK}/#")
    late.wait_for(f"{CLOCK}/state")
    late.wait_for(f"{CLOCK}/availability", is_online)
    # A state that changes at this moment comes once more, and is not retained then.
    firsts = {topic: retained for topic, _, retained in reversed(late.messages)}
    assert all(firsts.values())


def test_what_is_said_is_seen_with_its_onset_error(broker, relay, heard):
    broker.publish(COMMAND, {"command": "announce", "time": "15:30"})
    heard.wait_for_passing_state(lambda state: state.get("playing") == WORDS)
    state = heard.wait_for_state(lambda state: "last" in state and "playing" not in state)
    assert state["last"]["text"] == WORDS and abs(state["last"]["onset_error_ms"]) < 1000
    assert relay.wait_for("carried out announce")


def test_a_relay_that_ends_says_so(broker, relay, heard):
    assert relay.stop() == 0
    heard.wait_for(f"{CLOCK}/availability", is_offline)


def test_a_relay_that_dies_is_told_of_by_the_broker(broker, relay, heard):
    relay.process.kill()
    relay.process.wait(60)
    relay.stop = lambda: 0
    heard.wait_for(f"{CLOCK}/availability", is_offline)


def test_home_assistant_is_told_again_when_it_starts(broker, relay, heard):
    heard.wait_for(discovery())
    before = len(heard.payloads(f"{CLOCK}/state"))
    broker.publish("homeassistant/status", "online")
    relay.wait_for("Home Assistant has started")
    heard.wait_for(
        f"{CLOCK}/state", lambda payload: len(heard.payloads(f"{CLOCK}/state")) > before)
    wait_until(
        lambda: len(heard.payloads(discovery())) == 2, 60,
        "the configuration once more")


def kept(broker, topic):
    """What the broker has retained for a topic."""
    late = broker.listen(topic, f"{CLOCK}/availability")
    late.wait_for(f"{CLOCK}/availability")
    return late.payloads(topic)


# Commands that are carried out.


@pytest.mark.parametrize("order, fits", [
    ({"command": "mute", "for": 3600}, lambda state: "muted_until" in state),
    ({"command": "mute", "until": "next"}, lambda state: state.get("muted_by") == "next"),
    ({"command": "rounds", "work": 20, "rest": 10, "rounds": 8},
     lambda state: [interval["rounds"] for interval in state["intervals"]] == [8]),
    ({"command": "alarm", "time": "07:00", "days": "mon-fri", "name": "school"},
     lambda state: [(alarm["time"], alarm["days"]) for alarm in state["alarms"]]
     == [("07:00", "mon-fri")]),
])
def test_a_command_for_the_clock_is_carried_out_and_seen(broker, relay, heard, order, fits):
    broker.publish(COMMAND, order)
    heard.wait_for_state(fits)


def test_a_command_for_the_group_is_carried_out(broker, relay, heard):
    broker.publish(GROUP_COMMAND, {"command": "mute"})
    heard.wait_for_state(lambda state: state["muted"])
    broker.publish(GROUP_COMMAND, {"command": "unmute"})
    heard.wait_for_state(lambda state: not state["muted"])


def test_a_group_speaks_at_the_instant_of_the_message(broker, relay, heard):
    at = int(time.time()) + 15.25
    broker.publish(
        GROUP_COMMAND, {"command": "announce", "time": "15:30", "at": at, "id": "bell"})
    state = heard.wait_for_state(lambda state: "last" in state)
    assert state["last"]["text"] == WORDS
    instant = datetime.datetime.fromisoformat(state["last"]["at"].replace("Z", "+00:00"))
    assert instant.timestamp() == at and abs(state["last"]["onset_error_ms"]) < 100


def test_each_command_is_answered(broker, relay, heard):
    answer = f"{CLOCK}/answer"
    later = int(time.time()) + 500
    for order in [
            {"command": "interval", "seconds": 30, "id": "new"},
            {"command": "interval", "seconds": 30, "id": "same"},
            {"command": "timer", "seconds": 99999999, "id": "long"},
            {"command": "timer_cancel", "timer": "tea", "id": "unknown"},
            {"command": "announce", "at": later, "id": "bell"},
            "{"]:
        before = len(heard.payloads(answer))
        broker.publish(COMMAND, order)
        wait_until(lambda: len(heard.payloads(answer)) > before, 60, f"an answer to {order}")
    broker.publish(GROUP_COMMAND, {"command": "stop", "id": "stop"})
    wait_until(lambda: len(heard.payloads(answer)) == 8, 60, "two answers more")
    answers = [json.loads(payload) for payload in heard.payloads(answer)]
    assert [(each.get("id"), each["status"], each.get("reason")) for each in answers] == [
        ("new", "done", None), ("same", "unchanged", None), ("long", "refused", "value"),
        ("unknown", "refused", "unknown_timer"), ("bell", "waiting", None), (None, "refused", "json"),
        ("bell", "refused", "cancelled"), ("stop", "done", None)]
    assert "2678400" in answers[2]["error"] and "tea" in answers[3]["error"]
    assert not kept(broker, answer)


def test_a_timer_at_zero_is_told_as_an_event(broker, relay, heard):
    broker.publish(COMMAND, {"command": "timer", "seconds": 1, "name": "tea"})
    event = json.loads(heard.wait_for(f"{CLOCK}/event"))
    assert event["event_type"] == "timer_elapsed" and event["name"] == "tea" and event["number"] == 1
    assert event["text"] == 'timer "tea" is at zero, and rings'
    assert not kept(broker, f"{CLOCK}/event")


# Commands that are not carried out.


@pytest.mark.parametrize("broker", [True], indirect=True, ids=["kept on the disk"])
def test_a_retained_command_is_told_once_and_never_carried_out(broker, start, relay_to, heard):
    broker.publish(COMMAND, {"command": "mute"}, "-r")
    start()
    relay = relay_to(broker.port)
    relay.wait_for("the broker has kept it")
    broker.kill()
    broker.start()
    kept = broker.listen(COMMAND)
    kept.wait_for(COMMAND)
    assert kept.messages[0][2], "the broker still has it"
    again = broker.listen("clocksmith/#")
    # The retained availability would say "online" in any case, so it proves nothing.
    relay.wait_for("is back", 120)
    broker.publish(COMMAND, {"command": "volume", "volume_db": -3})
    assert again.wait_for_state(lambda state: state["volume_db"] == -3)["muted"] is False
    assert len(relay.matching("the broker has kept it")) == 1


def test_a_command_that_is_delivered_twice_is_carried_out_once(broker, relay, heard):
    for topic in (COMMAND, GROUP_COMMAND):
        broker.publish(topic, {"command": "timer", "seconds": 600, "id": "tea-1"})
    relay.wait_for("a command with this id has come before")
    broker.publish(COMMAND, {"command": "volume", "volume_db": -3})
    assert len(heard.wait_for_state(lambda state: state["volume_db"] == -3)["timers"]) == 1


def test_a_command_that_has_expired_is_told_and_left(broker, relay, heard):
    broker.publish(COMMAND, {"command": "mute", "id": "old", "expires": time.time() - 1})
    assert 'the command "old"' in relay.wait_for("it was to be carried out before 20")
    broker.publish(COMMAND, {"command": "volume", "volume_db": -3, "expires": time.time() + 600})
    assert heard.wait_for_state(lambda state: state["volume_db"] == -3)["muted"] is False


BAD_INPUT = [
    (COMMAND, "{", "it ends too early"),
    (COMMAND, b"x" * 3_000_000, "it has 3000000 bytes; at most 16384 are read"),
    (COMMAND, {"command": "\x1b[31m"}, "command \"\\u{1B}[31m\" is not allowed"),
    (COMMAND, {"command": "stop", "expires": "tomorrow"}, "is not allowed; write an instant, as 2026-"),
    (f"{COMMAND}/announce", "{}", f"commands are sent to {COMMAND}"),
]


@pytest.mark.parametrize("topic, payload, told", BAD_INPUT, ids=[told for _, _, told in BAD_INPUT])
def test_bad_input_is_told_in_one_line_and_harms_nothing(
        broker, relay, heard, topic, payload, told):
    before = len(relay.lines())
    for _ in range(5):
        broker.publish(topic, payload)
    broker.publish(COMMAND, {"command": "volume", "volume_db": -3})
    heard.wait_for_state(lambda state: state["volume_db"] == -3)
    relay.wait_for("carried out volume")
    [line, done] = relay.lines()[before:]
    assert told in line and line.isprintable() and len(line) < 500
    assert done == "carried out volume"


# Parts that stop and return.


def test_a_broker_that_returns_is_taken_back_and_told_everything(broker, relay, heard):
    broker.kill()
    relay.wait_for("it is tried again")
    broker.start()
    again = broker.listen("clocksmith/#", "homeassistant/#")
    # After a long loss, it tries again only after half a minute.
    again.wait_for(f"{CLOCK}/availability", is_online, 120)
    again.wait_for_state(lambda state: state["trust"])
    again.wait_for(discovery())
    broker.publish(COMMAND, {"command": "mute"})
    again.wait_for_state(lambda state: state["muted"])
    relay.wait_for("is back", 120)


def test_systemd_is_told_how_it_is(broker, start, relay_to, heard, on_the_bus):
    start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(on_the_bus.folder / "manager"))
        manager.settimeout(60)
        on_the_bus.environment = on_the_bus.environment | {"NOTIFY_SOCKET": manager.getsockname()}

        def wait_for(words):
            while words not in manager.recv(4096).decode():
                pass

        relay = relay_to(broker.port)
        wait_for("READY=1")
        wait_for(f"STATUS=connected to 127.0.0.1:{broker.port}, the announcer runs")
        broker.kill()
        wait_for(f"STATUS=127.0.0.1:{broker.port} is not reached, the announcer runs")
        assert relay.stop() == 0
        wait_for("STOPPING=1")


def test_an_announcer_that_restarts_is_offline_meanwhile(broker, start, relay_to, heard):
    relay = relay_to(broker.port)
    heard.wait_for(f"{CLOCK}/availability", is_offline)
    relay.wait_for("the announcer does not run")
    broker.publish(COMMAND, {"command": "timer", "seconds": 600, "id": "early"})
    relay.wait_for("refused the command")
    announcer = start()
    heard.wait_for(f"{CLOCK}/availability", is_online)
    assert announcer.stop() == 0
    heard.wait_for(f"{CLOCK}/availability", is_offline)
    start()
    heard.wait_for(f"{CLOCK}/availability", is_online)
    # It was refused before, so the same id is no repetition.
    broker.publish(COMMAND, {"command": "timer", "seconds": 600, "id": "early"})
    heard.wait_for_state(lambda state: len(state["timers"]) == 1)
    assert len(relay.matching("the announcer answers")) == 2


def test_a_clock_that_stands_still_is_offline_once_a_command_finds_it_so(
        broker, start, relay_to, heard):
    service = start()
    relay = relay_to(broker.port)
    heard.wait_for(f"{CLOCK}/availability", is_online)
    relay.wait_for("the announcer answers")
    service.stand_still()
    try:
        broker.publish(COMMAND, {"command": "stop"})
        heard.wait_for(f"{CLOCK}/availability", is_offline)
    finally:
        service.signal(signal.SIGCONT)
    heard.wait_for(f"{CLOCK}/availability", is_online)
