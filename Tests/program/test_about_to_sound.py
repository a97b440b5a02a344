"""While an announcement is prepared it is reported as the next one; once heard, as sounding."""

import re
import time

from program import zone_showing
from slow_voice import lengthen
from sound_server import least_of_four, wait_until

# How many seconds before the hour the service starts: early enough for the whole preparation.
EARLY = 14


def test_it_sounds_from_when_it_is_heard_and_not_from_when_it_is_prepared(bus, on_the_bus, start, pack):
    # The words take six seconds: enough for the questions meanwhile.
    voice = lengthen(pack, 6, "oclock")

    def seconds_until_it_is_told():
        """How long after the hour it is told as sounding."""
        hour = int(time.time()) + EARLY
        on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3600, hour)}
        number = len(list(on_the_bus.folder.glob("*.wav")))
        service = start("", voice=voice, words=["--output", on_the_bus.folder / f"{number}.wav"], notify=True)
        with bus.caller() as caller:
            signals = caller.listen()
            wait_until(lambda: time.time() > hour - 2, 60, "the preparation")
            status = service.latest_status()
            seen = caller.get("Playing"), caller.get("Next")["local"]
            if time.time() >= hour:
                # A busy machine was too late with the questions.
                assert service.stop() == 0
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
        assert service.stop() == 0
        return late

    assert least_of_four(seconds_until_it_is_told, 0.5) < 0.5
