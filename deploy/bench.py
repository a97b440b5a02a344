"""Measures and prints the figures of deploy/bench."""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

from bench_joins import VOICE, by_sox as chime_by_sox, clips
from bench_rows import compared

PROGRAM = sys.argv[1]
QUARTERS = [(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)]
RUNS = 5
if len(sys.argv) > 2:
    # A short run: so many quarters after the long chime of midnight, and each announcement once.
    QUARTERS, RUNS = QUARTERS[1:][:int(sys.argv[2])], 1


def seconds_of_sound(path):
    with wave.open(str(path)) as file:
        return file.getnframes() / file.getframerate()


def timed(make):
    """Runs `make(hour, minute, path)` for every quarter. Returns the seconds taken, and the seconds of
    sound, estimated from the first quarters."""
    sound = 0.0
    first = QUARTERS[:8]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.wav"
        start = time.perf_counter()
        for hour, minute in QUARTERS:
            make(hour, minute, path)
        taken = time.perf_counter() - start
        for hour, minute in first:
            make(hour, minute, path)
            sound += seconds_of_sound(path)
    return taken, sound / len(first) * len(QUARTERS)


def render(hour, minute, path, chime):
    """clocksmith's command for an announcement; `chime` is the chime of each quarter, or "none"."""
    configuration = path.with_suffix(".conf")
    configuration.write_text(f"[announce]\nvoice = {VOICE}\nchime = {chime}\nchime_quarters = {chime}\n")
    return [PROGRAM, "render", "--zone", "UTC", "--config", str(configuration),
            "--at", f"2026-01-01T{hour:02}:{minute:02}", "--output", str(path)]


def by_clocksmith(hour, minute, path):
    subprocess.run(render(hour, minute, path, "none"), check=True, capture_output=True)


def with_chimes_by_clocksmith(hour, minute, path):
    subprocess.run(render(hour, minute, path, "westminster"), check=True, capture_output=True)


def by_sox(hour, minute, path):
    subprocess.run(["sox", *clips(hour, minute), str(path)], check=True, capture_output=True)


def with_chimes_by_sox(hour, minute, path):
    subprocess.run(chime_by_sox(hour, minute, seconds_of_clip, path), check=True, capture_output=True)


@functools.cache
def seconds_of_clip(path):
    return float(subprocess.run(["soxi", "-D", path], check=True, capture_output=True).stdout)


def best_run(command):
    """The fastest run: its seconds, its seconds of processor time, and its peak memory in MB."""
    runs = []
    for _ in range(RUNS):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}")
        runs.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime,
                     usage.ru_maxrss / 1000))
    return min(runs)


def print_chime(name, hour, minute):
    """Prints the cost of an announcement with its chime, by clocksmith and by sox."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "ours.wav", Path(folder) / "theirs.wav"
        commands = {
            "clocksmith": render(hour, minute, ours, "westminster"),
            "sox": chime_by_sox(hour, minute, seconds_of_clip, theirs)}
        costs = []
        for program, command in commands.items():
            taken, processor, memory = best_run(command)
            sound = seconds_of_sound(ours)
            costs.append((taken, memory))
            print(f"{name}, {sound:.1f} s, by {program}: {taken:.3f} s ({processor:.3f} s of a "
                  f"processor), {sound / taken:.0f} times real time, {memory:.1f} MB")
        (ours, our_memory), (theirs, their_memory) = costs
        compared(f"{name}, rendered", ours, theirs, "s", "sox")
        compared(f"{name}: memory to render it", our_memory, their_memory, "MB", "sox")


def day_of_agenda():
    start = time.perf_counter()
    lines = subprocess.run(
        [PROGRAM, "agenda", "--json", "--zone", "Europe/London", "--from", "2026-01-01T00:00",
         "--to", "2027-01-01T00:00"], check=True, capture_output=True, text=True).stdout
    taken = time.perf_counter() - start
    count = sum(1 for line in lines.splitlines() if json.loads(line)["sounds"])
    return taken, count


def memory_of_service():
    """RSS and anonymous memory in MB, once the service has spoken into ALSA's null device."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder, "clocksmith.conf")
        configuration.write_text("[speaker]\ndevice = null\n")
        service = subprocess.Popen(
            [PROGRAM, "run", "--untrusted", "speak", "--say-now", "--config", configuration],
            stderr=subprocess.PIPE, text=True)
        for line in service.stderr:
            if line.startswith("said"):
                break
            if line.startswith("did not say"):
                service.kill()
                raise SystemExit(f"bench: {line}")
        time.sleep(1)  # It returns memory when it has spoken.
        status = Path(f"/proc/{service.pid}/status").read_text()
        service.send_signal(signal.SIGTERM)
        service.wait()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return [int(fields[name].split()[0]) / 1000 for name in ("VmRSS", "RssAnon")]


ours, sound = timed(by_clocksmith)
theirs, _ = timed(by_sox)
print(f"{len(QUARTERS)} phrases by clocksmith render: {ours:.2f} s, {sound / ours:.0f} times real time")
print(f"the same clips by sox, without crossfades: {theirs:.2f} s; clocksmith / sox = {ours / theirs:.2f}")
compared(f"the words of a day, {len(QUARTERS)} times, rendered", ours, theirs, "s", "sox")
ours, _ = timed(with_chimes_by_clocksmith)
theirs, _ = timed(with_chimes_by_sox)
print(f"{len(QUARTERS)} announcements with Westminster: {ours:.2f} s by clocksmith render, {theirs:.2f} s by sox; "
      f"clocksmith / sox = {ours / theirs:.2f}")
compared(f"a day with its chimes, {len(QUARTERS)} announcements, rendered", ours, theirs, "s", "sox")
print_chime("a third quarter of Westminster and its words", 12, 45)
print_chime("noon of Westminster and its words", 12, 0)
taken, count = day_of_agenda()
print(f"a year of agenda: {count} announcements in {taken:.2f} s")
rss, anonymous = memory_of_service()
print(f"memory after speaking: RSS {rss:.1f} MB, anonymous {anonymous:.1f} MB")
print(f"program: {Path(PROGRAM).stat().st_size / 1e6:.1f} MB with symbols")
