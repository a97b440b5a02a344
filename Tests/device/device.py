"""The emulated device, as a test sees it: power, a shell, the journal, the clock, the speaker.

A test says what happens in a few lines:

    device.set_clock("2027-06-15 15:14:58")
    said = device.wait_for_line('said "three fifteen P M"')
    sound = device.speaker.wait_for_sound(after=said.host)
    assert abs(device.clock_at(sound.start) - utc("2027-06-15 15:15:00")) < 0.25

Nothing sleeps for a guessed time: every wait is for a condition, with a deadline.
"""

import base64
import calendar
import itertools
import json
import os
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from speaker import Speaker

here = Path(__file__).parent
sys.path.insert(0, str(here.parent.parent / "deploy" / "device"))
from emulator import Emulator, archive  # noqa: E402

BOOT_SECONDS = 240  # The longest a start may take: some 40 s on two idle cores.
STARTED = re.compile(r"^Started clocksmith\.service")


@dataclass(frozen=True)
class Line:
    """A line of the device's journal."""
    unit: str
    message: str
    host: float  # The host's monotonic clock as it arrived here, seconds.
    realtime: float  # The device's clock as it was logged, seconds since 1970.


def utc(text):
    """Seconds since 1970 of "YYYY-MM-DD HH:MM:SS" in UTC."""
    return calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S"))


def wait_until(condition, what, seconds):
    """Waits for condition() to be true, and returns what it returned."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.02)
    return value


def stolen():
    """Seconds that other guests of the same hardware took from this host's processors (steal time)."""
    ticks = int(Path("/proc/stat").read_text().split()[8])
    return ticks / os.sysconf("SC_CLK_TCK")


def listens_for_ssh(device):
    """Whether anything accepts connections at port 22."""
    return device.run("grep -cE ':0016 [0-9A-F:]+ 0A' /proc/net/tcp", check=False) != "0"


def agent_files():
    """The files that the tests lay over the card; the card itself has none of them."""
    places = {
        "agent": "usr/local/lib/clocksmith-test/agent",
        "agent.service": "etc/systemd/system/clocksmith-test-agent.service",
        "journal.service": "etc/systemd/system/clocksmith-test-journal.service",
        "90-test.rules": "etc/udev/rules.d/90-clocksmith-test.rules",
        "clocksmith.conf": "etc/clocksmith/conf.d/90-test.conf",
    }
    return {target: ((here / "agent" / name).read_bytes(), 0o755 if name == "agent" else 0o644)
            for name, target in places.items()}


class Device(Emulator):
    """One emulated clock. start() powers it on; changes on the card survive cut_power()."""

    known = []  # All whose files are still there.

    def __init__(self, card, folder=None, **options):
        folder = Path(folder or tempfile.mkdtemp(prefix="clocksmith-"))
        folder.mkdir(exist_ok=True)
        archive(folder / "over.cpio", agent_files())
        channels = ["-device", "virtio-serial-pci"]
        for name in ("agent", "journal"):
            channels += ["-chardev", f"socket,id={name},path={folder}/{name},server=on,wait=off",
                         "-device", f"virtserialport,chardev={name},name=clocksmith.{name}"]
        super().__init__(card, folder, over=folder / "over.cpio", arguments=channels, **options)
        self.speaker = self.usb_speaker = None
        self.journal, self.clocks = [], []
        self.is_removed, self._waited = False, 0.0
        Device.known.append(self)
        self._ids = itertools.count()
        self._changed = threading.Condition()

    def start(self):
        self.journal, self._answers, self.clocks = [], {}, []
        for name in ("agent", "journal"):
            (self.folder / name).unlink(missing_ok=True)
        self.powered_on = time.monotonic()
        super().start()
        self.speaker = Speaker(self.folder / "speaker.wav")
        self.usb_speaker = Speaker(self.folder / "usb.wav")
        self._agent = self._connect("agent")
        threading.Thread(target=self._read_answers, daemon=True).start()
        threading.Thread(
            target=self._read_journal, args=(self._connect("journal"),), daemon=True).start()

    def _read_answers(self):
        with self._agent.makefile("r") as lines:
            for line in lines:
                identity, status, output = (line.rstrip("\n").split(" ", 2) + [""])[:3]
                with self._changed:
                    self._answers[identity] = (int(status), output, time.monotonic())
                    self._changed.notify_all()

    def _read_journal(self, link):
        with link.makefile("r", errors="replace") as lines:
            for text in lines:
                host = time.monotonic()
                try:
                    entry = json.loads(text)
                except ValueError:
                    continue  # The first line after a restart of the sender may be cut.
                message = entry.get("MESSAGE")
                if isinstance(message, list):
                    message = bytes(message).decode(errors="replace")
                unit = entry.get("UNIT") or entry.get("_SYSTEMD_UNIT") or entry.get(
                    "SYSLOG_IDENTIFIER", "")
                line = Line(unit, message or "", host, int(entry["__REALTIME_TIMESTAMP"]) / 1e6)
                with self._changed:
                    self.journal.append(line)
                    self._changed.notify_all()

    def _ask(self, request, seconds):
        """Sends a request to the agent. Returns (status, answer, when sent, when answered)."""
        assert self.running(), self.end()
        identity = f"{time.monotonic_ns()}-{next(self._ids)}"
        sent = time.monotonic()
        self._agent.sendall(f"{identity} {request}\n".encode())
        with self._changed:
            arrived = self._wait_for(lambda: identity in self._answers, seconds)
            assert arrived, f"the device did not answer within {seconds} s: {request[:60]}"
            assert identity in self._answers, self.end()
            return *self._answers.pop(identity)[:2], sent, time.monotonic()

    def run(self, command, seconds=120, check=True):
        """Runs a shell command in the device as root, and returns its output."""
        status, output, _, _ = self._ask(
            base64.b64encode(command.encode()).decode(), seconds)
        text = base64.b64decode(output).decode(errors="replace")
        assert not check or status == 0, f"in the device, '{command}' ended with {status}: {text}"
        return text.rstrip("\n")

    # The journal

    def mark(self):
        """The journal's current end: waits can ask for the lines after it."""
        return len(self.journal)

    def wait_for_line(self, pattern, after=0, unit=None, seconds=60):
        """Waits for the first line after a mark that matches the regular expression."""
        def found():
            return next((line for line in self.journal[after:]
                         if re.search(pattern, line.message) and unit in (None, line.unit)), None)
        with self._changed:
            self._wait_for(found, seconds)
        line = found()
        assert line or self.running(), self.end()
        now = time.monotonic()
        assert line, (f"the journal never said '{pattern}' within {seconds} s; its last lines:\n"
                      + "\n".join(f"  {x.host - now:+.1f} s {x.unit}: {x.message}"
                                  for x in self.journal[-25:]))
        return line

    def lines(self, pattern, after=0):
        return [line for line in self.journal[after:] if re.search(pattern, line.message)]

    def wait_until_ready(self, after=0, seconds=BOOT_SECONDS):
        """Waits for the service's READY=1 to systemd; returns the seconds since power-on."""
        self.wait_for_line(STARTED, after, seconds=seconds)
        return time.monotonic() - self.powered_on

    def failures_at_start(self):
        """The journal's lines about failures of the service before it was first ready."""
        ready = next(n for n, line in enumerate(self.journal) if STARTED.search(line.message))
        return [line for line in self.journal[:ready]
                if re.search(r"^clocksmith\.service: .*(Failed|restart)", line.message)]

    def restart_clock(self):
        """Restarts the service and waits until it is ready."""
        mark = self.mark()
        self.run("systemctl restart clocksmith")
        self.wait_for_line(STARTED, mark)

    # The clock. The emulator's time runs with the host's, so one offset maps one to the other until
    # the device's clock is stepped. Each offset is kept with the moment from which it is valid.

    def measure_clock(self):
        best = None
        for _ in range(8):
            _, answer, sent, arrived = self._ask("clock", 60)
            if best is None or arrived - sent < best[0]:
                best = (arrived - sent, float(answer) - (sent + arrived) / 2)
        self.clocks.append((time.monotonic(), best[1]))
        return best[0] / 2

    def set_clock(self, when):
        """Steps the device's clock to seconds since 1970, or to a text in UTC as for utc()."""
        seconds = utc(when) if isinstance(when, str) else when
        self.run(f"date --set=@{seconds:.3f}")
        self.measure_clock()

    def clock_at(self, host):
        """The device's clock, seconds since 1970, at a moment of the host's monotonic clock."""
        if not self.clocks:
            self.measure_clock()
        good = [offset for since, offset in self.clocks if since <= host]
        return host + (good[-1] if good else self.clocks[0][1])

    def host_at(self, instant):
        """When, on the host's clock, the device's clock shows this instant if nobody steps it."""
        return instant - (self.clock_at(time.monotonic()) - time.monotonic())

    def clock(self):
        return self.clock_at(time.monotonic())

    def wait_for_host(self, moment):
        """Lets time pass, to show that nothing happens in it."""
        time.sleep(max(0.0, moment - time.monotonic()))
        assert self.running(), self.end()

    def _wait_for(self, condition, seconds):
        """Waits, with the lock held, until a condition holds or the emulator has ended; not for ever.

        A deadline is of the device's own time: what the host keeps from the emulator does not count.
        It is four times as long at most, for threads are counted that wait side by side.
        """
        began, starved = time.monotonic(), self.starved()

        def kept_back():
            return min(max(0.0, self.starved() - starved), 3 * seconds)

        while (left := began + seconds + kept_back() - time.monotonic()) > 0:
            if self._changed.wait_for(lambda: condition() or not self.running(), left):
                return True
        return False

    def starved(self):
        """For how long it has stood still: by other programs of the host, and by other guests."""
        return self.waited() + stolen()

    def waited(self):
        """As Emulator.waited(), summed over all emulators since the first start."""
        return self._waited + (super().waited() if self.running() else 0)

    def quit(self):
        self._waited = self.waited()
        super().quit()
        self._stop_listening()

    def cut_power(self):
        self._waited = self.waited()
        super().cut_power()
        self._stop_listening()

    def remove(self):
        """Ends the device. Its files stay until its test is over; a failed test keeps some."""
        self.cut_power()
        self.is_removed = True

    def forget(self):
        Device.known.remove(self)
        super().remove()

    def _stop_listening(self):
        for speaker in filter(None, (self.speaker, self.usb_speaker)):
            speaker.close()
