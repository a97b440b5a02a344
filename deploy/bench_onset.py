"""Measures onset errors of clocksmith, and of a script as for cron: `deploy/bench onset` prints them.

Speakers are the null sinks of a private pulseaudio, which take their frames by the kernel's clock.
Three kinds of clock play on them at the same time, under the same load:

- clocksmith: its own player and ALSA sink, opened and closed as in the service, one announcement
  after another (Tests/onsets);
- the same with the short queue that it uses when a switch is configured;
- a shell script that calls aplay for each clip, started when the second begins. Cron starts its
  jobs later: it wakes a moment after the minute, then forks and asks PAM. So cron does worse than
  these figures.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy
import soundfile

from bench_speaker import RATE, SoundServer, Speaker, line, take_precedence, title

ROOT = Path(__file__).resolve().parents[1]

PROGRAM, ONSETS = sys.argv[1:3]
VOICE = ROOT / "sounds/voices/rms"
TIME = "15:15"
CLIPS = ["hour-3", "minute-15", "pm"]
# Seconds from one announcement to the next on the same speaker: 5 to open it ahead, the phrase, and
# a moment before the next.
EVERY = 8
SPEAKERS = {"clocksmith": 5, "quick": 5, "script": 2}
# Per speaker.
ANNOUNCEMENTS = 40


def rendered(folder):
    """The rendered phrase and its clips, as frames. Leaves the clips as WAV files in the folder."""
    path = folder / "phrase.wav"
    configuration = folder / "words.conf"
    configuration.write_text(f"[announce]\nvoice = {VOICE}\nchime = none\n")
    subprocess.run(
        [PROGRAM, "render", "--config", str(configuration), "--zone", "UTC",
         "--at", f"2026-01-01T{TIME}", "--output", str(path)], check=True, capture_output=True)
    clips = []
    for name in CLIPS:
        samples, rate = soundfile.read(VOICE / f"{name}.flac", dtype="float32")
        soundfile.write(folder / f"{name}.wav", samples, rate)
        clips.append(samples)
    return soundfile.read(path, dtype="float32")[0], clips


class Clocksmith:
    """Tests/onsets on a speaker."""

    def __init__(self, speaker, environment, *options):
        self.speaker = speaker
        self.process = subprocess.Popen(
            [ONSETS, *options, speaker.name, str(VOICE), TIME, str(ANNOUNCEMENTS), str(EVERY),
             str(speaker.turn)], env=environment, stdout=subprocess.PIPE, text=True)

    def wait(self):
        """Waits, and keeps its output in `told`: tuples of (second, error in seconds, underruns)."""
        printed, _ = self.process.communicate()
        lines = [map(int, line.split()) for line in printed.splitlines()]
        self.told = [(second // 10**9, error / 1e9, count) for second, error, count in lines]


class Script:
    """Starts the script of aplay at each due second; `started` has (due second, time of the start)."""

    def __init__(self, speaker, environment, folder):
        self.speaker = speaker
        self.environment = environment
        self.path = folder / f"{speaker.name}.sh"
        lines = [f"aplay -q -D {speaker.name} {folder}/{name}.wav" for name in CLIPS]
        self.path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        self.path.chmod(0o755)
        self.started = []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        first = (int(time.time() + 5) // EVERY + 1) * EVERY + self.speaker.turn
        for second in range(first, first + ANNOUNCEMENTS * EVERY, EVERY):
            time.sleep(second - time.time())
            self.started.append((second, time.time()))
            subprocess.run([self.path], env=self.environment, check=True)

    def wait(self):
        self.thread.join()


def report(name, clocks, phrase):
    """Prints the lines of one kind of clock; returns the median error from the recordings."""
    told, measured = [], []
    underruns = torn = 0
    for clock in clocks:
        for second, error, count in clock.told:
            underruns += count
            if heard := clock.speaker.heard(phrase, second):
                told.append(error)
                measured.append(heard[0] - second)
            else:
                torn += 1
    line(f"{name}, by its time stamps", told)
    line(f"{name}, from the recording", measured)
    line("  recording less time stamps", numpy.subtract(measured, told))
    failed = len(clocks) * ANNOUNCEMENTS - len(told) - torn
    print(f"  underruns: {underruns}, not heard whole: {torn}, failed: {failed}")
    return numpy.median(numpy.abs(measured))


def report_scripts(scripts, clips):
    """Prints the lines of the scripts; returns their median error."""
    onsets, gaps = [], []
    torn = 0
    for script in scripts:
        for second, started in script.started:
            heard = [script.speaker.heard(clip, second) for clip in clips]
            if not all(heard):
                torn += 1
                continue
            # Count from the actual start: a late start is not the script's fault.
            onsets.append(heard[0][0] - started)
            for (_, before), (_, after), clip in zip(heard, heard[1:], clips):
                gaps.append((after - before - len(clip)) / RATE)
    line("script of aplay, from the recording", onsets)
    line("  its gaps between clips", gaps)
    print(f"  not heard whole: {torn}")
    return numpy.median(numpy.abs(onsets))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        phrase, clips = rendered(folder)
        names = {kind: [f"{kind}{number}" for number in range(count)]
                 for kind, count in SPEAKERS.items()}
        alsa = folder / "asound.conf"
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LC_ALL": "C",
                       "ALSA_CONFIG_PATH": str(alsa)}
        take_precedence()
        server = SoundServer(folder / "server", environment, *sum(names.values(), []))
        # The server drops its precedence when it starts, so set it again.
        take_precedence(server.process.pid)
        alsa.write_text("".join(server.device(one, one) for one in sum(names.values(), [])))
        speakers = {
            kind: [Speaker(server, one, number * EVERY // len(some))
                   for number, one in enumerate(some)] for kind, some in names.items()}
        everybody = sum(speakers.values(), [])
        clocks = [Clocksmith(speaker, environment) for speaker in speakers["clocksmith"]]
        quick = [Clocksmith(speaker, environment, "--quick") for speaker in speakers["quick"]]
        scripts = [Script(speaker, environment, folder) for speaker in speakers["script"]]
        try:
            for clock in clocks + quick + scripts:
                clock.wait()
            # Wait until the last sound is recorded.
            time.sleep(1)
        finally:
            for speaker in everybody:
                speaker.close()
            server.kill()
            take_precedence(wanted=False)

    title("onset error, ms")
    ours = report("clocksmith", clocks, phrase)
    report("clocksmith with a switch", quick, phrase)
    theirs = report_scripts(scripts, clips)
    print(f"script of aplay / clocksmith = {theirs / ours:.0f}, by the medians of the recordings")


main()
