"""A microphone without a sound card, and a person at a terminal in front of it."""

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import termios
import threading

import numpy

from exact_speaker import ExactSpeaker
from program import PROGRAM, SILENT_ALSA
from sound_server import RATE, SoundServer, preferred, wait_until

BLOCK = RATE // 100
# 85 ms. With less, the sound breaks up on a busy machine.
PIPE_BYTES = 1 << 15


class Microphone:
    """A sink with constant room noise, into which a person speaks. Its monitor is the microphone,
    on both channels of a stereo card. The speaker `speaker` is an exact one."""

    def __init__(self, folder, environment, noise=0.0005):
        self.server = SoundServer(folder, environment, "room")
        self.speaker = ExactSpeaker(folder)
        self.alsa = (
            SILENT_ALSA + self.server.device("microphone", "room.monitor")
            + self.speaker.device("speaker"))
        self.noise = noise
        self.waiting = numpy.zeros(0)
        self.written = 0
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            preferred(
                "pacat", "--playback", "--raw", "-d", "room", f"--rate={RATE}", "--format=float32le",
                "--channels=2", "--latency-msec=50"),
            env=self.server.environment, stdin=subprocess.PIPE)
        fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        # Half a second of noise has been taken.
        wait_until(lambda: self.written > 50, 60, "the room to hum")

    def run(self):
        random = numpy.random.default_rng(1)
        try:
            while True:
                with self.lock:
                    speech, self.waiting = self.waiting[:BLOCK], self.waiting[BLOCK:]
                block = random.normal(0, 1, BLOCK) * self.noise
                block[:len(speech)] += speech
                frames = numpy.repeat(block, 2).astype("float32")
                os.write(self.process.stdin.fileno(), frames.tobytes())
                self.written += 1
        except BrokenPipeError:
            pass

    def speak(self, samples):
        with self.lock:
            self.waiting = numpy.concatenate([self.waiting, samples])

    def pull_out(self):
        self.server.kill()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.thread.join(60)
        self.server.kill()


class Person:
    """A person at a terminal, who runs the program and presses its keys."""

    def __init__(self, clocksmith, alsa, *words, **options):
        configuration = clocksmith.folder / "asound.conf"
        configuration.write_text(alsa)
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, words)], stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            preexec_fn=self.begin,
            env=clocksmith.environment | {"ALSA_CONFIG_PATH": str(configuration), "TERM": "xterm"},
            **options)
        os.close(slave)
        self.text = ""
        self.seen = 0
        self.has_left = False
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
            while not self.has_left:
                # A pending read would keep the terminal open when hang_up() closes it.
                if select.select([self.master], [], [], 0.05)[0]:
                    self.text += decoder.decode(os.read(self.master, 4096))
        except OSError:
            # The program has ended.
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

    def say(self, microphone, samples, words):
        """Says this until the screen shows the words. A busy machine breaks up the sound at times:
        then the program asks for it again, or hears nothing."""
        for _ in range(12):
            # The program ignores the first 0.25 s after a key, because a key clicks.
            microphone.speak(numpy.concatenate([numpy.zeros(RATE * 3 // 10), samples]))
            with contextlib.suppress(AssertionError):
                if self.wait_for(words, " again", seconds=10) == words:
                    return
        raise AssertionError(f"never answered {words!r}; the screen: {self.screen()}")

    def press(self, keys):
        os.write(self.master, keys.encode())

    def screen(self):
        """All lines on the screen except the meter."""
        lines = re.split(r"\r\n|\r|\n", self.text.replace("\x1b[K", ""))
        return [line for line in lines if line.strip() and not re.match(r"  [#.|]{40} ", line)]

    def meters(self):
        return re.findall(r"  ([#.|]{40}) ", self.text)

    def end(self):
        """Waits for the program to end, and returns its exit status."""
        status = self.process.wait(60)
        self.thread.join(60)
        return status

    def hang_up(self):
        """Closes the terminal."""
        self.has_left = True
        self.thread.join(60)
        os.close(self.master)
        self.master = None

    def leave(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.thread.join(60)
        if self.master is not None:
            os.close(self.master)
