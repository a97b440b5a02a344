"""A speech recogniser understands the voice that `voice record` makes of spoken phrases.

flite stands in for the person. Its takes lie in the folder as if recorded before; Tests/program
tests recording through a microphone.
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess

import numpy as np
import pytest
import soundfile

import recognition
from sayings import said
from voice_pack import RATE

TREE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("CLOCKSMITH", TREE / ".build/release/clocksmith")).resolve()
QUARTERS = [(hour, minute) for hour in range(24) for minute in range(0, 60, 15)]
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MINUTES = {15: "fifteen", 30: "thirty", 45: "forty-five"}

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason=f"no program at {PROGRAM}: build it, or set CLOCKSMITH"),
    pytest.mark.skipif(not shutil.which("flite"), reason="flite is missing: apt install flite"),
    pytest.mark.skipif(recognition.missing() is not None, reason=str(recognition.missing())),
]


def phrases():
    """The phrases of the quarters: the name of each take, and its text for flite."""
    for hour in range(1, 13):
        minute = [45, 15, 30][hour % 3]
        half = "am" if hour % 2 else "pm"
        yield f"{hour}-{minute}-{half}", f"{NUMBERS[hour]}, {MINUTES[minute]}, {half[0].upper()} M."
    yield "10-oclock", "ten, o'clock."
    yield "i-do-not-know-the-time-yet", "I do not, know the time yet."


def speak(voice, text, path):
    """Records flite as a person who pauses at the commas, in a room that is not quite silent.

    flite's own pauses of 0.06 to 0.18 s are shorter than a person's, so each gets 0.15 s more.
    """
    run = subprocess.run(["flite", "-voice", voice, "-t", text, "-psdur", "-o", path],
                         check=True, capture_output=True, text=True)
    samples, rate = soundfile.read(path)
    phones = [(phone, float(end)) for phone, end in (item.split(":") for item in run.stdout.split())]
    middles = [int((phones[index - 1][1] + end) / 2 * rate)
               for index, (phone, end) in enumerate(phones) if phone == "pau" and 0 < index < len(phones) - 1]
    assert len(middles) == text.count(",")
    silence = np.zeros(rate * 3 // 10)
    parts = [part for piece in np.split(samples * 0.5 / np.abs(samples).max(), middles)
             for part in (piece, silence[:rate * 15 // 100])]
    samples = np.concatenate([silence, *parts[:-1], silence])
    samples += np.random.default_rng(1).normal(0, 0.0002, len(samples))
    soundfile.write(path, samples, rate, "PCM_16")


def make(folder):
    """Presses Enter, which makes the voice, as everything is recorded."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "voice", "record", folder], stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TERM": "dumb"})
    os.close(slave)
    os.write(master, b"\r")
    text = b""
    try:
        while data := os.read(master, 4096):
            text += data
    except OSError:
        pass
    os.close(master)
    assert process.wait(20) == 0, text.decode()


def phrase_of(pack, time_of_day):
    """A time as the clock joins it, with the gap of voice.conf."""
    gap = np.zeros(int(re.search(r"gap = (\d+)ms", (pack / "voice.conf").read_text())[1]) * RATE // 1000)
    hour, minute = time_of_day
    names = [f"{hour % 12 or 12}"] + (["oclock"] if minute == 0 else [f"{minute}", "am" if hour < 12 else "pm"])
    parts = [part for name in names for part in (gap, soundfile.read(pack / f"{name}.flac")[0])]
    return np.concatenate(parts[1:])


@pytest.mark.parametrize("voice", ["rms", "slt"])
def test_every_quarter_of_an_hour_is_recognised(voice, tmp_path):
    pack = tmp_path / voice
    (pack / "takes").mkdir(parents=True)
    for name, text in phrases():
        speak(voice, text, pack / "takes" / f"{name}.wav")
    make(pack)
    heard = recognition.recognise({time: phrase_of(pack, time) for time in QUARTERS}, 12, tmp_path)
    misheard = {said(12, *time): heard[time] for time in QUARTERS if heard[time] != said(12, *time)}
    print(f"{voice}: {len(QUARTERS) - len(misheard)} of {len(QUARTERS)}; misheard: {misheard}")
    assert misheard == {}
