#!/usr/bin/python3
"""Prints the figures of every voice pack that ships: the table in sounds/voices/README.md."""

import sys

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import sound_level  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, Pack, shipped_packs  # noqa: E402


def span(values, unit, digits=1):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} {unit}"


def clip_figures(pack):
    clips = pack.samples.values()
    silences = np.array([sound_level.silence_at_ends(clip) for clip in clips])
    yield "clips", f"{len(clips)}, {sum(map(len, clips)) / RATE:.0f} s in all"
    yield "loudest 400 ms of a clip", span([sound_level.maximum_momentary(clip) for clip in clips], "LUFS", 2)
    yield "true peak", f"{max(map(sound_level.true_peak, clips)):.1f} dBTP at most"
    yield "silence before, after", "{:.0f} and {:.0f} ms at most".format(*silences.max(axis=0))
    yield "DC", f"{100 * max(abs(clip.mean()) for clip in clips):.5f} % at most"
    yield "first and last sample", f"{max(max(abs(clip[0]), abs(clip[-1])) for clip in clips):g} at most"


def phrase_figures(pack, clock):
    phrases = {time: pack.joined(clock, *time)[0] for time in MINUTES}
    quarters = [len(clip) / RATE for (_, minute), clip in phrases.items() if minute in (15, 30, 45)]
    yield f"{clock} h, loudness of 1,440 phrases", span([*map(sound_level.integrated, phrases.values())], "LUFS", 2)
    yield f"{clock} h, at :15, :30 and :45", f"{span(quarters, 's', 2)}, mean {np.mean(quarters):.2f} s"


for folder in shipped_packs():
    pack = Pack(folder)
    print(f"| {pack.name} | measured |\n|---|---|")
    for figures in clip_figures(pack), *(phrase_figures(pack, clock) for clock in CLOCKS):
        for what, figure in figures:
            print(f"| {what} | {figure} |")
