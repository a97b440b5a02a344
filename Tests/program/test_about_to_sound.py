"""While an announcement is prepared it is reported as the next one; once heard, as sounding."""

import math
import re
import time

import pytest

from message_bus import MessageBus
from program import SILENT_ALSA, zone_showing
from service import Service
from sound_server import wait_until

# What the clocks show when the service starts: early enough for the whole preparation.
START = 3600 - 9


@pytest.fixture
def nearly_one(clocksmith):
    """A service at nearly one o'clock at night, a caller on its own bus, and the hour in UTC."""
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {
        "TZ": zone_showing(clocksmith, START), "DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    hour = math.floor(time.time()) + 9
    service = Service(
        clocksmith, clocksmith.configuration(), "--output", clocksmith.folder / "played.wav",
        alsa=SILENT_ALSA, notify=True)
    with bus.caller() as caller:
        caller.wait_for_service()
        yield service, caller, hour
    assert service.stop() == 0
    bus.stop()


def test_it_sounds_from_when_it_is_heard_and_not_from_when_it_is_prepared(nearly_one):
    service, caller, hour = nearly_one
    signals = caller.listen()
    wait_until(lambda: time.time() > hour - 2, 10, "the preparation")
    assert service.latest_status().startswith("next 01:00:00, ")
    assert caller.get("Playing") == "" and "T01:00:00" in caller.get("NextLocal")
    assert caller.next_change(signals, "Playing") == "one o'clock"
    late = time.time() - hour
    assert 0 <= late < 0.5, late
    assert "T01:15:00" in caller.get("NextLocal")
    assert re.match("sounding 01:00:00, ", service.latest_status())
    assert caller.next_change(signals, "Playing") == ""
    assert service.wait_for('said "one o.clock" for 01:00:00')
