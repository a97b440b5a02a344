"""The command on a terminal of its own."""

import codecs
import errno
import fcntl
import os
import pty
import struct
import subprocess
import termios

from program import PROGRAM
from sound_server import wait_until


class Screen:
    """All that is written to a terminal or into a pipe, read from our end of it."""

    def __init__(self, ours):
        os.set_blocking(ours, False)
        self.ours = ours
        self.text = ""
        self.has_ended = False
        # A character of several bytes may come in two pieces.
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def read(self):
        """What has come up to now."""
        try:
            while not self.has_ended and (data := os.read(self.ours, 65536)):
                self.text += self.decoder.decode(data)
            self.has_ended = True
        except BlockingIOError:
            pass
        except OSError as error:
            # A terminal ends so when its last program has.
            if error.errno != errno.EIO:
                raise
            self.has_ended = True
        return self.text

    def is_over(self):
        self.read()
        return self.has_ended

    def read_to_the_end(self):
        """All of it. What a program draws last may come after its end."""
        wait_until(self.is_over, 60, "the end of what is drawn")
        return self.text


def in_a_terminal(clocksmith, *words, columns=80, kind="xterm"):
    """Runs the command on its own terminal: (process, a function that returns all it has drawn)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [PROGRAM, *words], env=clocksmith.environment | {"TERM": kind}, stdin=theirs,
        stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    screen = Screen(ours)

    def drawn():
        has_ended = process.poll() is not None
        return screen.read_to_the_end() if has_ended else screen.read()

    return process, drawn
