"""What the agenda lists agrees with an independent reading of tzdata.

That reading is Python's zoneinfo. It is asked about every minute of UTC, or every second where an
offset has seconds. So it needs to know nothing about changes of the offset.
"""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest

# How a person says a time in English, written down independently of the voice.
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


# A zone, the local times from which and up to which it is listed, and the interval.
STRETCHES = {
    **{f"{zone} 2026": (zone, datetime(2026, 1, 1), datetime(2027, 1, 1), 60) for zone in [
        "Africa/Casablanca", "America/New_York", "Europe/Dublin", "Pacific/Chatham"]},
    **{f"{zone} {year}": (zone, datetime(year - 1, 12, 31, 12), datetime(year + 1, 1, 1), 60) for zone, year in [
        # A day left out, half an hour back for good, a new base between whole hours.
        ("Pacific/Apia", 2011), ("Asia/Pyongyang", 2015), ("America/Caracas", 2007),
        # Summer time of half an hour, of two hours, and broken off for Ramadan.
        ("Australia/Lord_Howe", 1985), ("Antarctica/Troll", 2005), ("Africa/Cairo", 2010)]},
    # Odd offsets, from a day before the clocks change on; Nepal's never do.
    **{f"{zone} every {interval} min": (zone, day, day + timedelta(days=3), interval)
       for interval in (1, 15, 20) for zone, day in [
           ("Asia/Kathmandu", datetime(2026, 4, 4)), ("Australia/Lord_Howe", datetime(2026, 4, 4)),
           ("America/St_Johns", datetime(2026, 3, 7))]},
    # Liberia was 44 min 30 s behind until the seventh of January 1972.
    "an offset with seconds": ("Africa/Monrovia", datetime(1972, 1, 6), datetime(1972, 1, 8), 15),
    "the last day of all": ("Europe/Berlin", datetime(2200, 12, 30), datetime(2200, 12, 31, 23), 15),
}


def instant_of(local, zone):
    """The first second of UTC at which the zone's clocks show this."""
    return int(local.replace(tzinfo=zone, fold=0).timestamp())


def expected(zone, start, end, interval, step):
    """The occasions from one local time to just before another, found by trying every `step` s."""
    for second in range(instant_of(start, zone), instant_of(end, zone), step):
        local = datetime.fromtimestamp(second, zone)
        if local.second == 0 and local.minute % interval == 0:
            utc = datetime.fromtimestamp(second, timezone.utc)
            yield utc.strftime("%Y-%m-%dT%H:%M:%SZ"), local.isoformat(), words(local.hour, local.minute)


@pytest.mark.parametrize("stretch", STRETCHES)
@pytest.mark.rule("wall-clock", "daylight-saving")
def test_every_announcement_is_where_tzdata_puts_it(clocksmith, stretch):
    name, start, end, interval = STRETCHES[stretch]
    if name not in available_timezones():
        pytest.skip(f"this machine's tzdata has no {name}")
    lines = clocksmith.supposed_agenda(name, start.isoformat(), end.isoformat(), f"interval = {interval}")
    said = [(line["instant"], line["local"], line["text"]) for line in lines]
    wanted = list(expected(ZoneInfo(name), start, end, interval, 1 if "seconds" in stretch else 60))
    # The first difference only: a year has 8,760 lines.
    assert next((pair for pair in zip(said, wanted) if pair[0] != pair[1]), None) is None
    assert len(said) == len(wanted) > 0


@pytest.mark.rule("daylight-saving")
def test_from_a_time_that_comes_twice_is_the_first_of_the_two(clocksmith):
    lines = clocksmith.supposed_agenda("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-05T02:15")
    assert [line["local"][11:] for line in lines] == [
        "01:45:00+11:00", "01:30:00+10:30", "01:45:00+10:30", "02:00:00+10:30"]


@pytest.mark.parametrize("clock", [12, 24])
def test_every_minute_of_the_day_has_its_words(clocksmith, clock):
    lines = clocksmith.supposed_agenda("UTC", "2026-11-21T00:00", "2026-11-22T00:00", f"interval = 1\nclock = {clock}")
    assert [line["text"] for line in lines] == [
        words(minute // 60, minute % 60, clock) for minute in range(1440)]


def is_quiet(local):
    """Whether it is quiet, worked out by hand: a night belongs to the day on which it begins."""
    evening = local if local.hour >= 12 else local - timedelta(days=1)
    is_weekend = evening.strftime("%a") in ("Sat", "Sun")
    if local.hour >= 12:
        return local.hour >= (23 if is_weekend else 22)
    return local.hour < (9 if is_weekend else 7)


@pytest.mark.parametrize("start, days", [
    (datetime(2026, 6, 1), 14), (datetime(2026, 3, 7), 2), (datetime(2026, 10, 31), 2)],
    ids=["a fortnight", "spring", "autumn"])
@pytest.mark.rule("quiet-bounds", "quiet-night")
def test_quiet_nights_are_as_a_person_reads_them_on_the_clock(clocksmith, start, days):
    lines = clocksmith.supposed_agenda(
        "America/New_York", start.isoformat(), (start + timedelta(days=days)).isoformat(),
        "quiet = mon-fri 22:00-07:00, sat-sun 23:00-09:00")
    assert [line["sounds"] for line in lines] == [
        not is_quiet(datetime.fromisoformat(line["local"])) for line in lines]
