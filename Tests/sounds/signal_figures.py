#!/usr/bin/python3
"""Prints the figures of the signals that ship: the tables in sounds/signals/README.md."""

import sys

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import signal_checks as checks  # noqa: E402
import signal_hearing as hearing  # noqa: E402
import sound_level  # noqa: E402
from sound_level import RATE  # noqa: E402

SEEDS = range(4)


def print_table(heads, rows):
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def figures(name, samples):
    notes = hearing.heard_notes(samples)
    return (name, " ".join(note for _, note in notes), f"{len(samples) / RATE:.2f} s", f"{checks.loudness(samples):.1f} LUFS",
            f"{sound_level.true_peak(samples):.1f} dBTP", f"{100 * checks.audible_share(samples):.0f} %")


def apart(known_by):
    for one, (colour, melody) in known_by.items():
        yield (one, *("" if one == other else f"{hearing.colour_distance(colour, theirs):.1f}, "
                      f"{hearing.melody_distance(melody, notes):.1f}" for other, (theirs, notes) in known_by.items()))


def worst(sounds, known_by, under, speaker):
    """The signal that is hardest to know, and its distance from itself as a share of that to the nearest other."""
    parts = {}
    for name, samples in sounds.items():
        for seed in SEEDS:
            found = checks.distances(checks.disturbed(samples, under, speaker, seed), known_by)
            itself, nearest, other = checks.to_itself_and_nearest(name, found)
            parts[name, nearest] = max(parts.get((name, nearest), 0), itself / other)
    (name, nearest), part = max(parts.items(), key=lambda pair: pair[1])
    return f"{name} ({nearest}): {part:.2f}"


if sys.argv[1:]:
    sys.exit("usage: signal_figures.py")
sounds = checks.shipped()
known_by = checks.references(sounds)
print_table(["signal", "notes", "length", "loudest 400 ms", "true peak", "400 Hz to 4 kHz"],
            (figures(name, samples) for name, samples in sounds.items()))
print_table(["dB, notes", *sounds], apart(known_by))
rows = checks.confusion(sounds, known_by, checks.speech, hearing.small_speaker, SEEDS)
print_table(["dB", *sounds], ((name, *(f"{distance:.1f}" for distance in row)) for name, row in rows.items()))
print_table(["under it", "heard as it is", "through a small speaker"], (
    (under.__name__, *(worst(sounds, known_by, under, speaker) for speaker in (np.copy, hearing.small_speaker)))
    for under in (checks.alone, checks.noise, checks.speech)))
