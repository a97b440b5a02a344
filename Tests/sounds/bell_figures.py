#!/usr/bin/python3
"""Prints the figures of the bells that ship: the tables in sounds/bells/README.md.

With --partials, every partial of the bells that were measured instead: as it was measured in the
tower, and as it is found in the takes.
"""

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


def fitted(bell, takes):
    """The partials as the table wants them, and as found: rows of frequency, T60 and level in each take."""
    wanted = np.array(bell.partials)
    found = bell_partials.fit([take[:-int(checks.FADE_SECONDS * RATE)] for take in takes], wanted[:, :2])
    found[:, 2:] = decibels(found[:, 2:]) - bell.level
    return wanted, found


def bell_row(bell, takes):
    wanted, found = fitted(bell, takes)
    heard = np.array([not checks.is_masked(t60, level) for _, t60, level in wanted])
    wanted, found = wanted[heard], found[heard]
    hertz = np.abs(found[:, 0] - wanted[:, 0]).max()
    t60 = 100 * np.abs(found[:, 1] / wanted[:, 1] - 1).max()
    level = np.abs(found[:, 2:] - wanted[:, 2:]).max()
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


def partial_rows(bell, takes):
    for (hertz, t60, level), (hertz_found, t60_found, *levels) in zip(*fitted(bell, takes), strict=True):
        yield (f"| {bell.name} | {hertz:.2f} | {hertz_found:.2f} | {t60:.1f} | {t60_found:.1f} | {level:.1f} "
               f"| {', '.join(f'{found:.1f}' for found in levels)} |")


def print_table(heads, rows):
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(row)
    print()


recordings = Recordings()
if sys.argv[1:] == ["--partials"]:
    measured = [(bell, takes) for bell, takes in recordings.bells() if bell.is_measured]
    print_table(["bell", "Hz", "found", "T60, s", "found", "dB", "found in each take"],
                (row for bell, takes in measured for row in partial_rows(bell, takes)))
    sys.exit()
if sys.argv[1:]:
    sys.exit("usage: bell_figures.py [--partials]")
print_table(["bell", "takes", "partials found", "frequency off", "T60 off", "level off",
             "within 3 dB of the peak after"], (bell_row(bell, takes) for bell, takes in recordings.bells()))
print_table(["the Great Bell", "measured in the tower", "the takes"], great_bell_rows(recordings.samples["E3"]))
heard = {name: bell_tunes.mixed(notes, recordings.samples) for name, notes in checks.tunes().items()}
print_table(["tune", "loudness", "true peak"], (
    f"| {name} | {sound_level.integrated(sound):.1f} LUFS | {sound_level.true_peak(sound):.1f} dBTP |"
    for name, sound in heard.items()))
