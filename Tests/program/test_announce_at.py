"""AnnounceAt on the bus: a time that is said from an instant on."""

import re
import time

import pytest

from message_bus import Refused
from program import SILENT_ALSA
from service import Service

CLASSIC = "three thirty P M"


@pytest.fixture
def caller(bus, on_the_bus):
    """A caller on the bus of a service that plays in real time."""
    service = Service(
        on_the_bus, on_the_bus.configuration("interval = 60\nvoice_at_hour = none"),
        "--output", on_the_bus.folder / "heard.wav", alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service()
        yield caller
    assert service.stop() == 0


def test_a_time_is_said_from_an_instant_on(caller):
    signals = caller.listen()
    at = int(time.time() * 1_000_000) + 2_500_000
    assert caller.call("AnnounceAt", "ts", at, "15:30") == (CLASSIC,)
    instant, text, onset = caller.next_signal(signals, "Announced")
    assert (instant, text) == (at, CLASSIC)
    assert abs(onset) < 100_000, "in microseconds"


def test_the_time_at_an_instant_is_said(caller):
    text, = caller.call("AnnounceAt", "ts", int(time.time() + 3) * 1_000_000, "")
    assert re.fullmatch(r"\w+( o'clock|( oh)? [\w-]+( [\w-]+)? [AP] M)", text), text


@pytest.mark.parametrize("ahead, text, name, told", [
    (-1, "", "org.freedesktop.DBus.Error.InvalidArgs", "within the next 5 s"),
    (6, "", "org.freedesktop.DBus.Error.InvalidArgs", "within the next 5 s"),
    (10**9, "", "org.freedesktop.DBus.Error.InvalidArgs", "within the next 5 s"),
    (0.2, "", "org.clocksmith.Error.Refused", "its instant is too near: it takes 400 ms to begin"),
    (2, "24:00", "org.freedesktop.DBus.Error.InvalidArgs", "no time of day"),
])
def test_an_instant_that_cannot_be_met_is_refused(caller, ahead, text, name, told):
    with pytest.raises(Refused) as refused:
        caller.call("AnnounceAt", "ts", int((time.time() + ahead) * 1_000_000), text)
    assert refused.value.name == name and told in refused.value.words
