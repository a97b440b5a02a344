"""While an announcement is prepared it is reported as the next one; once heard, as sounding."""

import contextlib
import re
import time

from message_bus import MessageBus
from program import SILENT_ALSA, zone_showing
from service import Service
from slow_voice import lengthen
from sound_server import least_of_four, wait_until

# How many seconds before the hour the service starts: early enough for the whole preparation.
EARLY = 20


@contextlib.contextmanager
def nearly_one(clocksmith, voice):
    """A service at nearly one o'clock at night, a caller on its own bus, and the hour in UTC."""
    bus = MessageBus(clocksmith.folder)
    hour = int(time.time()) + EARLY
    clocksmith.environment = clocksmith.environment | {
        "TZ": zone_showing(clocksmith, 3600, hour), "DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(
        clocksmith, clocksmith.configuration(voice=voice), "--output",
        clocksmith.folder / "played.wav", alsa=SILENT_ALSA, notify=True)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
            yield service, caller, hour
    finally:
        assert service.stop() == 0
        bus.stop()


def seconds_until_it_is_told(clocksmith, voice):
    """How long after the hour it is told as sounding."""
    with nearly_one(clocksmith, voice) as (service, caller, hour):
        signals = caller.listen()
        wait_until(lambda: time.time() > hour - 2, 60, "the preparation")
        status = service.latest_status()
        seen = caller.get("Playing"), caller.get("Next")["local"]
        if time.time() >= hour:
            # A busy machine was too late with the questions.
            return float("inf")
        assert status.startswith("next 01:00:00, ")
        assert seen[0] == "" and "T01:00:00" in seen[1]
        assert caller.next_change(signals, "Playing") == "one o'clock"
        late = time.time() - hour
        assert late >= 0
        assert "T01:15:00" in caller.get("Next")["local"]
        wait_until(
            lambda: re.match("sounding 01:00:00, ", service.latest_status()), 5, "the status")
        assert caller.next_change(signals, "Playing") == ""
        assert service.wait_for('said "one o.clock" for 01:00:00')
        return late


def test_it_sounds_from_when_it_is_heard_and_not_from_when_it_is_prepared(clocksmith, pack):
    # The words take ten seconds: enough for the questions meanwhile.
    voice = lengthen(pack, 10, "oclock")
    assert least_of_four(lambda: seconds_until_it_is_told(clocksmith, voice), 0.5) < 0.5
