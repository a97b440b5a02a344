"""The switch of the emulated device: its line, how it is put off and on, and what is heard of it."""

import re
import time

import numpy

from speaker import RATE

# Lines of the emulated controller that nothing else uses; it has no pull-up, so high is active.
SWITCH, BUTTON, LAMP = 5, 6, 7
CHIP = "9030000.pl061"


def put(device, off):
    """Puts the switch off or on, and waits until the clock knows: when that was on the host."""
    mark, before = device.mark(), time.monotonic()
    device.set_switch(off, SWITCH)
    moment = (before + time.monotonic()) / 2
    device.wait_for_line("^the switch is off" if off else "^the switch is on", mark, seconds=20)
    return moment


def told(line):
    """Milliseconds from the edge to silence, as the clock has it from the converter."""
    return float(re.search(r"silent ([+-][\d.]+) ms after", line.message)[1])


def silence(device, mark):
    """Puts the switch off while something sounds: when, and the journal's line of its end after
    `mark`. Within 30 ms."""
    edge = put(device, off=True)
    line = device.wait_for_line("^cut off", mark)
    assert told(line) < 30, line.message
    return edge, line


def last_heard(device):
    """The frame of the recording, of its last 20 seconds, after which there is only silence."""
    first = max(device.speaker.frames() - RATE * 20, 0)
    return first + int(numpy.flatnonzero(device.speaker.samples(first)[:, 0])[-1])


def assert_no_click(device):
    """The last 30 ms of what was heard fall to nothing without a step."""
    end = last_heard(device) + 1
    tail = device.speaker.samples(end - RATE * 8 // 1000)[:RATE * 8 // 1000 + 10, 0]
    assert numpy.abs(tail[-20:]).max() < 0.01, "it ends in silence"
    # A fade of 8 ms: its last quarter is quieter than its first.
    quarter = len(tail) // 4
    loudness = [numpy.sqrt((tail[part:part + quarter] ** 2).mean()) for part in (0, 3 * quarter)]
    assert loudness[1] < loudness[0] or loudness[0] < 0.003
