"""Runs a command that records, and notes when each piece of the recording arrived.

It is a separate process, with the same raised priority as the recording itself. In the process of
the tests, a piece would wait for the tests' own work.

Its output, for each piece: the time in nanoseconds of UTC, the size in bytes, and the piece.
"""

import os
import struct
import subprocess
import sys
import time

HEAD = struct.Struct("<qI")


def record(command):
    # The command ends with this process: then nobody reads its output.
    with subprocess.Popen(command, stdout=subprocess.PIPE) as recording:
        while piece := os.read(recording.stdout.fileno(), 1 << 16):
            sys.stdout.buffer.write(HEAD.pack(time.time_ns(), len(piece)) + piece)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    record(sys.argv[1:])
