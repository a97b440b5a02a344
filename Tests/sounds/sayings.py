"""How times are said in English, one word at a time, as a recogniser writes them."""

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


def said(clock, hour, minute):
    if clock == 24:
        return f"{with_oh(hour)} {with_oh(minute) if minute else 'hundred'}"
    on_dial = cardinal(hour % 12 or 12)
    if not minute:
        return f"{on_dial} oclock"
    return f"{on_dial} {with_oh(minute)} {'am' if hour < 12 else 'pm'}"


def as_heard(text):
    """A text of voice.conf as the recogniser would write it."""
    return text.lower().replace("-", " ").replace("'", "").replace("a m", "am").replace("p m", "pm")
