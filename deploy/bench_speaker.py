"""A null sink and its recording, for the benchmarks of deploy/bench that play in real time."""

import os
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/program"))
from sound_server import RATE, Recording, SoundServer, find  # noqa: E402

__all__ = ["RATE", "SoundServer", "Speaker", "find", "line", "take_precedence", "title"]


class Speaker:
    """A null sink and its recording."""

    def __init__(self, server, name, turn):
        self.name = name
        self.turn = turn
        self.recording = Recording(server, name)

    def close(self):
        """Ends the recording and turns it into arrays."""
        self.recording.stop()
        self.samples = self.recording.samples()
        self.frames, self.arrivals = numpy.array(self.recording.arrivals).T
        # It holds the same data once more.
        del self.recording

    def instant(self, frame):
        """As Recording.instant, but for a long recording: seconds since 1970."""
        near = slice(*numpy.searchsorted(self.frames, [frame - RATE, frame + RATE]))
        offsets = self.arrivals[near] - self.frames[near] / RATE
        return float(numpy.percentile(offsets, 5)) + frame / RATE

    def heard(self, sound, second):
        """When a sound that was due at a second began, in seconds since 1970, and its first frame. None
        if it is not complete."""
        first = int(self.frames[numpy.searchsorted(self.arrivals, second - 0.5)])
        frame, likeness = find(sound, self.samples[first:first + len(sound) + 4 * RATE])
        return (self.instant(first + frame), first + frame) if likeness > 0.95 else None


def take_precedence(process=0, wanted=True):
    """Gives a process (0: this one), and the ones it starts from now on, precedence over other work,
    or takes it back. On an otherwise idle machine it makes no difference."""
    policy, priority = (os.SCHED_RR, 1) if wanted else (os.SCHED_OTHER, 0)
    try:
        os.sched_setscheduler(process, policy, os.sched_param(priority))
    except PermissionError:
        print("bench: not root, so other work on this machine shows in the figures",
              file=sys.stderr)


def title(words):
    """Prints the head of a table of lines."""
    print(f"{words:<51}{'runs':>5}{'median':>9}{'99th':>9}{'worst':>9}{'signed':>9}")


def line(name, seconds):
    """Prints a line of the table, in ms: figures of the absolute errors, and the signed median."""
    size = numpy.abs(seconds) * 1000
    print(f"{name:<51}{len(seconds):>5}{numpy.median(size):>9.2f}{numpy.percentile(size, 99):>9.2f}"
          f"{size.max():>9.2f}{numpy.median(seconds) * 1000:>+9.2f}", flush=True)
