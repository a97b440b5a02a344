"""The command on a terminal of its own."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from program import PROGRAM


def in_a_terminal(clocksmith, *words, columns=80):
    """Runs the command on its own terminal: (process, a function that returns all it has drawn)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [PROGRAM, *words], env=clocksmith.environment | {"TERM": "xterm"}, stdin=theirs,
        stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    os.set_blocking(ours, False)
    drawn = []

    def read():
        try:
            drawn.append(os.read(ours, 65536).decode())
        except OSError:
            pass
        return "".join(drawn)

    return process, read
