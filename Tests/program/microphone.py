"""A microphone without a sound card."""

import fcntl
import os
import subprocess
import threading

import numpy

from exact_speaker import ExactSpeaker
from program import SILENT_ALSA
from sound_server import RATE, SoundServer, preferred, wait_until

BLOCK = RATE // 100
# 85 ms. With less, the sound breaks up on a busy machine.
PIPE_BYTES = 1 << 15


class Microphone:
    """A sink with constant room noise, into which a person speaks. Its monitor is the microphone,
    on both channels of a stereo card. The speaker `speaker` is an exact one."""

    def __init__(self, folder, environment):
        self.server = SoundServer(folder, environment, "room")
        self.speaker = ExactSpeaker(folder)
        self.alsa = (
            SILENT_ALSA + self.server.device("microphone", "room.monitor")
            + self.speaker.device("speaker"))
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
                block = random.normal(0, 1, BLOCK) * 0.0005
                block[:len(speech)] += speech
                frames = numpy.repeat(block, 2).astype("float32")
                os.write(self.process.stdin.fileno(), frames.tobytes())
                self.written += 1
        except BrokenPipeError:
            pass

    def speak(self, samples):
        with self.lock:
            self.waiting = numpy.concatenate([self.waiting, samples])

    def close(self):
        self.process.kill()
        self.process.wait()
        self.thread.join(60)
        self.server.kill()
