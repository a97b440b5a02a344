"""Recordings as people have them, and the voice that is made of them."""

import numpy
import pytest
import soundfile

RATE = 48_000
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
CLASSIC = [*NUMBERS, "fifteen", "thirty", "forty-five", "AM", "PM"]


def word(number, rate=RATE, level=0.4, before=0.3, after=0.4):
    """A made-up word of 0.3 s in a quiet room. Its pitch tells which word it is."""
    times = numpy.arange(int(0.3 * rate)) / rate
    voiced = sum(numpy.sin(2 * numpy.pi * (150 + 20 * number) * n * times) / n for n in (1, 2, 3))
    voiced *= level / 2 * numpy.sin(numpy.pi * times / 0.3) ** 0.5
    silence = [numpy.zeros(int(seconds * rate)) for seconds in (before, after)]
    samples = numpy.concatenate([silence[0], voiced, silence[1]])
    return samples + numpy.random.default_rng(number).normal(0, level / 2000, len(samples)) + 0.003


@pytest.fixture
def recordings(tmp_path):
    """The classic seventeen words, at different levels and with silence around them."""
    folder = tmp_path / "my voice"
    folder.mkdir()
    for number, name in enumerate(CLASSIC):
        soundfile.write(folder / f"{name}.wav", word(number, level=0.05 + 0.04 * number), RATE)
    return folder


@pytest.fixture
def brought_in(clocksmith, recordings, tmp_path):
    """Imports the recordings: (the run, the pack)."""
    def bring_in(folder=recordings):
        pack = tmp_path / "pack"
        return clocksmith.run("voice", "import", folder, "--output", pack), pack
    return bring_in


def lines_of(done, status):
    assert done.returncode == status, done.stderr
    return done.stdout.splitlines()
