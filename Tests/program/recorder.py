"""Runs a command that records, and says when each piece of what it records arrived.

A process of its own, served before other work as the recording itself is: in the process of the
tests a piece would wait for whatever those do.

Writes to its output, for each piece, the moment as nanoseconds of UTC, its size in bytes, and it.
"""

import os
import struct
import subprocess
import sys
import time

HEAD = struct.Struct("<qI")


def record(command):
    # It ends with whoever listens here, for then nobody takes what it writes.
    with subprocess.Popen(command, stdout=subprocess.PIPE) as recording:
        while piece := os.read(recording.stdout.fileno(), 1 << 16):
            sys.stdout.buffer.write(HEAD.pack(time.time_ns(), len(piece)) + piece)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    record(sys.argv[1:])
