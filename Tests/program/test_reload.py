"""The hour chime survives a stop before it begins and a reload while its melody sounds."""

import re
import signal
import time

import pytest
import soundfile

from program import zone_showing
from sound_server import Wakefulness, find, wait_until

HOUR = 3600
# The service starts this many seconds before the hour. The melody begins 6 s before it, and is
# prepared 5 s before that.
EARLY = 18
TUNE = """[tune]
description = short
[hour]
lead = 6s
notes = G#4 1 F#4 1 E4 1 B3
strike = E3
count = hour
gaps = 4
rest = 3s
"""
# Seconds. The file that stands in for a speaker holds 200 ms and is filled 20 ms at a time. A machine
# that wakes later than this breaks up the sound by itself.
LATEST = 0.1


@pytest.mark.alone
@pytest.mark.rule("setting-and-sound")
def test_a_chime_outlasts_an_early_stop_and_a_reload_of_something_else(on_the_bus, start):
    folder, hour = on_the_bus.folder, int(time.time()) + EARLY
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, HOUR, hour)}
    (folder / "short.tune").write_text(TUNE)
    wakefulness = Wakefulness()
    service = start(f"chime = {folder}/short.tune", words=["--output", folder / "played.wav"])
    configuration = folder / "0.conf"
    try:
        wait_until(lambda: time.time() > hour - 8, 60, "the preparation")
        assert on_the_bus.run("stop").returncode == 0
        wait_until(lambda: time.time() > hour - 4, 60, "the melody")
        configuration.write_text(configuration.read_text() + "quiet = 12:00-13:00\n")
        service.signal(signal.SIGHUP)
        service.wait_for("read again")
        line = service.wait_for("01:00:00", 60)
        assert re.match(r'chimed and said "one o\'clock" for 01:00:00, onset ', line), line
    finally:
        late = wakefulness.stop()
        assert service.stop() == 0
    if "ran dry" in line and late > LATEST:
        pytest.skip(f"this machine was too busy to play in time: woke {late * 1000:.0f} ms late")
    assert "ran dry" not in line
    expected = folder / "expected.wav"
    done = on_the_bus.run(
        "render", "--at", "2026-11-21T01:00", "--output", expected, "--config", configuration)
    assert done.returncode == 0
    heard, reference = (
        soundfile.read(path, dtype="float32")[0] for path in (folder / "played.wav", expected))
    assert find(reference, heard)[1] > 0.999
