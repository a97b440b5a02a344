#!/usr/bin/python3
"""Prints the figures of the bells that ship: the tables in sounds/bells/README.md."""

import sys

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import bell_checks as checks  # noqa: E402
import bell_partials  # noqa: E402
import bell_tunes  # noqa: E402
import sound_level  # noqa: E402
from bell_table import Recordings  # noqa: E402
from sound_level import RATE, decibels  # noqa: E402


def span(values, unit, digits=1):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} {unit}"


def bell_row(bell, takes):
    wanted = np.array(bell.partials)
    found = bell_partials.fit([take[:-int(checks.FADE_SECONDS * RATE)] for take in takes], wanted[:, :2])
    heard = wanted[:, 1] >= checks.MASKED_BELOW_T60
    wanted, found = wanted[heard], found[heard]
    hertz = np.abs(found[:, 0] - wanted[:, 0]).max()
    t60 = 100 * np.abs(found[:, 1] / wanted[:, 1] - 1).max()
    level = np.abs(decibels(found[:, 2:]) - bell.level - wanted[:, 2:]).max()
    attacks = [checks.attack_milliseconds(take, 10) for take in takes]
    return (f"| {bell.name} | {len(takes)} x {len(takes[0]) / RATE:.0f} s | {heard.sum()} of {len(heard)} | {hertz:.3f} Hz "
            f"| {t60:.1f} % | {level:.1f} dB | {span(attacks, 'ms', 0)} |")


def great_bell_rows(takes):
    for time, wanted in {0.5: -2.6, 1: -4.2, 2: -11, 4: -20.6, 6: -28}.items():
        falls = [checks.level(take, time, 0.2) - checks.level(take, 0, 0.2) for take in takes]
        yield f"| level after {time} s | {wanted} dB | {', '.join(f'{fall:.1f}' for fall in falls)} dB |"
    for time, wanted in {0: 1160, 1: 830, 2: 730, 4: 460}.items():
        centroids = [checks.centroid(take, time, 0.4) for take in takes]
        yield f"| centroid after {time} s | {wanted} Hz | {', '.join(f'{hertz:.0f}' for hertz in centroids)} Hz |"


recordings = Recordings()
print("| bell | takes | partials found | frequency off | T60 off | level off | within 3 dB of the peak after |\n"
      "|---|---|---|---|---|---|---|")
for bell, takes in recordings.bells():
    print(bell_row(bell, takes))
print("\n| the Great Bell | measured in the tower | the takes |\n|---|---|---|")
for row in great_bell_rows(recordings.samples["E3"]):
    print(row)
print("\n| tune | loudness | true peak |\n|---|---|---|")
for name, notes, _ in checks.tunes():
    heard = bell_tunes.mixed(notes, recordings.samples)
    print(f"| {name} | {sound_level.integrated(heard):.1f} LUFS | {sound_level.true_peak(heard):.1f} dBTP |")
