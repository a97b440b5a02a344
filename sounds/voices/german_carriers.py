"""The clips of the German voice, the sentences from which they are cut, and the rules that join them."""

import collections
import itertools
import re

Clip = collections.namedtuple("Clip", "name text carriers")

UNITS = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn " \
    "achtzehn neunzehn".split()
TENS = {20: "zwanzig", 30: "dreißig", 40: "vierzig", 50: "fünfzig"}
# The minutes, hours, hour names and numbers to speak beside a clip; each begins or ends in another sound.
MINUTES_BESIDE = 5, 10, 15, 30, 45, 8
HOURS_BESIDE = 3, 8, 9, 11, 15, 21
NAMES_BESIDE = 1, 3, 4, 8, 9, 12
NUMBERS_BESIDE = 3, 5, 8, 20


def number(value):
    """A number in counting: "eins", "einundzwanzig"."""
    if value < 20:
        return UNITS[value]
    ten, unit = TENS[value // 10 * 10], value % 10
    return f"{'ein' if unit == 1 else UNITS[unit]}und{ten}" if unit else ten


def hour(value):
    return f"{'ein' if value == 1 else number(value)} Uhr"


# The words of the natural style before the hour's name, by minute.
FIVES = {5: "fünf nach", 10: "zehn nach", 15: "Viertel nach", 20: "zwanzig nach", 25: "fünf vor halb", 30: "halb",
         35: "fünf nach halb", 40: "zwanzig vor", 45: "Viertel vor", 50: "zehn vor", 55: "fünf vor"}


def natural_rules():
    """Rules: past the hour up to minute 24, then before and after the half hour, from minute 36 to the next hour."""
    yield "0000", "mitternacht"
    yield "1200", "zwoelf-uhr-mittags"
    yield "**00", "hour12-{hour12}"
    for minute in range(1, 60):
        name = "name-{hour12}" if minute < 25 else "name-{next12}"
        if minute in FIVES:
            yield f"**{minute:02}", f"five-{minute} {name}"
            continue
        if minute < 25:
            count, words = minute, "nach"
        elif minute < 36:
            count, words = abs(minute - 30), "vor-halb" if minute < 30 else "nach-halb"
        else:
            count, words = 60 - minute, "vor"
        yield f"**{minute:02}", f"number-{count} {'minute' if count == 1 else 'minuten'}-{words} {name}"


def counted(numbers, blanks):
    """The clips of a length by its pattern. Each of NUMBERS is two digits or "**", or None without that unit."""
    parts = [(blank, "01" == digits, unit) for blank, digits, unit in zip(
        blanks, numbers, ("stunde", "minute", "sekunde")) if digits]
    for place, (blank, is_one, unit) in enumerate(parts):
        behind = {len(parts) - 1: "-end", len(parts) - 2: "-und"}.get(place, "-mid")
        yield f"number-{blank} {unit}{'' if is_one else 'n'}{behind}"


def timer_rules(opening, lengths):
    """Rules for LENGTHS: tuples of patterns of two digits, of which "00" is not spoken."""
    for numbers in lengths:
        spoken = [None if digits == "00" else digits for digits in numbers]
        blanks = [digits.lstrip("0") if digits.isdigit() else blank
                  for digits, blank in zip(numbers, ("{hours}", "{minutes}", "{seconds}"))]
        yield "".join(numbers), " ".join([opening, *counted(spoken, blanks)])


# The time left is rounded: to half hours, half minutes, seconds.
LEFT = [("00", "00", "01"), ("00", "00", "**"), ("00", "01", "00"), ("00", "01", "30"), ("00", "**", "00"), ("00", "**", "30"),
        ("01", "00", "00"), ("01", "30", "00"), ("**", "00", "00"), ("**", "30", "00")]
LENGTHS = [numbers for numbers in itertools.product(("00", "01", "**"), repeat=3) if set(numbers) != {"00"}]


def written(rules):
    return "\n".join(f"{pattern} = {phrase}" for pattern, phrase in rules)


CONF = f"""\
[voice]
language = de
description = German, female (SVOX Pico)
licence = LICENCE
crossfade = {{crossfade}}ms

; hhmm, where * is any digit; the first that matches is spoken
[clock 24]
**00 = hour-{{{{hour24}}}}-end
**** = hour-{{{{hour24}}}} minute-{{{{minute}}}}

; as people say it
[clock 12 natural]
{written(natural_rules()).replace("{", "{{").replace("}", "}}")}

; hhmmss: what is left of a timer, rounded
[left]
{written(timer_rules("noch", LEFT)).replace("{", "{{").replace("}", "}}")}

; hhmmss: a timer by how long it is
[timer]
{written(timer_rules("timer-ueber", LENGTHS)).replace("{", "{{").replace("}", "}}")}

; the words of an interval; the number of a round may have a pattern of two digits
[interval]
work = training
rest = pause
half = halbzeit
go = los
done = fertig
round ** = runde minute-{{{{number}}}}

; a name that stands for several clips, one after the other
[chains]
number-1 = eine
{written((f"hour12-{value}", f"hour-{value}-end") for value in range(1, 13))}

; clip = what it says
[clips]
{{clips}}
"""


# ---- The clips -------------------------------------------------------------------

def time_clips():
    for value in range(24):
        yield Clip(f"hour-{value}", hour(value), [f"[{hour(value)}] {number(minute)}." for minute in MINUTES_BESIDE])
        yield Clip(f"hour-{value}-end", hour(value), [f"[{hour(value)}]."])
    for value in range(1, 60):
        yield Clip(f"minute-{value}", number(value), [f"{hour(beside)} [{number(value)}]." for beside in HOURS_BESIDE])


def natural_clips():
    yield Clip("mitternacht", "Mitternacht", ["[Mitternacht]."])
    yield Clip("zwoelf-uhr-mittags", "zwölf Uhr mittags", ["[zwölf Uhr mittags]."])
    for value in range(1, 13):
        before = "Viertel nach", "halb", "Viertel vor", "zehn nach", "zwanzig vor", "drei Minuten vor"
        yield Clip(f"name-{value}", number(value), [f"{words} [{number(value)}]." for words in before])
    for minute, words in FIVES.items():
        yield Clip(f"five-{minute}", words, [f"[{words}] {number(name)}." for name in NAMES_BESIDE])
    for unit, count in ("Minute", ["eine"]), ("Minuten", [number(beside) for beside in NUMBERS_BESIDE]):
        for words in "nach", "vor", "vor halb", "nach halb":
            yield Clip(f"{unit.lower()}-{words.replace(' ', '-')}", f"{unit} {words}", [
                f"{beside} [{unit} {words}] {number(name)}." for beside, name in itertools.product(count, NAMES_BESIDE)])


def timer_clips():
    units = "Stunden", "Minuten", "Sekunden"
    yield Clip("noch", "noch", [f"[noch] {number(beside)} {unit}." for beside in NUMBERS_BESIDE for unit in units])
    yield Clip("timer-ueber", "Timer über", [f"[Timer über] {number(beside)} Minuten." for beside in NUMBERS_BESIDE])
    yield Clip("eine", "eine", [f"{words} [eine] {unit}." for words in ("noch", "Timer über")
                                for unit in ("Stunde", "Minute", "Sekunde")])
    for value in range(2, 60):
        yield Clip(f"number-{value}", number(value), [
            f"noch [{number(value)}] {unit}." for unit in units])
    beside = [number(value) for value in NUMBERS_BESIDE]
    for unit in "Stunde", "Minute", "Sekunde":
        for words, before in (unit, ["eine"]), (f"{unit}n", beside):
            name = words.lower()
            yield Clip(f"{name}-end", words, [f"noch {count} [{words}]." for count in before])
            if unit != "Sekunde":
                smaller = "Minuten" if unit == "Stunde" else "Sekunden"
                yield Clip(f"{name}-und", f"{words} und", [
                    f"noch {count} [{words} und] {other} {smaller}." for count in before for other in ("dreißig", "fünf")])
            if unit == "Stunde":
                yield Clip(f"{name}-mid", words, [
                    f"Timer über {count} [{words}] {other} Minuten." for count in before for other in ("dreißig", "fünf")])
    yield Clip("runde", "Runde", [f"[Runde] {number(count)}." for count in (1, 2, 3, 4, 5, 6, 8, 9, 10)])
    for name in "Training", "Pause", "Halbzeit", "los", "fertig":
        yield Clip(name.lower(), name, [f"[{name}]."])


def clips():
    return [*time_clips(), *natural_clips(), *timer_clips()]


# ---- Which of them meet --------------------------------------------------------------

def filled(phrase, **values):
    return [{"number-1": "eine"}.get(name, name) for name in phrase.format(**values).split()]


def phrases_of_times():
    for at in range(1440):
        if at % 60:
            yield [f"hour-{at // 60}", f"minute-{at % 60}"], 10 if at % 15 == 0 else 1


def phrases_of_natural():
    for pattern, phrase in natural_rules():
        if re.fullmatch(r"\*\*\d\d", pattern) and pattern != "**00":
            for value in range(1, 13):
                yield filled(phrase, hour12=value, next12=value), 2 if pattern[2:] in ("15", "30", "45") else 1


def phrases_of_timers():
    for _, phrase in itertools.chain(timer_rules("noch", LEFT), timer_rules("timer-ueber", LENGTHS)):
        for value in range(2, 60):
            yield filled(phrase, hours=value, minutes=value * 7 % 58 + 2, seconds=value * 11 % 58 + 2), 1
    for value in range(1, 60):
        yield ["runde", f"minute-{value}"], 1


def neighbours(*kinds):
    """How often clips meet, over phrases of the KINDS: {(first, second): weight}."""
    pairs = collections.Counter()
    for kind in kinds:
        for names, weight in {"times": phrases_of_times, "natural": phrases_of_natural, "timers": phrases_of_timers}[kind]():
            for pair in zip(names, names[1:]):
                pairs[pair] += weight
    return pairs
