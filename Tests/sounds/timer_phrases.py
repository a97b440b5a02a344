"""The phrases of timers and intervals that the tests know, and their words.

A phrase is a tuple: ("left", hours, minutes, seconds), ("timer", hours, minutes, seconds),
("round", number), or a word of an interval by itself, as ("work",). ("untrusted",) is the answer to
the button of a clock that is not trusted; the packs in other languages have none.
"""

from sayings import cardinal

WORDS = [("work",), ("rest",), ("half",), ("go",), ("done",)]
ROUNDS = [("round", number) for number in range(1, 60)]
# The time left is rounded: to seconds below ten, to ten seconds, half a minute, half an hour.
LEFT = [("left", 0, 0, seconds) for seconds in [*range(1, 10), *range(10, 60, 10)]]
LEFT += [("left", 0, minutes, seconds) for minutes in range(1, 60) for seconds in (0, 30)]
LEFT += [("left", hours, minutes, 0) for hours in range(1, 60) for minutes in (0, 30)]
# Every number with every unit, and with another number in each pair of units.
TIMERS = [("timer", *length) for number in range(1, 60) for other in [number * 7 % 59 + 1] for length in [
    (number, 0, 0), (0, number, 0), (0, 0, number), (number, other, 0), (0, number, other), (number, 0, other)]]
TIMERS += [("timer", number, number * 7 % 59 + 1, number * 11 % 59 + 1) for number in range(1, 60)]
ALL = WORDS + ROUNDS + LEFT + TIMERS
ENGLISH = ALL + [("untrusted",)]

# A sample: every number's clip for timers, every unit, and the most common timers.
SAMPLE = WORDS + ROUNDS[:12] + LEFT[:16] + [("left", 0, minutes, 0) for minutes in range(3, 60)]
SAMPLE += [("left", 0, 4, 30), ("left", 1, 0, 0), ("left", 1, 30, 0), ("left", 2, 0, 0)]
SAMPLE += [("timer", *length) for length in [(0, 1, 0), (0, 3, 0), (0, 5, 0), (0, 10, 0), (0, 15, 0), (0, 45, 0), (1, 0, 0),
                                             (0, 1, 30), (1, 30, 0), (0, 0, 30), (2, 0, 0), (0, 2, 15)]]


def said(phrase):
    """A phrase as the recogniser would write it."""
    kind, *numbers = phrase
    if kind == "round":
        return f"round {cardinal(*numbers)}"
    units = [(number, unit) for number, unit in zip(numbers, ("hour", "minute", "second")) if number]
    if kind == "timer":
        return " ".join(f"{cardinal(number)} {unit}" for number, unit in units) + " timer"
    if kind == "left":
        (number, unit), *rest = units
        assert rest in ([], [(30, "minute")], [(30, "second")])
        return f"{cardinal(number)}{' and a half' if rest else ''} {unit}{'s' if number > 1 or rest else ''} left"
    return "i do not know the time yet" if kind == "untrusted" else kind
