"""The hour: the melody, the number of blows in the recording, and the first blow on the hour."""

import numpy
import pytest

from device import utc
from speaker import RATE

FILE = "/etc/clocksmith/conf.d/98-chime.conf"
HOUR, BLOWS = "2027-10-01 03:00:00", 3
# Seconds from one blow to the next (sounds/tunes/westminster.tune).
GAPS = (4.39, 4.25)


@pytest.fixture(scope="module")
def chiming(device, alone):
    """The device with Westminster at the hour, as shipped."""
    device.run(f"printf '[announce]\\nchime = westminster\\n[speaker]\\ndevice = plughw:CARD=Intel\\n' >{FILE}")
    device.restart_clock()
    yield device
    device.run(f"rm {FILE}")
    device.restart_clock()


@pytest.mark.rule("first-blow", "hour-order")
def test_the_first_blow_is_the_hour_and_there_are_as_many_as_the_hour(chiming, figures):
    mark = chiming.mark()
    chiming.set_clock("2027-10-01 02:59:31")
    began = chiming.host_at(utc(HOUR))
    line = chiming.wait_for_line('^chimed and said "three o\'clock" for 03:00:00', mark, seconds=90)
    first = chiming.speaker.sounds(after=began - 25)[0]
    assert abs(first.start - (began - 23.0)) < 0.5, "the melody begins 23 s before the hour"
    heard = blows(chiming, first, began)
    assert len(heard) == BLOWS, heard
    late = heard[0]
    spacing = numpy.diff(heard)
    figures["three o'clock"] = (
        f"first blow {late * 1000:+.0f} ms in the recording, then {spacing.round(3)} s apart; "
        f"{line.message}")
    assert abs(late) < 0.5
    # The recording places a blow to some 20 ms.
    assert numpy.abs(spacing - GAPS).max() < 0.05


def blows(device, first, began):
    """The blows of the hour bell, in seconds from the hour, by the rise of its strongest partial
    (679 Hz). The words after the last blow are left out."""
    speaker = device.speaker
    samples = speaker.samples()[:, 0]
    # From the first note on, the recording has no break.
    start = next(frame for frame in range(0, len(samples), RATE // 100)
                 if speaker.moment_of(frame) > first.start - 0.5)
    origin = speaker.moment_of(start)
    size = RATE // 10
    step = size // 10
    window = numpy.hanning(size)
    band = slice(640 * 2 * size // RATE, 720 * 2 * size // RATE)
    levels = numpy.array([
        numpy.abs(numpy.fft.rfft(samples[frame:frame + size] * window, 2 * size))[band].max()
        for frame in range(start, len(samples) - size, step)])
    levels = 20 * numpy.log10(levels + 1e-9)
    rise = levels[10:] - levels[:-10]
    found = []
    for index in numpy.argsort(rise)[::-1]:
        at = origin + (index + 10) * step / RATE + size / 2 / RATE - began
        if -3 < at < 12 and rise[index] > 12 and all(abs(at - other) > 2 for other in found):
            found.append(float(at))
    return sorted(found)
