"""The program on a terminal of its own, and the person in front of it."""

import codecs
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading

from program import PROGRAM
from sound_server import preferred, wait_until


class Terminal:
    """The program on a terminal; without columns, it writes into a pipe."""

    def __init__(self, clocksmith, *words, columns=80, kind="xterm", **options):
        self.ours, theirs = pty.openpty() if columns else os.pipe()
        if columns:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            options |= {"stdin": theirs, "start_new_session": True, "preexec_fn": self.begin}
        self.process = subprocess.Popen(
            preferred(PROGRAM, *map(str, words)), env=clocksmith.environment | {"TERM": kind},
            **{"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": theirs} | options)
        os.close(theirs)
        self.text = ""
        self.seen = 0
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    @staticmethod
    def begin():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        # A shell lets what it starts in the background ignore Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def read(self):
        # A character of several bytes may come in two pieces.
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while data := os.read(self.ours, 4096):
                self.text += decoder.decode(data)
        except OSError:
            # A terminal ends so when its last program has.
            pass

    def wait_for(self, *choices, seconds=60):
        """Waits until one of these appears on the screen, behind the words of the previous wait.

        :return: the one that appeared.
        """
        def seen():
            return [words for words in choices if words in self.text[self.seen:]]
        try:
            [words, *_] = wait_until(seen, seconds, " or ".join(map(repr, choices)))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen: {self.screen()}") from None
        self.seen = self.text.index(words, self.seen) + len(words)
        return words

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def screen(self):
        """All lines on the screen except the meter of a microphone."""
        lines = re.split(r"\r\n|\r|\n", self.text.replace("\x1b[K", ""))
        return [line for line in lines if line.strip() and not re.match(r"  [#.|]{40} ", line)]

    def end(self, number=0):
        """Sends the signal, if any; waits for the program to end, and returns its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(60)
        self.thread.join(60)
        return status

    def leave(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.thread.join(60)
        os.close(self.ours)


def in_a_terminal(clocksmith, *words):
    """Runs it on a terminal: (process, a function that returns all that is drawn)."""
    terminal = Terminal(clocksmith, *words, stderr=subprocess.PIPE, text=True)

    def drawn():
        # What a program draws last may come after its end.
        if terminal.process.poll() is not None:
            terminal.thread.join(60)
        return terminal.text
    return terminal.process, drawn
