"""How far the cues of an interval are from the arithmetic, as `deploy/bench intervals` prints it.

Speakers are the null sinks of a private pulseaudio. On two of them `clocksmith interval` sounds each
second and each 30 s. On two others a shell script does what a user would do instead: it calls aplay
and sleeps for the rest of the period. All are recorded. A cue's error is its distance from the moment
that the first cue and the period give. The first cue is measured no better than the others, so
clocksmith's errors are taken from their median instead.
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
from bench_speaker import RATE, SoundServer, Speaker, find, line, take_precedence, title

PROGRAM = sys.argv[1]
MINUTES = float(sys.argv[2])
SIGNALS = Path(__file__).resolve().parents[1] / "sounds/signals"
CUE = SIGNALS / "cue.flac"
# Those that come again while it is measured.
PERIODS = {what: period for what, period in {"second": 1, "half minute": 30}.items() if period < 60 * MINUTES}
# The least likeness of a cue to its sound.
ALIKE = 0.9


def cues(speaker, sound, period, began):
    """When each cue was heard, in seconds since 1970; missing cues are left out."""
    heard = []
    due = began
    while due < speaker.arrivals[-1] - 2:
        # The first cue may come anywhere in the first seconds; each later one is sought where it is due.
        margin = 0.4 if heard else 3
        frame, likeness = best(speaker, sound, due - margin, due + margin)
        if likeness > ALIKE:
            heard.append(speaker.instant(frame))
            due = heard[-1]
        due += period
    return heard


def best(speaker, sound, earliest, latest):
    """The first frame of the sound that begins between these moments, and its likeness."""
    first, last = (int(speaker.frames[numpy.searchsorted(speaker.arrivals, second)])
                   for second in (earliest, latest))
    frame, likeness = find(sound, speaker.samples[first:last + len(sound)])
    return first + frame, likeness


def errors(heard, period):
    """By how many seconds each cue misses the arithmetic; missing cues keep their place in the count."""
    heard = numpy.array(heard)
    offsets = heard - numpy.round((heard - heard[0]) / period) * period
    return offsets - numpy.median(offsets)


def main():
    sound, _ = soundfile.read(CUE, dtype="float32")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        soundfile.write(folder / "cue.wav", sound, RATE)
        alsa = folder / "asound.conf"
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LC_ALL": "C",
                       "ALSA_CONFIG_PATH": str(alsa)}
        names = [f"{kind}{period}" for kind in ("clocksmith", "script")
                 for period in PERIODS.values()]
        take_precedence()
        server = SoundServer(folder / "server", environment, *names)
        take_precedence(server.process.pid)
        alsa.write_text("".join(server.device(one, one) for one in names))
        speakers = {one: Speaker(server, one, 0) for one in names}
        time.sleep(1)
        began = time.time()
        processes = []
        for period in PERIODS.values():
            configuration = folder / f"{period}.conf"
            configuration.write_text(f"[speaker]\ndevice = clocksmith{period}\n")
            rest = period - len(sound) / RATE
            commands = [
                [PROGRAM, "interval", f"{period}s", "--config", str(configuration)],
                ["sh", "-c",
                 f"while aplay -q -D script{period} {folder}/cue.wav; do sleep {rest:.3f}; done"]]
            processes += [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
                          for command in commands]
        try:
            time.sleep(MINUTES * 60)
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            time.sleep(1)
            for speaker in speakers.values():
                speaker.close()
            server.kill()
            take_precedence(wanted=False)
        title("error of a cue, ms")
        worst = []
        for what, period in PERIODS.items():
            ours = cues(speakers[f"clocksmith{period}"], sound, period, began)
            missed = errors(ours, period)
            line(f"clocksmith, a cue each {what}", missed)
            expected = round((ours[-1] - ours[0]) / period) + 1
            print(f"  not heard whole: {expected - len(ours)}")
            theirs = cues(speakers[f"script{period}"], sound, period, began)
            line(f"script of aplay and sleep, each {what}", errors_of_script(theirs, period))
            late = abs(errors_of_script(theirs, period)).max()
            worst.append(late / abs(missed).max())
            compared(f"a cue each {what} for {MINUTES:g} min: worst error", 1000 * abs(missed).max(), 1000 * late,
                     "ms", "script of aplay and sleep")
    print(f"script / clocksmith = {' and '.join(f'{ratio:.0f}' for ratio in worst)}, by the worst")


def errors_of_script(heard, period):
    """By how many seconds each cue of the script is late, counted from its first."""
    heard = numpy.array(heard)
    return heard - heard[0] - numpy.arange(len(heard)) * period


main()
