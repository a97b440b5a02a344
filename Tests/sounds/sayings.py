"""How times are said in English, in words as a recogniser writes them."""

UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
DECADES = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty"}


def cardinal(number):
    if number < 20:
        return UNITS[number]
    decade, unit = divmod(number, 10)
    return f"{DECADES[decade]} {UNITS[unit]}" if unit else DECADES[decade]


def with_oh(number):
    return f"oh {cardinal(number)}" if 0 < number < 10 else cardinal(number)


def natural(hour, minute):
    """As most people say it: "past" up to half past, then "to" the next hour."""
    if minute == 0 and hour % 12 == 0:
        return "noon" if hour else "midnight"
    is_past = minute <= 30
    distance = minute if is_past else 60 - minute
    named = cardinal((hour if is_past else hour + 1) % 12 or 12)
    if distance == 0:
        return f"{named} oclock"
    if distance % 5 == 0:
        counted = {15: "quarter", 30: "half"}.get(distance, cardinal(distance))
    else:
        # Only multiples of five go without "minutes": nobody says "three past four".
        counted = f"{cardinal(distance)} minute{'s' if distance > 1 else ''}"
    return f"{counted} {'past' if is_past else 'to'} {named}"


def with_part_of_day(hour, minute):
    """The natural style with the part of the day, except at noon and midnight. 0:30 is still "at night", 0:31 "in the
    morning"."""
    minutes = 60 * hour + minute
    ends = [(30, "at night"), (719, "in the morning"), (1079, "in the afternoon"), (1319, "in the evening"),
            (1439, "at night")]
    part = next(part for end, part in ends if minutes <= end)
    return natural(hour, minute) + (f" {part}" if minutes % 720 else "")


def said(clock, hour, minute):
    """The words of a time. CLOCK is 12 or 24, or 12 with a style, as in "12 natural"."""
    if clock == "12 natural":
        return natural(hour, minute)
    if clock == "12 natural-day":
        return with_part_of_day(hour, minute)
    if clock == 24:
        return f"{with_oh(hour)} {with_oh(minute) if minute else 'hundred'}"
    on_dial = cardinal(hour % 12 or 12)
    if not minute:
        return f"{on_dial} oclock"
    return f"{on_dial} {with_oh(minute)} {'am' if hour < 12 else 'pm'}"


def as_heard(text):
    """A text of voice.conf, as the recogniser would write it."""
    return text.lower().replace("-", " ").replace("'", "").replace("a m", "am").replace("p m", "pm")
