"""What a sender of commands is told if a command is not carried out: 400 if it can never work, 409 if
it conflicts with the present, and never in the words of the command line."""

import pytest

from http_door import refused
from sound_server import wait_until

# These are refused by the clock: what is allowed is its knowledge.
WRONG_FOR_THE_CLOCK = [
    ({"command": "interval", "work": 20, "rest": 0.5}, "rest", "value"),
    ({"command": "timer", "seconds": 60, "name": "12"},
     "the name cannot be used: it would be taken", "name"),
    ({"command": "alarm", "time": "07:00", "name": " a"}, "the name cannot be used: it begins", "name"),
    ({"command": "alarm", "time": "07:00", "tune": "nope"}, "tune 'nope': not found", "value"),
]

# What there is first, and then the conflict with it: its sentence and its key.
CONFLICTS = [
    ([], {"command": "timer_pause", "timer": "no"},
     "there is no timer 'no'; 'timers' in the state shows those that there are", "unknown_timer"),
    ([{"command": "timer", "seconds": 60, "name": "a"}],
     {"command": "timer", "seconds": 60, "name": "a"}, "remove it, or choose another name",
     "name_is_taken"),
    ([{"command": "interval", "seconds": 3600}], {"command": "interval", "seconds": 30},
     "send 'interval_stop' first, or this one with \"replace\": true", "interval_runs"),
    ([], {"command": "alarm_snooze"}, "no alarm rings now; 'alarms' in the state shows when",
     "none_rings"),
]


def is_for_senders(words):
    return not any(each in words for each in ("clocksmith", "--", "option", "path of"))


@pytest.fixture
def served(start, door):
    """A relay that serves a real clock."""
    start()
    return door().wait_for_announcer()


def test_a_value_that_no_clock_takes_can_never_work(served):
    for command, told, key in WRONG_FOR_THE_CLOCK:
        words = refused(served.order(command), 400, key)
        assert told in words and is_for_senders(words), words
    past = {"command": "alarm", "time": "07:00", "days": "2020-01-01"}
    assert "choose a later day" in refused(served.order(past), 400, "over")


def test_a_conflict_is_told_with_the_commands_that_end_it(served):
    for before, command, told, key in CONFLICTS:
        for each in before:
            assert served.order(each).status == 200, each
        words = refused(served.order(command), 409, key)
        assert told in words and is_for_senders(words), words


def test_the_answer_has_what_the_clock_answers(served):
    tea = served.order({"command": "timer", "seconds": 60, "name": "tea"}).body
    assert tea == {"status": "done", "number": 1}
    said = served.order({"command": "timer_tell", "timer": tea["number"]}).body
    assert said["status"] == "done" and "left" in said["text"]


def test_a_timer_that_rings_is_stopped_by_a_command(served):
    assert served.order({"command": "timer", "seconds": 1, "name": "tea"}).status == 200
    wait_until(
        lambda: [each["state"] for each in served.state().body["timers"]] == ["ringing"], 60, "the ring")
    words = refused(served.order({"command": "timer_pause", "timer": "tea"}), 409, "is_ringing")
    assert "the command 'stop' stops it" in words and is_for_senders(words)


@pytest.mark.parametrize("command", [
    {"command": "interval", "seconds": 3600}, {"command": "rounds", "work": 20, "rest": 10}],
    ids=["interval", "rounds"])
def test_an_interval_that_is_asked_for_again_goes_on(served, command):
    answers = [served.order(command).body for _ in range(2)]
    assert answers == [{"status": "done", "new": True}, {"status": "unchanged"}]
    assert served.order(command | {"replace": True}).body == {"status": "done", "new": True}
