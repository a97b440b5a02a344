"""Tunes mixed from the strikes that ship, to judge their loudness and peaks.

The bells are written down from the facts about the clocks, so that they and the tunes that ship can
disagree. The times between them are those of the tunes that ship, because the loudness depends on
them.
"""

import itertools
import pathlib

import numpy as np

RATE = 48000
TUNES = pathlib.Path(__file__).resolve().parents[2] / "sounds" / "tunes"

CHANGES = {1: "G#4 F#4 E4 B3", 2: "E4 G#4 F#4 B3", 3: "E4 F#4 G#4 E4", 4: "G#4 E4 F#4 B3", 5: "B3 F#4 G#4 E4"}
# The section of the tune for each quarter, and its changes.
QUARTERS = {
    "first quarter": ("first", [1]), "half": ("half", [2, 3]), "third quarter": ("third", [4, 5, 1]),
    "hour melody": ("hour", [2, 3, 4, 5]),
}

# The bells of a ring from the lowest up: number 1 is the first, 8 the top of the octave.
OCTAVE = ["E4", "F#4", "G#4", "A4", "B4", "C#5", "D#5", "E5"]
RINGS = {"whittington": "84736251 65432781 86427531 24687531", "stmichaels": "82347561 54362781 78342561 57384261"}


def section(tune, name):
    """A section of a tune that ships: {key: value}. Several lines of `notes` are one value."""
    found, inside = {}, False
    for line in (TUNES / f"{tune}.tune").read_text().splitlines():
        if line.startswith("["):
            inside = line == f"[{name}]"
        elif inside and line and not line.startswith(";"):
            key, value = line.split(" = ")
            found[key] = f"{found[key]} {value}" if key in found else value
    return found


def seconds(span):
    """The seconds of a span as in `23s` or `1500ms`."""
    return float(span[:-2]) / 1000 if span.endswith("ms") else float(span[:-1])


def melody(tune, name, bells):
    """The notes of a section, with these bells: (seconds from the first note, bell)."""
    gaps = section(tune, name)["notes"].split()[1::2]
    return list(zip(np.cumsum([0, *map(float, gaps)]), bells, strict=True))


def blows(tune, bell, count):
    """The first blows that count the hour: (seconds from the first blow, bell)."""
    gaps = itertools.cycle(map(float, section(tune, "hour")["gaps"].split()))
    return [(time, bell) for time in np.cumsum([0, *itertools.islice(gaps, count - 1)])]


def quarter(name):
    part, changes = QUARTERS[name]
    return melody("westminster", part, " ".join(CHANGES[change] for change in changes).split())


def westminster(hour):
    lead = seconds(section("westminster", "hour")["lead"])
    return quarter("hour melody") + [(lead + time, bell) for time, bell in blows("westminster", "E3", hour)]


def hour_bell(hour):
    return blows("bigben", "E3", hour)


def ring(name):
    return melody(name, "hour", [OCTAVE[int(number) - 1] for number in RINGS[name].replace(" ", "")])


def ships_bell(strokes):
    return blows("shipsbell", "ship", strokes)


def pips():
    return melody("pips", "hour", ["pip"] * 5 + ["pip-long"])


def cuckoo(hour):
    return blows("cuckoo", "cuckoo", hour)


def mixed(notes, takes):
    """The sound of NOTES. TAKES is {bell: [samples]}; each bell uses its takes in turn."""
    starts = [round(time * RATE) for time, _ in notes]
    struck = dict.fromkeys(takes, 0)
    sounds = []
    for _, bell in notes:
        sounds.append(takes[bell][struck[bell] % len(takes[bell])])
        struck[bell] += 1
    heard = np.zeros(max(start + len(sound) for start, sound in zip(starts, sounds)))
    for start, sound in zip(starts, sounds):
        heard[start:start + len(sound)] += sound
    return heard
