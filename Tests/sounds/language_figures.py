#!/usr/bin/python3
"""Prints the figures of the voices in other languages: a table in sounds/languages/README.md."""

import sys

# Write no bytecode into the tree.
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import sound_level  # noqa: E402
from languages import shipped_languages  # noqa: E402
from voice_pack import RATE, Pack  # noqa: E402


def row(pack):
    clips = pack.samples.values()
    seconds = sum(map(len, clips)) / RATE
    size = sum(file.stat().st_size for file in pack.files.values()) / 1e6
    levels = [sound_level.maximum_momentary(samples) for samples in clips]
    silences = [sound_level.silence_at_ends(samples) for samples in clips]
    phrases = [pack.joined(24, hour, minute)[0] for hour in range(24) for minute in (0, 15, 30, 45)]
    loudness = [sound_level.integrated(samples) for samples in phrases]
    lengths = [len(samples) / RATE for samples in phrases]
    return [
        pack.name, f"{len(clips)}, {seconds:.0f} s, {size:.1f} MB", f"{max(map(sound_level.bandwidth, clips)) / 1000:.1f} kHz",
        f"{min(levels):.2f} to {max(levels):.2f} LUFS", f"{max(map(sound_level.true_peak, clips)):.1f} dBTP",
        f"{max(before for before, _ in silences):.0f} and {max(after for _, after in silences):.0f} ms",
        f"{min(loudness):.1f} to {max(loudness):.1f} LUFS", f"{min(lengths):.1f} to {max(lengths):.1f}, mean {np.mean(lengths):.1f} s"]


print("| voice | clips | bandwidth | loudest 400 ms of a clip | true peak | silence before, after "
      "| loudness of the 96 quarters | their length |")
print("|---" * 8 + "|")
for folder in shipped_languages():
    print("| " + " | ".join(row(Pack(folder))) + " |")
