"""The figures that deploy/bench prints; each is measured in this run."""

import json
import signal
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

PROGRAM = sys.argv[1]
VOICE = Path(__file__).resolve().parents[1] / "sounds/voices/rms"
QUARTERS = [(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)]


def clips(hour, minute):
    """The clips of a time, by the pack's own grammar for the 12-hour clock."""
    hour12 = (hour + 11) % 12 + 1
    names = (
        [f"hour-{hour12}-oclock", "oclock"] if minute == 0
        else [f"hour-{hour12}", f"minute-{minute}", "am" if hour < 12 else "pm"])
    return [str(VOICE / f"{name}.flac") for name in names]


def seconds_of_sound(path):
    with wave.open(str(path)) as file:
        return file.getnframes() / file.getframerate()


def timed(make):
    """Runs `make(hour, minute, path)` for every quarter; seconds taken, seconds of sound."""
    sound = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.wav"
        start = time.perf_counter()
        for hour, minute in QUARTERS:
            make(hour, minute, path)
        taken = time.perf_counter() - start
        for hour, minute in QUARTERS[:8]:
            make(hour, minute, path)
            sound += seconds_of_sound(path)
    return taken, sound / 8 * len(QUARTERS)


def by_clocksmith(hour, minute, path):
    subprocess.run(
        [PROGRAM, "render", "--zone", "UTC", "--at", f"2026-01-01T{hour:02}:{minute:02}",
         "--output", str(path)], check=True, capture_output=True)


def by_sox(hour, minute, path):
    subprocess.run(["sox", *clips(hour, minute), str(path)], check=True, capture_output=True)


def day_of_agenda():
    start = time.perf_counter()
    lines = subprocess.run(
        [PROGRAM, "agenda", "--json", "--zone", "Europe/London", "--from", "2026-01-01T00:00",
         "--to", "2027-01-01T00:00"], check=True, capture_output=True, text=True).stdout
    taken = time.perf_counter() - start
    count = sum(1 for line in lines.splitlines() if json.loads(line)["sounds"])
    return taken, count


def memory_of_service():
    """RSS and anonymous memory in MB while it speaks into a file."""
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen(
            [PROGRAM, "run", "--untrusted", "speak", "--say-now", "--output", f"{folder}/o.wav"],
            stderr=subprocess.PIPE, text=True)
        for line in service.stderr:
            if line.startswith("said"):
                break
        status = Path(f"/proc/{service.pid}/status").read_text()
        service.send_signal(signal.SIGTERM)
        service.wait()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return [int(fields[name].split()[0]) / 1000 for name in ("VmRSS", "RssAnon")]


ours, sound = timed(by_clocksmith)
theirs, _ = timed(by_sox)
print(f"96 phrases by clocksmith render: {ours:.2f} s, {sound / ours:.0f} times real time")
print(f"the same clips by sox, without crossfades: {theirs:.2f} s; clocksmith / sox = {ours / theirs:.2f}")
taken, count = day_of_agenda()
print(f"a year of agenda: {count} announcements in {taken:.2f} s")
rss, anonymous = memory_of_service()
print(f"memory after speaking: RSS {rss:.1f} MB, anonymous {anonymous:.1f} MB")
print(f"program: {Path(PROGRAM).stat().st_size / 1e6:.1f} MB with symbols")
