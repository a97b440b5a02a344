"""A speaker that is known to the frame to play what when; exact_speaker.c is its ALSA side.

A sound server tells its position in milliseconds. On a busy machine that position shifts by a
millisecond and more, for seconds (measured). So within a millisecond, a recording of it says as much
about the server as about the player. Here the moment of each frame is arithmetic, and a busy machine
changes nothing.
"""

import contextlib
import struct
from pathlib import Path

import numpy

from c_library import shared_library

RATE = 48_000
# Of each piece in the file: nanoseconds of UTC at its first frame, and its size in bytes.
HEAD = struct.Struct("<qI")
# How much faster than it says its converter runs, in parts in a million: like a cheap card's.
FAST = 100
SOURCE = Path(__file__).with_suffix(".c")


class ExactSpeaker:
    def __init__(self, folder, behind=0):
        """behind: how long after a frame was fetched it is heard, in milliseconds."""
        self.folder, self.behind = folder, behind
        self.played = folder / "played"
        self.library = shared_library(
            folder / "exact.so", SOURCE.read_text(encoding="ascii"), "-lasound")

    def device(self, name):
        """The lines of an ALSA configuration that make it the device of that name."""
        return (f'pcm_type.exact {{ lib "{self.library}" }}\n'
                f'pcm.{name} {{ type exact file "{self.played}" parts_per_million {FAST} '
                f'behind {self.behind} }}\n')

    def recording(self):
        """Everything that it has played up to now."""
        return Recording(self.played.read_bytes())

    def is_heard(self):
        """True once it has played something other than silence."""
        # Nothing is there yet, or the last piece is only half written.
        with contextlib.suppress(FileNotFoundError, struct.error, ValueError):
            return bool(self.recording().samples.any())
        return False


class Recording:
    """The sound that was played, on one channel, with silence between the streams."""

    def __init__(self, data):
        pieces, self.starts, frames, place = [], [], 0, 0
        true_rate = RATE * (1 + FAST / 1e6)
        while place < len(data):
            instant, size = HEAD.unpack_from(data, place)
            place += HEAD.size
            piece = numpy.frombuffer(data, numpy.float32, size // 4, place)[::2]
            place += size
            # A piece that does not continue the one before it begins a new stream.
            if not self.starts or abs(instant / 1e9 - self.instant(frames)) > 1 / RATE:
                if self.starts:
                    pause = round((instant / 1e9 - self.instant(frames)) * true_rate)
                    pieces.append(numpy.zeros(pause, numpy.float32))
                    frames += pause
                self.starts.append((frames, instant / 1e9))
            pieces.append(piece)
            frames += len(piece)
        self.samples = numpy.concatenate(pieces)

    def instant(self, frame):
        """When it played a frame, in seconds of UTC. The frame may have a fraction."""
        first, instant = [start for start in self.starts if start[0] <= max(frame, 0)][-1]
        return instant + (frame - first) / (RATE * (1 + FAST / 1e6))

    def frame(self, instant):
        """The frame that it played at an instant. Before its beginning, the number is negative."""
        first, start = ([each for each in self.starts if each[1] <= instant] or self.starts)[-1]
        return round(first + (instant - start) * RATE * (1 + FAST / 1e6))
