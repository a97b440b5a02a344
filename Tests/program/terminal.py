"""The command on a terminal of its own."""

import os
import pty
import subprocess

from program import PROGRAM


def in_a_terminal(clocksmith, *words):
    """Runs the command on its own terminal: (process, a function that returns all it has drawn)."""
    ours, theirs = pty.openpty()
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
