"""What is said: the sentences that clips are cut out of."""

import collections
import re

Clip = collections.namedtuple("Clip", "name text carriers")

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty".split()


def number(n):
    if n < 20:
        return ONES[n]
    return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")


def two_digits(n):
    """A minute, or an hour of the 24-hour clock: five is "oh five", but zero is "zero"."""
    return f"oh {number(n)}" if 1 <= n <= 9 else number(n)


ENDING_IN_A_VOWEL = "zero two three four twenty".split()


def before(text, words):
    """The words of WORDS that may stand before TEXT in a carrier.

    What begins with a vowel is cut off after a vowel only: of a consonant enough
    would stay to be heard as part of a word, "thirty-two A M" for "thirty A M".
    """
    if text[0].lower() not in "aeio":
        return words
    return [word for word in words if re.split("[ -]", word)[-1] in ENDING_IN_A_VOWEL]


def english_clips():
    """The clips of both clocks. In a carrier, square brackets stand around what is cut out.

    Most have several carriers, which differ in the neighbouring word; the one
    that allows the quietest cut is taken.
    """
    hours12 = [number(h) for h in range(1, 13)]
    hours24 = [two_digits(h) for h in range(24)]
    minutes = [two_digits(m) for m in range(1, 60)]
    after_hour = "ten fifteen twenty thirty forty-five".split()
    # The minutes most often taken for each other before A M are the tens, so it is cut off after one of them.
    before_half = ["twenty"]

    clips = [Clip(f"hour-{h}", said, [f"[{said}] {m} P M." for m in after_hour])
             for h, said in enumerate(hours12, 1)]
    clips += [Clip(f"hour-{h}-oclock", said, [f"[{said}] o'clock."]) for h, said in enumerate(hours12, 1)]
    clips.append(Clip("oclock", "o'clock", [f"{h} [o'clock]." for h in before("o'clock", hours12)]))
    clips += [Clip(f"minute-{m}", said, [f"{h} [{said}] P M." for h in before(said, hours12)])
              for m, said in enumerate(minutes, 1)]
    clips.append(Clip("am", "A M", [f"ten {m} [A M]." for m in before_half]))
    clips.append(Clip("pm", "P M", [f"ten {m} [P M]." for m in minutes[9:]]))
    clips += [Clip(f"hour24-{h}", said, [f"[{said}] {m}." for m in after_hour]) for h, said in enumerate(hours24)]
    clips += [Clip(f"hour24-{h}-hundred", said, [f"[{said}] hundred."]) for h, said in enumerate(hours24)]
    clips.append(Clip("hundred", "hundred", [f"{h} [hundred]." for h in hours24]))
    clips += [Clip(f"minute-{m}-end", said, [f"{h} [{said}]." for h in before(said, hours24)])
              for m, said in enumerate(minutes, 1)]
    return clips


def timer_clips():
    """The clips of timers and intervals; the words of an interval are sentences of their own."""
    numbers = [number(n) for n in range(1, 60)]
    units = "hour minute second".split()
    some = "two three four five six eight ten twelve twenty thirty".split()

    clips = []
    for n, said in enumerate(numbers, 1):
        plural = "s" if n > 1 else ""
        clips.append(Clip(f"number-{n}", said, [f"[{said}] {unit}{plural} left." for unit in units[1:]]))
    clips += [Clip(f"number-{n}-end", said, [f"round [{said}]."]) for n, said in enumerate(numbers[:9], 1)]
    for unit in units:
        # The H of hour is not spoken.
        counted = before("our" if unit == "hour" else unit, some)
        clips.append(Clip(f"{unit}", unit, [f"{n} [{unit}] timer." for n in counted]))
        clips.append(Clip(f"{unit}s", f"{unit}s", [f"{n} [{unit}s] left." for n in counted]))
    clips.append(Clip("and-a-half", "and a half",
                      [f"{n} [and a half] {unit}s left." for n in before("and", some) for unit in units]))
    clips.append(Clip("left", "left", [f"{n} {unit}s [left]." for n in some for unit in units]))
    clips.append(Clip("timer", "timer", [f"{n} {unit} [timer]." for n in some for unit in units]))
    clips.append(Clip("round", "round", [f"[round] {n}." for n in numbers[:9]]))
    clips += [Clip(word, word, [f"[{word}]."]) for word in "work rest half go done".split()]
    return clips


def clips_in_few():
    return english_clips() + timer_clips()


def clips_in_plenty():
    """The clips of both clocks and of timers as above, each in as many carriers as there are neighbours.

    For an engine that is quick, and a choice by how well they meet.
    """
    numbers = [number(n) for n in range(1, 60)]
    minutes = [two_digits(m) for m in range(1, 60)]
    hours12 = [number(h) for h in range(1, 13)]
    hours24 = [two_digits(h) for h in range(24)]
    units = "hour minute second".split()

    def carriers(name, said):
        kind = name.rstrip("0123456789")
        if kind == "hour-":
            return [f"[{said}] {m} P M." for m in minutes]
        if kind == "minute-":
            # Cut off before the closure of P, it would have a gap before A: "thirty-eight A M". The P has its own.
            return [f"{h} [{said}] A M." for h in before(said, hours12)]
        if name in ("am", "pm"):
            return [f"nine {m} [{said}]." for m in before(said, minutes)]
        if kind == "hour24-":
            return [f"[{said}] {m}." for m in minutes]
        if kind == "number-":
            plural = "" if said == "one" else "s"
            return [f"[{said}] {unit} timer." for unit in units] + [f"[{said}] {unit}{plural} left." for unit in units]
        if name in units:
            # The H of hour is not spoken.
            return [f"{n} [{said}] timer." for n in before(said.removeprefix("h"), numbers)]
        if name.removesuffix("s") in units:
            return [f"{n} [{said}] left." for n in before(said.removeprefix("h"), numbers[1:])]
        return None

    return [Clip(clip.name, clip.text, carriers(clip.name, clip.text) or clip.carriers)
            for clip in clips_in_few()]


def neighbours():
    """{(clip, the clip after it): how often they meet}. Quarters of an hour are spoken most, and count tenfold."""
    pairs = {}
    for m in range(1, 60):
        weight = 1 if m % 15 else 10
        pairs |= {(f"hour-{h}", f"minute-{m}"): weight for h in range(1, 13)}
        pairs |= {(f"minute-{m}", half): weight * 12 for half in ("am", "pm")}
        pairs |= {(f"hour24-{h}", f"minute-{m}-end"): weight for h in range(24)}
    pairs |= {(f"hour-{h}-oclock", "oclock"): 10 for h in range(1, 13)}
    pairs |= {(f"hour24-{h}-hundred", "hundred"): 10 for h in range(24)}
    for unit in "hour minute second".split():
        for n in range(1, 60):
            pairs |= {(f"number-{n}", unit): 1, (f"number-{n}", f"{unit}s"): 1}
            pairs |= {(unit, f"number-{n}"): 0.2}
        pairs |= {(unit, "timer"): 60, (f"{unit}s", "left"): 60, (unit, "left"): 1}
        pairs |= {("and-a-half", f"{unit}s"): 60}
    pairs |= {(f"number-{n}", "and-a-half"): 1 for n in range(1, 60)}
    pairs |= {("round", f"number-{n}-end"): 1 for n in range(1, 10)}
    return pairs | {("round", f"minute-{n}-end"): 1 for n in range(10, 60)}
