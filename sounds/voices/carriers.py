"""The clips of the English voices, and the sentences from which they are cut."""

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
    """The words of a minute, or of an hour of the 24-hour clock: 5 is "oh five", but 0 is "zero"."""
    return f"oh {number(n)}" if 1 <= n <= 9 else number(n)


ENDING_IN_A_VOWEL = "zero two three four twenty".split()


def before(text, words):
    """The words of WORDS that may stand before TEXT in a carrier.

    A TEXT that begins with a vowel is cut off only after a vowel: enough of a
    consonant would stay to be heard as a word, "thirty-two A M" for "thirty A M".
    """
    if text[0].lower() not in "aeio":
        return words
    return [word for word in words if re.split("[ -]", word)[-1] in ENDING_IN_A_VOWEL]


def english_clips():
    """The clips of both clocks. In a carrier, square brackets mark the part to cut out.

    Most clips have several carriers, which differ in the neighbouring word, so
    that the one with the best cut can be chosen.
    """
    hours12 = [number(h) for h in range(1, 13)]
    hours24 = [two_digits(h) for h in range(24)]
    minutes = [two_digits(m) for m in range(1, 60)]
    after_hour = "ten fifteen twenty thirty forty-five".split()
    # Before A M the tens are most often confused, so A M is cut from a carrier with a ten.
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
    """The clips of timers and intervals, and of a clock that does not know the time. Each word of an interval is a
    sentence by itself."""
    numbers = [number(n) for n in range(1, 60)]
    units = "hour minute second".split()
    some = "two three four five six eight ten twelve twenty thirty".split()

    clips = []
    for n, said in enumerate(numbers, 1):
        plural = "s" if n > 1 else ""
        clips.append(Clip(f"number-{n}", said, [f"[{said}] {unit}{plural} left." for unit in units[1:]]))
    clips += [Clip(f"number-{n}-end", said, [f"round [{said}]."]) for n, said in enumerate(numbers[:9], 1)]
    for unit in units:
        # The H of "hour" is silent.
        counted = before("our" if unit == "hour" else unit, some)
        clips.append(Clip(f"{unit}", unit, [f"{n} [{unit}] timer." for n in counted]))
        clips.append(Clip(f"{unit}s", f"{unit}s", [f"{n} [{unit}s] left." for n in counted]))
    clips.append(Clip("and-a-half", "and a half",
                      [f"{n} [and a half] {unit}s left." for n in before("and", some) for unit in units]))
    clips.append(Clip("left", "left", [f"{n} {unit}s [left]." for n in some for unit in units]))
    clips.append(Clip("timer", "timer", [f"{n} {unit} [timer]." for n in some for unit in units]))
    clips.append(Clip("round", "round", [f"[round] {n}." for n in numbers[:9]]))
    clips += [Clip(word, word, [f"[{word}]."]) for word in "work rest half go done".split()]
    clips.append(Clip("i-do-not", "I do not", ["[I do not] know the time yet."]))
    clips.append(Clip("know-the-time-yet", "know the time yet", ["I do not [know the time yet]."]))
    return clips


HOURS = [number(h) for h in range(1, 13)]
# The multiples of five that have their own clips, counted in minutes past or to an hour.
FIVES = {5: "five", 10: "ten", 15: "quarter", 20: "twenty", 25: "twenty-five"}
PARTS_OF_DAY = {"morning": "in the morning", "afternoon": "in the afternoon", "evening": "in the evening",
                "night": "at night"}


def natural_clips():
    """The clips of the styles natural and natural-day, and "it is".

    The numbers of minutes use the clips of timers.
    """
    pasts = [f"{said} past" for said in FIVES.values()] + ["half past"]
    tos = [f"{said} to" for said in FIVES.values()]
    counted = [f"{n} minutes {way}" for n in "three six seven eight eleven twenty-two".split() for way in ("past", "to")]
    to_a_vowel = [*tos, "three minutes to"]

    def led(said):
        """The words that may stand before an hour: only "to" if it begins with a vowel, as in `before`."""
        return to_a_vowel if said[0] in "aeio" else [*pasts, *tos, *counted]

    clips = [Clip("it-is", "it is", [f"[it is] {h} {m} P M." for h in HOURS for m in ("ten", "fifteen")])]
    for minute, said in FIVES.items():
        clips.append(Clip(f"past-{minute}", f"{said} past", [f"[{said} past] {h}." for h in HOURS]))
        clips.append(Clip(f"to-{minute}", f"{said} to", [f"[{said} to] {h}." for h in HOURS]))
    clips.append(Clip("past-30", "half past", [f"[half past] {h}." for h in HOURS]))
    for way in ("past", "to"):
        clips.append(Clip(f"minute-{way}", f"minute {way}", [f"one [minute {way}] {h}." for h in HOURS]))
        clips.append(Clip(f"minutes-{way}", f"minutes {way}", [f"{n} [minutes {way}] {h}."
                                                             for n in "three twelve twenty-two".split() for h in HOURS]))
    clips += [Clip(f"hour-{h}-end", said, [f"{way} [{said}]." for way in led(said)]) for h, said in enumerate(HOURS, 1)]
    clips += [Clip(f"hour-{h}-day", said, [f"{way} [{said}] {part}." for way in led(said)
                                           for part in PARTS_OF_DAY.values()]) for h, said in enumerate(HOURS, 1)]
    for part, said in PARTS_OF_DAY.items():
        clips.append(Clip(part, said, [f"{way} {h} [{said}]." for way in ("half past", "five to", "quarter past")
                                       for h in before(said, HOURS)]))
    return clips + [Clip(word, word, [f"it is [{word}]."]) for word in ("noon", "midnight")]


def clips_in_few():
    return english_clips() + timer_clips() + natural_clips()


def clips_in_plenty():
    """The same clips as clips_in_few, with a carrier for nearly every possible neighbour.

    For a fast engine, with a choice by how well the clips meet.
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
            # Not before P M: cut before the closure of P, the minute would end in a gap, and before A M be heard
            # as "thirty-eight A M". The clip of P M has its own closure.
            return [f"{h} [{said}] A M." for h in before(said, hours12)]
        if name in ("am", "pm"):
            return [f"nine {m} [{said}]." for m in before(said, minutes)]
        if kind == "hour24-":
            return [f"[{said}] {m}." for m in minutes]
        if kind == "number-":
            plural = "" if said == "one" else "s"
            return [f"[{said}] {unit} timer." for unit in units] + [f"[{said}] {unit}{plural} left." for unit in units]
        if name in units:
            # The H of "hour" is silent.
            return [f"{n} [{said}] timer." for n in before(said.removeprefix("h"), numbers)]
        if name.removesuffix("s") in units:
            return [f"{n} [{said}] left." for n in before(said.removeprefix("h"), numbers[1:])]
        return None

    return [Clip(clip.name, clip.text, carriers(clip.name, clip.text) or clip.carriers)
            for clip in clips_in_few()]


def neighbours():
    """{(clip, next clip): how often they meet}. Quarters of an hour are spoken most, so they count tenfold."""
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
    pairs |= {("i-do-not", "know-the-time-yet"): 1}
    pairs |= {("round", f"number-{n}-end"): 1 for n in range(1, 10)}
    return pairs | {("round", f"minute-{n}-end"): 1 for n in range(10, 60)}


def natural_neighbours():
    """As neighbours, for the pairs with a clip of the styles natural and natural-day or with "it is"."""
    pairs = {}
    for h in range(1, 13):
        for ending in ("end", "day"):
            pairs |= {(f"past-{m}", f"hour-{h}-{ending}"): 10 if m in (15, 30) else 1 for m in (*FIVES, 30)}
            pairs |= {(f"to-{m}", f"hour-{h}-{ending}"): 10 if m == 15 else 1 for m in FIVES}
            # Of each hour, 24 minutes past and 24 to are counted in minutes, and one of each 24 is "one minute".
            pairs |= {(f"minutes-{way}", f"hour-{h}-{ending}"): 20 for way in ("past", "to")}
            pairs |= {(f"minute-{way}", f"hour-{h}-{ending}"): 1 for way in ("past", "to")}
        pairs |= {(first, part): 10 for first in (f"hour-{h}-day", "oclock") for part in PARTS_OF_DAY}
        firsts = [f"hour-{h}", f"hour-{h}-oclock"]
        pairs |= {("it-is", first): 10 for first in firsts}
    for way in ("past", "to"):
        pairs |= {("number-1", f"minute-{way}"): 1}
        pairs |= {(f"number-{n}", f"minutes-{way}"): 1 for n in range(2, 30)}
    pairs |= {("it-is", f"past-{m}"): 1 for m in (*FIVES, 30)} | {("it-is", f"to-{m}"): 1 for m in FIVES}
    pairs |= {("it-is", first): 1 for first in ("noon", "midnight", *(f"number-{n}" for n in range(1, 30)))}
    return pairs | {("it-is", f"hour24-{h}{ending}"): 1 for h in range(24) for ending in ("", "-hundred")}
