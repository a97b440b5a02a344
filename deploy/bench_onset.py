"""Measures onset errors of clocksmith, of a script, of cron and of saytime: `deploy/bench onset` prints them.

Speakers are the null sinks of a private pulseaudio, which take their frames by the kernel's clock.
Five kinds of clock play on them at the same time, under the same load:

- clocksmith: its own player and ALSA sink, opened and closed as in the service, one announcement
  after another (Tests/onsets);
- the same with the short queue that it uses when a switch is configured;
- a shell script that calls aplay for each clip, started when the second begins;
- the same script as a job of Debian's cron, each minute; its delay counts from the minute. It needs root;
- Debian's saytime, started when the second begins.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import soundfile

from bench_rows import compared
from bench_scripts import Command, Cron, saytime, script
from bench_speaker import RATE, SoundServer, Speaker, line, take_precedence, title

ROOT = Path(__file__).resolve().parents[1]

PROGRAM, ONSETS, CRON = sys.argv[1:4]
VOICE = ROOT / "sounds/voices/rms"
TIME = "15:15"
CLIPS = ["hour-3", "minute-15", "pm"]
# Seconds from one announcement to the next on the same speaker: 5 to open it ahead, the phrase, and
# a moment before the next.
EVERY = 8
SPEAKERS = {"clocksmith": 5, "quick": 5, "script": 2, "saytime": 1, "cron": 1}
# Per speaker.
ANNOUNCEMENTS = 40
if len(sys.argv) > 4:
    # A short run: so many announcements, on one speaker of each kind.
    ANNOUNCEMENTS = int(sys.argv[4])
    SPEAKERS = dict.fromkeys(SPEAKERS, 1)


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


def report_others(name, others):
    """Prints the lines of one kind of script; returns its median error and its median gap in seconds."""
    onsets, gaps = [], []
    torn = 0
    for other in others:
        for second, started in other.started:
            heard = [other.speaker.heard(sound, second) for sound in other.sounds]
            if not all(heard):
                torn += 1
                continue
            onsets.append(heard[0][0] - started)
            for (_, before), (_, after), sound in zip(heard, heard[1:], other.sounds):
                gaps.append((after - before - len(sound)) / RATE)
    if not onsets:
        print(f"{name}: nothing was heard whole, of {torn}")
        return None
    line(f"{name}, from the recording", onsets)
    line("  its gaps between clips", gaps)
    print(f"  not heard whole: {torn}")
    return numpy.median(numpy.abs(onsets)), numpy.median(gaps)


def started(speakers, environment, folder, clips):
    """The scripts, started."""
    others = [Command("script of aplay", speaker, environment, script(folder, speaker.name, CLIPS), clips,
                      EVERY, ANNOUNCEMENTS) for speaker in speakers["script"]]
    [speaker] = speakers["saytime"]
    command, sounds = saytime(folder, speaker.name, CLIPS)
    others.append(Command("saytime", speaker, environment, command, sounds, EVERY, ANNOUNCEMENTS))
    if Cron.is_allowed(CRON):
        [speaker] = speakers["cron"]
        command = script(folder, speaker.name, CLIPS)
        others.append(Cron("cron with aplay", speaker, environment, command, clips, CRON))
    else:
        print("bench: cron is left out: only root may start it beside the machine's own", file=sys.stderr)
    return others


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
        others = started(speakers, environment, folder, clips)
        try:
            for clock in clocks + quick + others:
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
    for name in dict.fromkeys(other.name for other in others):
        if not (found := report_others(name, [other for other in others if other.name == name])):
            continue
        late, gap = found
        print(f"  {name} / clocksmith = {late / ours:.0f}, by the medians of the recordings")
        compared("first sound against its second, median", 1000 * ours, 1000 * late, "ms", name)
        compared("silence between the clips of a phrase, median", 0, 1000 * gap, "ms", name)


main()
