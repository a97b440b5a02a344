"""How a person says a time in English, written down independently of the voice pack."""

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " \
    "fifteen sixteen seventeen eighteen nineteen".split()
TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty"}


def number(value):
    if value < 20:
        return ONES[value]
    ten, one = divmod(value, 10)
    return TENS[ten] + (f"-{ONES[one]}" if one else "")


def two_digits(value):
    return f"oh {number(value)}" if 0 < value < 10 else number(value)


def words(hour, minute, clock=12):
    """The words for this time of day."""
    if clock == 24:
        return f"{two_digits(hour)} {two_digits(minute) if minute else 'hundred'}"
    twelve = number(12 if hour % 12 == 0 else hour % 12)
    if minute == 0:
        return f"{twelve} o'clock"
    return f"{twelve} {two_digits(minute)} {'A M' if hour < 12 else 'P M'}"
