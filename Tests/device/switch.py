"""The switch of the emulated device: its line, putting it off and on, and the effect on the sound."""

import re
import time

import numpy

from hearing import assert_heard, gain, place, rendered
from speaker import RATE

# Lines of the emulated controller that nothing else uses; it has no pull-up, so high is active.
SWITCH, BUTTON, LAMP = 5, 6, 7
CHIP = "9030000.pl061"

FADE = RATE * 8 // 1000  # Frames, of a quarter of a sine.
ROUNDED = 40  # So many of its last frames may be rounded to silence.


def put(device, off):
    """Puts the switch off or on and waits until the clock knows. Returns the host's time of the edge."""
    mark, before = device.mark(), time.monotonic()
    device.set_switch(off, SWITCH)
    moment = (before + time.monotonic()) / 2
    device.wait_for_line("^the switch is off" if off else "^the switch is on", mark, seconds=20)
    return moment


def told(line):
    """Milliseconds from the edge to silence, as the clock measured them by the converter."""
    return float(re.search(r"silent ([+-][\d.]+) ms after", line.message)[1])


def silence(device, mark):
    """Puts the switch off while something sounds; silence must come within 30 ms. Returns the host's
    time of the edge, and the journal's line of the cut after `mark`."""
    edge = put(device, off=True)
    line = device.wait_for_line("^cut off", mark)
    assert told(line) < 30, line.message
    return edge, line


def last_heard(device):
    """The last frame of the recording that is not silent; it must lie in the last 20 seconds."""
    first = max(device.speaker.frames() - RATE * 20, 0)
    return first + int(numpy.flatnonzero(device.speaker.samples(first)[:, 0])[-1])


def assert_faded(device, when):
    """The last sound is what is rendered for `when` (UTC), up to a fade of 8 ms to nothing: no frame
    is louder, torn or out of its place, and none follows."""
    frames = rendered(device, when, after_anchor=-0.2, seconds=2.0)
    heard = device.speaker.samples(last_heard(device) + 1 - RATE // 4)[:, 0]
    # The last frames of the fade may be rounded to silence, so its place is where it fits best.
    length, sure = RATE // 4 + ROUNDED, RATE // 4 - FADE - ROUNDED
    heard = numpy.pad(heard, (0, max(length - len(heard), 0)))
    assert not heard[length:].any()
    begins = place(heard[:sure], frames)
    frames = frames[begins:begins + length]
    frames *= gain(heard[:sure], frames[:sure])
    assert_heard(heard[:sure], frames[:sure], "before the fade")

    fade = numpy.sin(numpy.arange(FADE, 0, -1) / FADE * numpy.pi / 2)
    expected = [frames * numpy.concatenate(
        (numpy.ones(start), fade, numpy.zeros(length - start - FADE)))
        for start in range(sure, length - FADE + 1)]
    best = min(expected, key=lambda faded: numpy.abs(heard[:length] - faded).max())
    assert_heard(heard[:length], best, "the fade")
