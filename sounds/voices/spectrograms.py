#!/usr/bin/python3
"""Draw a phrase of heart before and after its cuts were chosen: sounds/voices/spectrograms.py [DIR]

Before: of each clip the first carrier. After: the clips that ship. Both pictures show the level of each frequency, and a
line where a crossfade begins; the difference at each join, by which make chooses, is printed.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

# Write no bytecode into the tree.
sys.dont_write_bytecode = True

from cutting import CROSSFADE_MILLISECONDS, RATE, Speaker, Take, cut, samples_in, take  # noqa: E402
from joins import difference, edges  # noqa: E402

import numpy as np  # noqa: E402
import soundfile  # noqa: E402
from scipy import signal  # noqa: E402

try:
    from matplotlib.figure import Figure  # noqa: E402
    from PIL import Image  # noqa: E402
except ImportError as missing:
    sys.exit(f"spectrograms.py: {missing}: pip install matplotlib")

FOLDER = pathlib.Path(__file__).resolve().parent
PHRASE = "hour-9", "minute-45", "pm"
HIGHEST_HERTZ = 8000
LEVELS_DB = -90, -25


def made_by():
    """The module sounds/voices/make, a file without a suffix."""
    loader = importlib.machinery.SourceFileLoader("make", str(FOLDER / "make"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make", loader))
    loader.exec_module(module)
    return module


def first_cuts():
    make = made_by()
    voice = make.VOICES["heart"]
    clips = {clip.name: clip for clip in voice.clips()}
    with tempfile.TemporaryDirectory() as scratch:
        speaker = Speaker(voice.engine, voice.silence, pathlib.Path(scratch))
        return [make.levelled(voice, clips[name], take(speaker, clips[name].carriers[0])) for name in PHRASE]


def differences(clips):
    """The difference that make measures at each join, in dB."""
    ends = [edges(Take(clip, RATE, 0, len(clip), 0, "")) for clip in clips]
    return [float(difference([left], [right])[0, 0]) for left, right in zip(ends, ends[1:])]


def joined(clips):
    """The joined phrase, and the seconds at which its crossfades begin."""
    overlap = samples_in(CROSSFADE_MILLISECONDS)
    phase = (np.arange(overlap) + 0.5) / overlap * np.pi / 2
    phrase, joins = clips[0], []
    for clip in clips[1:]:
        joins.append((len(phrase) - overlap) / RATE)
        middle = phrase[-overlap:] * np.cos(phase) + clip[:overlap] * np.sin(phase)
        phrase = np.concatenate([phrase[:-overlap], middle, clip[overlap:]])
    return phrase, joins


def draw(clips, path):
    phrase, joins = joined(clips)
    hertz, seconds, power = signal.spectrogram(phrase, RATE, "hann", RATE // 50, RATE // 50 - RATE // 500, RATE // 25)
    shown = hertz <= HIGHEST_HERTZ
    figure = Figure(figsize=(6, 2.6), dpi=80, layout="constrained")
    axes = figure.subplots()
    axes.pcolormesh(seconds, hertz[shown] / 1000, 10 * np.log10(power[shown] + 1e-12), cmap="gray_r",
                    vmin=LEVELS_DB[0], vmax=LEVELS_DB[1], shading="auto", rasterized=True)
    for at in joins:
        axes.axvline(at, color="tab:red", linewidth=0.8)
    axes.set(xlabel="s", ylabel="kHz")
    figure.savefig(path, metadata={"Software": None})
    # With only greys and a red, the file takes a third.
    Image.open(path).convert("RGB").quantize(24, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    into = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    shipped = [soundfile.read(FOLDER / "heart" / f"{name}.flac")[0] for name in PHRASE]
    for name, clips in ("joins-before.png", first_cuts()), ("joins-after.png", shipped):
        draw(clips, into / name)
        print(f"{name}: {', '.join(f'{decibels:.1f}' for decibels in differences(clips))} dB")


if __name__ == "__main__":
    main()
