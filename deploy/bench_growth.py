"""Measures and prints how the cost of clocksmith grows: deploy/bench growth."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

from bench_rows import grows

PROGRAM = sys.argv[1]
# How many of the sizes of each table are measured, the smallest first, and for how long a service is watched.
SIZES = int(sys.argv[2]) if len(sys.argv) > 2 else 4
WATCHED_SECONDS = 20 if SIZES == 4 else 1
NAME = "org.clocksmith.Announcer1"
# It returns memory at every beat for the watchdog, which comes twice as often as this.
WATCHED = {"WATCHDOG_USEC": "4000000"}
CLOCK = DBusAddress("/org/clocksmith/Announcer1", bus_name=NAME, interface=NAME)


def processor(*words, **options):
    """The processor time of a command in seconds, and its number of lines."""
    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    before = spent()
    said = subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True, **options).stdout
    return spent() - before, said.count("\n")


def table(title, unit, cost_unit, rows):
    """Prints rows of a size and its cost. The ratios of sizes and costs from row to row show the growth."""
    rows = list(rows)
    print(f"\n{title}\n")
    print(f"| {unit} | cost | times the size | times the cost |\n|---|---|---|---|")
    before = None
    for size, cost, words in rows:
        ratios = "| |" if before is None else f"{size / before[0]:.1f} | {cost / before[1]:.1f} |"
        print(f"| {size:,} | {words} | {ratios}", flush=True)
        before = size, cost
    grows(f"{title[0].lower()}{title[1:]}: {unit}", *zip(*((size, cost) for size, cost, _ in rows)), cost_unit)


def agendas():
    for days, to in [
            (1, "2026-01-02"), (365, "2027-01-01"), (3652, "2036-01-01"), (36524, "2126-01-01")][:SIZES]:
        taken, lines = processor(
            "agenda", "--json", "--zone", "Europe/London", "--from", "2026-01-01T00:00", "--to", f"{to}T00:00")
        yield days, taken, f"{taken:.2f} s for {lines:,} lines"


def announcements(folder):
    """A day of announcements, each rendered by its own process."""
    for interval in (60, 15, 5, 1)[:SIZES]:
        conf = Path(folder) / "clocksmith.conf"
        conf.write_text(f"[announce]\ninterval = {interval}\nchime = none\n")
        total = 0.0
        for minute in range(0, 1440, interval):
            taken, _ = processor(
                "render", "--config", str(conf), "--at", f"2026-01-01T{minute // 60:02}:{minute % 60:02}",
                "--zone", "UTC", "--output", f"{folder}/out.wav")
            total += taken
        count = 1440 // interval
        yield count, total, f"{total:.2f} s, {1000 * total / count:.1f} ms each"


def tunes(folder):
    """Chimes of several lengths, with notes 0.25 s apart; a quarter may have no more than 200 notes."""
    for count in (1, 10, 100, 200)[:SIZES]:
        path = Path(folder) / "long.tune"
        lines = [" 0.25 ".join(["B3"] * min(20, count - first)) for first in range(0, count, 20)]
        joined = "\n".join(f"notes = {line}{' 0.25' if end < len(lines) else ''}"
                           for end, line in enumerate(lines, start=1))
        path.write_text(f"[tune]\ndescription = long\n[first]\n{joined}\n")
        conf = Path(folder) / "clocksmith.conf"
        conf.write_text(f"[announce]\nchime = none\nchime_quarters = {path}\n")
        taken, _ = processor(
            "render", "--config", str(conf), "--at", "2026-01-01T12:15", "--zone", "UTC",
            "--output", f"{folder}/out.wav")
        yield count, taken, f"{1000 * taken:.0f} ms"


class Service:
    """The clock on a bus of its own, playing into a file."""

    def __init__(self, folder):
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True)
        self.address = self.bus.stdout.readline().strip()
        self.folder = folder
        self.connection = open_dbus_connection(self.address)
        self.process = None

    def start(self):
        """Starts the clock; returns the seconds until it answers."""
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [PROGRAM, "run", "--untrusted", "speak", "--output", f"{self.folder}/o.wav"],
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address, "STATE_DIRECTORY": self.folder,
                 **WATCHED},
            stderr=subprocess.DEVNULL)
        # The clock itself refuses this while no alarm rings.
        while "org.freedesktop.DBus.Error" in str(self.call("StopAlarm", "a{sv}", ({},))):
            time.sleep(0.005)
        return time.perf_counter() - began

    def call(self, member, form="", values=()):
        message = new_method_call(CLOCK, member, form or None, values)
        return self.connection.send_and_get_reply(message).header.fields

    def figures(self):
        """RSS and anonymous memory in MB, and the processor time so far in seconds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in status if ":" in line)
        spent = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(spent[11]) + int(spent[12])
        return (int(fields["VmRSS"].split()[0]) / 1000, int(fields["RssAnon"].split()[0]) / 1000,
                ticks / os.sysconf("SC_CLK_TCK"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def timers(folder):
    service = Service(folder)
    service.start()
    there = 0
    memory = []
    for count in (1, 10, 100, 1000)[:SIZES]:
        began = time.perf_counter()
        for number in range(there, count):
            service.call("StartTimer", "a{sv}", ({"seconds": ("x", 40_000 + number)},))
        set_in = (time.perf_counter() - began) / (count - there)
        there = count
        service.stop()
        started = service.start()
        before = service.figures()[2]
        time.sleep(WATCHED_SECONDS)
        rss, anonymous, after = service.figures()
        yield count, started, (
            f"{1000 * started:.0f} ms to start again, {1000 * set_in:.1f} ms to set one, {rss:.1f} MB, "
            f"{anonymous:.2f} MB of it anonymous, {after - before:.2f} s of a processor in {WATCHED_SECONDS} s")
        memory.append((count, rss))
    grows("memory of the service: timers that count down", *zip(*memory), "MB")
    service.stop()
    service.bus.terminate()


with tempfile.TemporaryDirectory() as scratch:
    table("An agenda", "days", "s", agendas())
    table("A day of announcements, rendered", "announcements", "s", announcements(scratch))
    table("A chime and its words, rendered", "notes", "s", tunes(scratch))
    table("A service that starts again", "timers that count down", "s", timers(scratch))
