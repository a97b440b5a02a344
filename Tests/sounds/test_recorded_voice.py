"""A speech recogniser understands the voice that is made of recorded words.

flite stands in for the person. Tests/program tests recording through a microphone.
"""

import os
import pathlib
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


def words():
    """The words of the quarters: the name of each file, and its text for flite."""
    yield from ((name, name) for name in [*NUMBERS[1:], *MINUTES.values(), "o'clock"])
    yield from (("am", "A M."), ("pm", "P M."))


def speak(voice, text, path):
    """Records flite as a person in a room that is not quite silent."""
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", path], check=True, capture_output=True)
    samples, rate = soundfile.read(path)
    silence = np.zeros(rate * 3 // 10)
    samples = np.concatenate([silence, samples * 0.5 / np.abs(samples).max(), silence])
    samples += np.random.default_rng(1).normal(0, 0.0002, len(samples))
    soundfile.write(path, samples, rate, "PCM_16")


def phrase_of(pack, time_of_day):
    """A time as the clock joins it, with the gap of voice.conf."""
    gap = np.zeros(int(re.search(r"gap = (\d+)ms", (pack / "voice.conf").read_text())[1]) * RATE // 1000)
    hour, minute = time_of_day
    names = [f"{hour % 12 or 12}"] + (["oclock"] if minute == 0 else [f"{minute}", "am" if hour < 12 else "pm"])
    parts = [part for name in names for part in (gap, soundfile.read(pack / f"{name}.flac")[0])]
    return np.concatenate(parts[1:])


@pytest.mark.parametrize("voice", ["rms", "slt"])
def test_every_quarter_of_an_hour_is_recognised(voice, tmp_path):
    recordings, pack = tmp_path / "words", tmp_path / voice
    recordings.mkdir()
    for name, text in words():
        speak(voice, text, recordings / f"{name}.wav")
    subprocess.run([PROGRAM, "voice", "import", recordings, "--output", pack], check=True)
    heard = recognition.recognise({time: phrase_of(pack, time) for time in QUARTERS}, 12, tmp_path)
    misheard = {said(12, *time): heard[time] for time in QUARTERS if heard[time] != said(12, *time)}
    print(f"{voice}: {len(QUARTERS) - len(misheard)} of {len(QUARTERS)}; misheard: {misheard}")
    assert misheard == {}
