#!/usr/bin/python3
"""Prints the figures of the voice packs that ship, one beside the other: a table in sounds/voices/README.md."""

import sys

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import sound_level  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, Pack, shipped_packs  # noqa: E402


def span(values, unit, digits=1):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} {unit}"


def clip_figures(pack):
    """What is measured, what is to be reached, and the figure."""
    clips = pack.samples.values()
    before, after = np.array([sound_level.silence_at_ends(clip) for clip in clips]).max(axis=0)
    megabytes = sum(file.stat().st_size for file in pack.files.values()) / 1e6
    yield "clips", "", f"{len(clips)}, {sum(map(len, clips)) / RATE:.0f} s in all, {megabytes:.1f} MB"
    yield "bandwidth", "", f"{sound_level.bandwidth(np.concatenate([*clips])) / 1000:.1f} kHz"
    yield ("loudest 400 ms of a clip", "within 2 LU",
           span([sound_level.maximum_momentary(clip) for clip in clips], "LUFS", 2))
    yield "true peak", "-1 dBTP", f"{max(map(sound_level.true_peak, clips)):.1f} dBTP at most"
    yield ("silence before, after (-40 dB of the peak)", "15 and 40 ms",
           f"{before:.0f} and {after:.0f} ms at most")
    yield "DC", "under 0.1 %", f"{100 * max(abs(clip.mean()) for clip in clips):.5f} % at most"
    yield ("first and last sample", "under -60 dBFS",
           f"{max(max(abs(clip[0]), abs(clip[-1])) for clip in clips):g}")


def phrase_figures(pack, clock):
    phrases = {time: pack.joined(clock, *time)[0] for time in MINUTES}
    quarters = [len(clip) / RATE for (_, minute), clip in phrases.items() if minute in (15, 30, 45)]
    yield (f"{clock} h, loudness of 1,440 phrases", "-20 ±1 LUFS",
           span([*map(sound_level.integrated, phrases.values())], "LUFS", 2))
    yield (f"{clock} h, length at :15, :30 and :45", "",
           f"{span(quarters, 's', 2)}, mean {np.mean(quarters):.2f} s")


def figures(pack):
    yield from clip_figures(pack)
    for clock in CLOCKS:
        yield from phrase_figures(pack, clock)


packs = [Pack(folder) for folder in shipped_packs()]
print(f"| what | target | {' | '.join(pack.name for pack in packs)} |\n|---|---|{'---|' * len(packs)}")
for row in zip(*map(figures, packs)):
    what, target, _ = row[0]
    print(f"| {what} | {target} | {' | '.join(figure for _, _, figure in row)} |")
