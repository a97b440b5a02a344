"""A speaker without a sound card: a private pulseaudio, and a recording of its output."""

import os
import shutil
import subprocess
import threading
import time

import numpy
import pytest

RATE = 48_000


def wait_until(condition, seconds, what):
    """Waits until a condition is true, and returns its value; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.005)
    return result


def least_of_four(measure, limit):
    """Measures until the result is below the limit, at most four times: a busy machine may hold up
    one attempt.

    :return: the least result.
    """
    least = measure()
    for _ in range(3):
        if least >= limit:
            least = min(least, measure())
    return least


def preferred(*command):
    """The command with the priority of clocksmith.service, where that is allowed: so what plays
    gets its turn, though other tests compute."""
    return ["nice", "-n", "-15", *command] if os.geteuid() == 0 else list(command)


class SoundServer:
    """A pulseaudio in its own folder, with these sinks.

    It starts on a socket that only this file knows. `show` links that socket for the program.
    """

    def __init__(self, folder, environment, *sinks, options="norewinds=1"):
        if not shutil.which("pulseaudio") or not shutil.which("parec"):
            pytest.skip("no pulseaudio here (apt install pulseaudio pulseaudio-utils)")
        folder.mkdir()
        self.socket = folder / "native"
        self.hidden = folder / "hidden"
        self.sinks = sinks
        self.options = options
        self.environment = environment | {
            "HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder), "PULSE_STATE_PATH": str(folder),
            "PULSE_SERVER": f"unix:{self.hidden}", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
        }
        self.process = None
        self.start()
        self.show()

    def start(self):
        modules = [f"module-native-protocol-unix socket={self.hidden} auth-anonymous=1"]
        modules += [
            f"module-null-sink sink_name={sink} rate={RATE} {self.options}" for sink in self.sinks]
        self.process = subprocess.Popen(
            preferred(
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                "--realtime=yes", "--high-priority=yes", "--log-level=error",
                *[word for module in modules for word in ("-L", module)]),
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_until(self.answers, 60, "pulseaudio")

    def answers(self):
        assert self.process.poll() is None, "pulseaudio has ended"
        listing = subprocess.run(
            ["pactl", "list", "short", "sinks"], env=self.environment, capture_output=True,
            text=True, check=False)
        return all(sink in listing.stdout for sink in self.sinks)

    def show(self):
        self.socket.symlink_to(self.hidden)

    def kill(self):
        """Kills it, as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.socket.unlink(missing_ok=True)
        self.hidden.unlink(missing_ok=True)

    def device(self, name, sink):
        """The lines of an ALSA configuration that make this sink the device of that name."""
        return f'pcm.{name} {{ type pulse server "unix:{self.socket}" device {sink} }}\n'


class Recording:
    """A sink's output, recorded in the background.

    A sink is as quick as its quickest listener. A recording with a latency of seconds leaves a slow
    sink slow.
    """

    def __init__(self, server, sink, latency="10"):
        self.process = subprocess.Popen(
            preferred(
                "parec", "--raw", "-d", f"{sink}.monitor", f"--rate={RATE}", "--format=float32le",
                "--channels=1", f"--latency-msec={latency}"),
            env=server.environment, stdout=subprocess.PIPE, pipesize=1 << 20)
        self.pieces = []
        # (frames before this piece, seconds of UTC at its arrival)
        self.arrivals = []
        # (frames before this piece, frames in it that sound)
        self.sounding = []
        self.frames = 0
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        wait_until(lambda: self.frames > RATE // 5, 60, "the recorder")

    def read(self):
        rest = b""
        while data := os.read(self.process.stdout.fileno(), 1 << 16):
            self.arrivals.append((self.frames, time.time()))
            data = rest + data
            whole = len(data) // 4 * 4
            rest = data[whole:]
            piece = numpy.frombuffer(data[:whole], numpy.float32)
            self.pieces.append(piece)
            self.sounding.append((self.frames, int(numpy.count_nonzero(piece))))
            self.frames += len(piece)

    def samples(self, start=0):
        return numpy.concatenate(self.pieces)[start:]

    def samples_so_far(self):
        """All samples, with half a second more: what was played just now is still to arrive."""
        end = self.frames + RATE // 2
        wait_until(lambda: self.frames > end, 60, "the recording")
        return self.samples()

    def is_sounding(self, start=0, seconds=0.1):
        """True if more than this much sound has been heard since that frame."""
        return sum(count for first, count in self.sounding if first >= start) > seconds * RATE

    def instant(self, frame):
        """When the speaker played a frame, in seconds of UTC, to some milliseconds: a null sink gives
        out a block of 5 or 10 ms when the first frame of it is due."""
        return frame / RATE + float(numpy.median(
            [arrival - first / RATE for first, arrival in self.arrivals if abs(first - frame) < 1.5 * RATE]))

    def stop(self):
        self.process.terminate()
        self.thread.join(60)
        self.process.wait()


class Wakefulness:
    """How late this machine wakes a thread of raised priority, at worst.

    If that is most of a sound server's buffer, broken sound says nothing about the player.
    """

    INTERVAL = 0.005

    def __init__(self):
        self.worst = 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        if os.geteuid() == 0:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)
        due = time.monotonic() + self.INTERVAL
        while not self.over.wait(max(due - time.monotonic(), 0)):
            self.worst = max(self.worst, time.monotonic() - due)
            due = time.monotonic() + self.INTERVAL

    def stop(self):
        """Returns the worst delay in seconds."""
        self.over.set()
        self.thread.join()
        return self.worst


def find(reference, samples):
    """Where in the samples the reference begins, to a fraction of a frame, and how alike they are.

    :return: (frame, correlation), the latter 1 for the same sound at any level.
    """
    size = 1 << (len(samples) + len(reference)).bit_length()
    product = numpy.fft.rfft(samples, size) * numpy.conj(numpy.fft.rfft(reference, size))
    correlation = numpy.fft.irfft(product, size)[:max(len(samples) - len(reference), 1)]
    peak = int(correlation.argmax())
    part = samples[peak:peak + len(reference)]
    likeness = correlation[peak] / (numpy.linalg.norm(reference) * numpy.linalg.norm(part) + 1e-12)
    if not 0 < peak < len(correlation) - 1:
        return float(peak), float(likeness)
    before, top, after = correlation[peak - 1:peak + 2]
    return peak + (before - after) / (2 * (before - 2 * top + after)), float(likeness)
