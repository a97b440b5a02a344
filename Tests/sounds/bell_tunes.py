"""Tunes mixed from the strikes that ship, to judge their loudness and peaks.

They are written down from the facts about the clocks, not from the program, so that the two can
disagree. Most gaps differ from those of the shipped tunes.
"""

import numpy as np

RATE = 48000

CHANGES = {1: "G#4 F#4 E4 B3", 2: "E4 G#4 F#4 B3", 3: "E4 F#4 G#4 E4", 4: "G#4 E4 F#4 B3", 5: "B3 F#4 G#4 E4"}
# The changes of each quarter, and the seconds from one note to the next, as measured at the clock.
QUARTERS = {
    "first quarter": ([1], [.86, .85, .73]),
    "half": ([2, 3], [.67, .83, .70, 1.44, .67, .69, .73]),
    "third quarter": ([4, 5, 1], [.95, .89, .69, 1.54, .83, .69, .66, 1.36, .71, .70, .66]),
    "hour melody": ([2, 3, 4, 5], [.68, .83, .65, 1.47, .69, .60, .67, 1.21, .66, .71, .59, 1.41, .78, .59, .61]),
}
BLOW_GAP = 4.14
# From the first note of the hour's melody to the first blow.
LEAD = 23.0

# The bells of a ring from the lowest up: number 1 is the first, 8 the top of the octave.
OCTAVE = ["E4", "F#4", "G#4", "A4", "B4", "C#5", "D#5", "E5"]
RINGS = {"whittington": "84736251 65432781 86427531 24687531", "stmichaels": "82347561 54362781 78342561 57384261"}
RING_GAP, RING_PAUSE = 0.33, 1.67

CUCKOO_GAP = 1.25


def quarter(name):
    """Notes of a quarter of Westminster: (seconds, bell)."""
    changes, gaps = QUARTERS[name]
    bells = " ".join(CHANGES[change] for change in changes).split()
    return list(zip(np.cumsum([0, *gaps]), bells, strict=True))


def blows(hour):
    return [(BLOW_GAP * index, "E3") for index in range(hour)]


def westminster(hour):
    return quarter("hour melody") + [(LEAD + time, bell) for time, bell in blows(hour)]


def ring(name):
    notes, time = [], 0.0
    for change in RINGS[name].split():
        for number in change:
            notes.append((time, OCTAVE[int(number) - 1]))
            time += RING_GAP
        time += RING_PAUSE - RING_GAP
    return notes


def ships_bell(strokes):
    """Strokes in pairs; an odd stroke comes last."""
    return [(2.0 * (stroke // 2) + 0.7 * (stroke % 2), "ship") for stroke in range(strokes)]


def pips():
    return [(float(second), "pip") for second in range(5)] + [(5.0, "pip-long")]


def cuckoo(hour):
    return [(CUCKOO_GAP * index, "cuckoo") for index in range(hour)]


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
