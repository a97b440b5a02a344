"""The recorded speaker of the emulated device, with the moment of every sound.

QEMU's wav driver writes the frames that the converter takes, at the converter's rate, and nothing
while the converter stands still. So the recording has no silence between two announcements, and a
position in it says nothing about time. This module therefore watches the file grow from power-on.
The driver writes through a buffer of 4096 bytes (21 ms), as soon as that is full. When the file is
seen to grow, its last frame has just been played. Each earlier frame was played earlier by its
distance from the end.
"""

import bisect
import threading
import time
from dataclasses import dataclass

import numpy

RATE = 48000
HEADER = 44
FRAME = 4  # Two channels of 16 bits.
BLOCK = RATE // 100
SILENCE = -50.0  # dB of full scale; the noise of the emulated converter is digital zero.
POLL_SECONDS = 0.005
STALL_SECONDS = 4.0  # A busy host may stop the machine for this long.


@dataclass(frozen=True)
class Sound:
    start: float  # The host's monotonic clock, seconds.
    frame: int  # Its first frame in the recording.
    seconds: float
    level: float  # dB of full scale, RMS over the whole of it.
    peak: float  # dB of full scale.
    levels: tuple  # dB of each 10 ms.

    @property
    def end(self):
        return self.start + self.seconds


def decibels(value):
    return 20 * numpy.log10(numpy.maximum(value, 1e-6))


def envelope(samples, rate):
    """The level of each 10 ms, dB: the louder of the channels."""
    block = rate // 100
    count = len(samples) // block
    mono = numpy.abs(samples[:count * block]).max(axis=1).reshape(count, block)
    return decibels(numpy.sqrt((mono ** 2).mean(axis=1)))


class Speaker:
    def __init__(self, path):
        self.path = path
        self._moments, self._frames = [], []
        self._open = True
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        last = 0
        while self._open:
            try:
                frames = max(0, self.path.stat().st_size - HEADER) // FRAME
            except FileNotFoundError:
                frames = 0
            if frames < last:
                # The driver starts the file afresh when its card is plugged in again.
                last = 0
                self._moments, self._frames = [], []
            if frames > last:
                last = frames
                self._moments.append(time.monotonic())
                self._frames.append(frames)
            time.sleep(POLL_SECONDS)

    def close(self):
        self._open = False

    def moment_of(self, frame):
        """When a frame was played, by the host's monotonic clock."""
        index = min(bisect.bisect_left(self._frames, frame + 1), len(self._frames) - 1)
        return self._moments[index] - (self._frames[index] - frame) / RATE

    def frames(self):
        """How many frames have been recorded."""
        return self._frames[-1] if self._frames else 0

    def samples(self, first=0):
        """The recording from a frame on: an array of frames by two channels, within +-1."""
        with open(self.path, "rb") as file:
            file.seek(HEADER + first * FRAME)
            data = file.read()
        data = data[:len(data) // FRAME * FRAME]
        return numpy.frombuffer(data, "<i2").reshape(-1, 2) / 32768

    def sounds(self, after=0.0, gap=0.5):
        """The sounds since a moment of the host's clock; a pause up to `gap` seconds does not end one."""
        count = bisect.bisect_left(self._moments, after)
        first = self._frames[count - 1] if count else 0
        samples = self.samples(first)
        blocks = len(samples) // BLOCK
        if not blocks:
            return []
        mono = numpy.abs(samples[:blocks * BLOCK]).max(axis=1).reshape(blocks, BLOCK)
        levels = envelope(samples, RATE)
        loud = numpy.flatnonzero(levels > SILENCE)
        if not len(loud):
            return []
        # Recorded silence ends a sound. So does a gap in time, as nothing is recorded between two
        # announcements. A shorter gap does not: a host under load stops the machine in mid-word.
        moments = [self.moment_of(first + int(block) * BLOCK) for block in loud]
        found, start = [], 0
        for index in range(1, len(loud) + 1):
            if (index == len(loud) or (loud[index] - loud[index - 1]) * BLOCK > gap * RATE
                    or moments[index] - moments[index - 1] > STALL_SECONDS):
                a, b = loud[start], loud[index - 1] + 1
                found.append(Sound(
                    moments[start], first + int(a) * BLOCK, float((b - a) * BLOCK / RATE),
                    float(decibels(numpy.sqrt((mono[a:b] ** 2).mean()))),
                    float(decibels(mono[a:b].max())), tuple(map(float, levels[a:b]))))
                start = index
        return found

    def wait_for_sound(self, after=0.0, seconds=30, quiet=1.0):
        """The first sound since a moment, once it has been over for `quiet` seconds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            heard = self.sounds(after)
            if heard and time.monotonic() > heard[0].end + quiet:
                return heard[0]
            time.sleep(0.05)
        raise AssertionError(f"nothing was heard within {seconds} s")
