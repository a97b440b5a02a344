"""Measures what the announcer and the relay use while idle, on a bus and a broker of its own. Each runs
with the watchdog of its unit, and the relay is connected to the broker and to the announcer. Beside them run
two programs that a user would write to hear the hour: a shell loop and a Python daemon."""

import datetime
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench_ports import free_port
from bench_rows import compared

ROOT = Path(__file__).resolve().parents[1]
ANNOUNCER, RELAY = sys.argv[1:3]
MINUTES = float(sys.argv[3]) if len(sys.argv) > 3 else 5
# Seconds until all is connected and told.
SETTLED = min(20, 60 * MINUTES)

BUS = """<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*" eavesdrop="true"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""


def wait_until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {what() if callable(what) else what}: not within {seconds} s")
        time.sleep(0.05)


class Notified:
    """systemd's end of the notify socket, on which a service says that it is ready and alive."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            self.messages.append(self.socket.recv(4096).decode())

    def is_ready(self):
        return any("READY=1" in message for message in self.messages)


class Program:
    """A program with the watchdog of its unit, so that it wakes as often as its service does."""

    def __init__(self, folder, unit, command, environment):
        self.name = unit
        text = (ROOT / f"systemd/{unit}.service").read_text()
        number, word = re.search(r"^WatchdogSec=(\d+)(\w*)", text, re.M).groups()
        seconds = int(number) * {"": 1, "s": 1, "min": 60}[word]
        self.notified = Notified(folder / f"{unit}.notify")
        self.log = folder / f"{unit}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**environment, "NOTIFY_SOCKET": str(folder / f"{unit}.notify"),
                     "WATCHDOG_USEC": str(seconds * 1_000_000)})
        wait_until(self.notified.is_ready, lambda: f"{unit} is ready; it said {self.log.read_text()[-500:]}")

    def wakeups(self):
        """How often its threads gave up the processor to wait, all together."""
        return sum(
            int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
            for status in Path(f"/proc/{self.process.pid}/task").glob("*/status"))

    def processor(self):
        """Its processor time in seconds."""
        return sum(
            int(path.read_text().split()[0])
            for path in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")) / 1e9

    def own(self):
        """The wake-ups and the processor time of all its threads."""
        return self.wakeups(), self.processor()

    def memory(self, field="VmRSS"):
        """RSS or anonymous memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{field}:\s+(\d+)", status, re.M)[1]) / 1000

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        return 0, 0


# Both look at the clock each minute, so they follow a clock that is set, as clocksmith does.
SHELL_LOOP = """while sleep $((60 - $(date +%s) % 60)); do
    case $(date +%M) in 00) aplay -q time.wav ;; esac
done
"""
PYTHON_DAEMON = """import datetime, subprocess, time
while True:
    time.sleep(60 - time.time() % 60)
    if datetime.datetime.now().minute == 0:
        subprocess.run(["aplay", "-q", "time.wav"])
"""


class Loop:
    """A program that a user would write instead, with the programs that it starts."""

    def __init__(self, name, command, environment):
        self.name = name
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
            start_new_session=True)

    def tree(self):
        """The folders in /proc of the program and of its children."""
        parent = Path(f"/proc/{self.process.pid}")
        children = (parent / f"task/{self.process.pid}/children").read_text().split()
        return [parent, *(Path(f"/proc/{child}") for child in children)]

    def own(self):
        """The wake-ups and the processor time of the program itself."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return (int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1]),
                int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9)

    def memory(self):
        """RSS in MB, with that of its children."""
        return sum(int(re.search(r"^VmRSS:\s+(\d+)", (one / "status").read_text(), re.M)[1])
                   for one in self.tree()) / 1000

    def stop(self):
        """Ends it. Returns the wake-ups and the processor time a minute of the programs that it started."""
        wakeups, processor = self.own()
        os.killpg(self.process.pid, signal.SIGTERM)
        _, _, used = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        minutes = (time.monotonic() - self.began) / 60
        return (max(used.ru_nvcsw - wakeups, 0) / minutes,
                max(used.ru_utime + used.ru_stime - processor, 0) / minutes)


def zone_without_an_hour():
    """A zone without a full hour during a measurement of up to 28 minutes."""
    minute = datetime.datetime.now(datetime.timezone.utc).minute
    return "Etc/UTC" if minute + MINUTES + SETTLED / 60 + 2 < 60 else "Asia/Kolkata"


def figures_of(one, own, since):
    """Ends a program. Returns its wake-ups a minute, its processor time a day, and its memory."""
    minutes = (time.monotonic() - since) / 60
    wakeups, processor = ((now - past) / minutes for now, past in zip(one.own(), own))
    memory = one.memory()
    anonymous = f", anonymous {one.memory('RssAnon'):.1f} MB" if isinstance(one, Program) else ""
    of_children = one.stop()
    wakeups, processor = wakeups + of_children[0], 1440 * (processor + of_children[1])
    print(f"{one.name}, idle for {minutes:.0f} min: {wakeups:.1f} wake-ups a minute, "
          f"{processor:.2f} s of a processor a day, RSS {memory:.1f} MB{anonymous}", flush=True)
    return wakeups, processor, memory


def report(figures):
    """Adds the rows of the table: the announcer beside each loop."""
    ours = figures["clocksmith"]
    for name in ("shell loop", "Python daemon"):
        for what, unit, own, other in zip(
                ("idle: wake-ups a minute", "idle: processor time a day", "idle: resident memory"),
                ("", "s", "MB"), ours, figures[name]):
            compared(what, own, other, unit, name)


def measure(folder):
    (folder / "bus.conf").write_text(BUS.format(folder=folder))
    (folder / "asound.conf").write_text("pcm.default { type null }\nctl.default { type null }\n")
    (folder / "clocksmith.conf").write_text("[announce]\ninterval = 60\nchime = none\n")
    port = free_port()
    (folder / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    (folder / "relay.conf").write_text(f"[mqtt]\nbroker = 127.0.0.1\nport = {port}\nname = bench\n")
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C", "TZ": zone_without_an_hour(),
        "ALSA_CONFIG_PATH": str(folder / "asound.conf"), "STATE_DIRECTORY": str(folder),
        "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus"}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile", "--nosyslog"], **quiet)
    broker = subprocess.Popen(["/usr/sbin/mosquitto", "-c", folder / "mosquitto.conf"], **quiet)
    programs = []
    loops = [Loop("shell loop", ["sh", "-c", SHELL_LOOP], environment),
             Loop("Python daemon", ["/usr/bin/python3", "-c", PYTHON_DAEMON], environment)]
    try:
        wait_until((folder / "bus").exists, "the bus")
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker")
        for unit, command in (
                ("clocksmith", [ANNOUNCER, "run", "--untrusted", "speak", "--config",
                                folder / "clocksmith.conf"]),
                ("clocksmith-relay", [RELAY, "run", "--config", folder / "relay.conf"])):
            programs.append(Program(folder, unit, command, environment))
        state = subprocess.run(
            ["mosquitto_sub", "-p", str(port), "-t", "clocksmith/clock/bench/state", "-C", "1", "-W", "60"],
            capture_output=True, text=True, check=True).stdout
        assert json.loads(state)["trust"], state
        time.sleep(SETTLED)
        measured = loops + programs
        before = [(one.own(), time.monotonic()) for one in measured]
        time.sleep(MINUTES * 60)
        figures = {one.name: figures_of(one, *past) for one, past in zip(measured, before)}
        report(figures)
    finally:
        for program in programs + loops:
            if program.process.returncode is None:
                program.stop()
        for daemon in (broker, bus):
            daemon.terminate()
            daemon.wait(10)


with tempfile.TemporaryDirectory() as top:
    os.chmod(top, 0o755)
    measure(Path(top))
