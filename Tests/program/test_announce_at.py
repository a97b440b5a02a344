"""AnnounceAt on the bus: a time that is said from an instant on."""

import time

import pytest

from message_bus import Refused, rfc3339

CLASSIC = "three thirty P M"


@pytest.fixture
def caller(bus, on_the_bus, start):
    """A caller on the bus of a service that plays in real time."""
    start(words=("--output", on_the_bus.folder / "heard.wav"))
    with bus.caller() as caller:
        yield caller


def asked_for(caller, text):
    """Asks for that time in nearly 5 s, the most that is allowed: (the instant, the words). A busy
    machine may be too late with the question."""
    for _ in range(4):
        at = int((time.time() + 4.9) * 1_000_000)
        try:
            keys = {"time": text} if text else {}
            return at, caller.ask("Announce", at=rfc3339(at / 1e6), **keys)["text"]
        except Refused as refused:
            assert "within the next 5 s" in refused.words or "too near" in refused.words
    raise AssertionError("it was refused each time")


def test_a_time_is_said_from_an_instant_on(caller):
    signals = caller.listen()
    at, words = asked_for(caller, "15:30")
    assert words == CLASSIC
    last = caller.next_change(signals, "Last")
    assert (last["at"], last["text"]) == (rfc3339(at / 1e6), CLASSIC)
    assert abs(last["onset_error_ms"]) < 100


@pytest.mark.parametrize("ahead, text, name, told", [
    (-1, "", "org.clocksmith.Error.Past", "within the next 5 s"),
    (6, "", "org.freedesktop.DBus.Error.InvalidArgs", "within the next 5 s"),
    (10**9, "", "org.freedesktop.DBus.Error.InvalidArgs", "within the next 5 s"),
    (0.2, "", "org.clocksmith.Error.TooNear", "its instant is too near: it takes 400 ms to begin"),
    (2, "24:00", "org.freedesktop.DBus.Error.InvalidArgs", "write HH:MM"),
])
def test_an_instant_that_cannot_be_met_is_refused(caller, ahead, text, name, told):
    for _ in range(4):
        begun = time.time()
        try:
            keys = {"time": text} if text else {}
            answer = caller.ask("Announce", at=rfc3339(begun + ahead), **keys)
        except Refused as refused:
            answer = refused
            if refused.name == name and told in refused.words:
                return
        # Only a busy machine may be too late with the question.
        assert time.time() - begun > 0.15, answer
    pytest.fail("the question was too late each time")
