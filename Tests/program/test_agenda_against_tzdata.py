"""The announcements of whole years agree with an independent reading of tzdata.

That reading is Python's zoneinfo. It is asked about every minute of UTC, or every second where an
offset has seconds. So it needs to know nothing about changes of the offset.
"""

import concurrent.futures
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest

from program import Clocksmith
from spoken_words import words

ZONES = """
    Africa/Cairo Africa/Casablanca America/Havana America/New_York America/Sao_Paulo
    America/St_Johns Antarctica/Troll Asia/Gaza Asia/Kathmandu Asia/Kolkata Asia/Tehran
    Atlantic/Azores Australia/Adelaide Australia/Lord_Howe Europe/Berlin Europe/Dublin
    Europe/London Pacific/Apia Pacific/Chatham Pacific/Easter Pacific/Kiritimati
    Pacific/Marquesas Pacific/Norfolk UTC
""".split()

# Years in which a zone did something unusual.
UPHEAVALS = {
    "a day left out": ("Pacific/Apia", 2011),
    "half an hour back for good": ("Asia/Pyongyang", 2015),
    "half an hour forward for good": ("Asia/Pyongyang", 2018),
    "another zone in the middle of summer time": ("Europe/Lisbon", 1992),
    "half an hour between whole hours": ("America/Caracas", 2007),
    "from half an hour to three quarters": ("Asia/Kathmandu", 1986),
    "summer time broken off for Ramadan": ("Africa/Cairo", 2010),
    "four changes and a new base": ("Africa/Casablanca", 2018),
    "from whole-hour to half-hour summer time": ("Australia/Lord_Howe", 1985),
    "changes at one minute past midnight": ("America/St_Johns", 2011),
    "two hours of summer time": ("Antarctica/Troll", 2005),
}
UPHEAVAL_YEARS = {
    upheaval: (name, datetime(year - 1, 12, 31, 12), datetime(year + 1, 1, 1), 15, 60)
    for upheaval, (name, year) in UPHEAVALS.items()}

YEARS = {name: (name, datetime(2026, 1, 1), datetime(2027, 1, 1), 15, 60) for name in ZONES}

# Zones with odd offsets, and a day just before their clocks change; Nepal's never do.
ODD_DAYS = {
    "Asia/Kathmandu": datetime(2026, 4, 4), "Australia/Lord_Howe": datetime(2026, 4, 4),
    "Pacific/Chatham": datetime(2026, 9, 26), "America/St_Johns": datetime(2026, 3, 7),
}
OTHER_INTERVALS = {
    f"{name} every {interval} min": (name, day, day + timedelta(days=3), interval, 60)
    for name, day in ODD_DAYS.items() for interval in (1, 20, 30, 60)}

# Liberia was 44 min 30 s behind until the seventh of January 1972.
SECONDS = {"Liberia": ("Africa/Monrovia", datetime(1972, 1, 6), datetime(1972, 1, 8), 15, 1)}
LAST_YEAR = {"2200": ("Europe/Berlin", datetime(2200, 1, 1), datetime(2200, 12, 31, 23), 15, 60)}

EVERY_STRETCH = YEARS | UPHEAVAL_YEARS | OTHER_INTERVALS | SECONDS | LAST_YEAR


@pytest.fixture(scope="module")
def disagreement(surroundings, tmp_path_factory):
    """Tells where the program and tzdata disagree on a stretch of time; None if nowhere.

    All stretches are queued at once, for two processes.
    """
    known = available_timezones()
    executor = concurrent.futures.ProcessPoolExecutor(2)
    # Each has its own folder, because each has its own configuration.
    futures = {
        key: executor.submit(
            compare, Clocksmith(surroundings, tmp_path_factory.mktemp("agenda")), *stretch)
        for key, stretch in EVERY_STRETCH.items() if stretch[0] in known}

    def result(key):
        if key not in futures:
            pytest.skip(f"this machine's tzdata has no {EVERY_STRETCH[key][0]}")
        return futures[key].result()

    yield result
    executor.shutdown(cancel_futures=True)


def compare(program, name, start, end, interval, step):
    lines = program.agenda(name, start.isoformat(), end.isoformat(), f"interval = {interval}")
    said = [(line["instant"], line["local"], line["text"]) for line in lines]
    wanted = expected(ZoneInfo(name), start, end, interval, step)
    return first_difference(said, wanted) if wanted else "nothing was looked for"


def instant_of(local, zone):
    """The first second of UTC at which the zone's clocks show this."""
    return int(local.replace(tzinfo=zone, fold=0).timestamp())


def expected(zone, start, end, interval, step=60):
    """The occasions from one local time to just before another, found by trying every `step` s."""
    found = []
    for second in range(instant_of(start, zone), instant_of(end, zone), step):
        local = datetime.fromtimestamp(second, zone)
        if local.second == 0 and local.minute % interval == 0:
            utc = datetime.fromtimestamp(second, timezone.utc)
            found.append(
                (utc.strftime("%Y-%m-%dT%H:%M:%SZ"), local.isoformat(),
                 words(local.hour, local.minute)))
    return found


def first_difference(ours, theirs):
    """The first difference only, as a readable message: a year has 35,000 lines."""
    for number, pair in enumerate(zip(ours, theirs)):
        if pair[0] != pair[1]:
            return f"line {number}: the program says {pair[0]}, tzdata {pair[1]}"
    if len(ours) != len(theirs):
        return f"the program has {len(ours)} occasions, tzdata {len(theirs)}"
    return None


@pytest.mark.parametrize("name", YEARS)
def test_every_announcement_of_2026_is_where_tzdata_puts_it(disagreement, name):
    assert disagreement(name) is None


@pytest.mark.parametrize("upheaval", UPHEAVAL_YEARS)
def test_a_year_of_upheaval_is_announced_as_tzdata_has_it(disagreement, upheaval):
    assert disagreement(upheaval) is None


@pytest.mark.parametrize("stretch", OTHER_INTERVALS)
def test_another_interval_is_kept_in_an_odd_zone_while_clocks_change(disagreement, stretch):
    assert disagreement(stretch) is None


def test_an_offset_with_seconds_puts_the_occasions_between_the_minutes_of_utc(disagreement):
    assert disagreement("Liberia") is None


def test_the_last_year_that_can_be_asked_for_is_announced_as_tzdata_has_it(disagreement):
    assert disagreement("2200") is None


def test_a_repeated_hour_sounds_twice_whole(clocksmith):
    lines = clocksmith.agenda("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T03:00")
    assert [line["local"][11:] for line in lines] == [
        f"02:{minute}:00{offset}"
        for offset in ("+02:00", "+01:00") for minute in ("00", "15", "30", "45")]


def test_a_skipped_hour_does_not_sound(clocksmith):
    lines = clocksmith.agenda("Europe/Berlin", "2026-03-29T01:30", "2026-03-29T03:30")
    assert [line["local"][11:16] for line in lines] == ["01:30", "01:45", "03:00", "03:15"]


def test_from_a_time_that_comes_twice_is_the_first_of_the_two(clocksmith):
    lines = clocksmith.agenda("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-05T02:15")
    assert [line["local"][11:] for line in lines] == [
        "01:45:00+11:00", "01:30:00+10:30", "01:45:00+10:30", "02:00:00+10:30"]


def test_a_day_that_a_zone_left_out_is_not_announced(clocksmith):
    lines = clocksmith.agenda("Pacific/Apia", "2011-12-29T23:30", "2011-12-31T00:30")
    assert [line["local"][:16] for line in lines] == [
        "2011-12-29T23:30", "2011-12-29T23:45", "2011-12-31T00:00", "2011-12-31T00:15"]


def test_every_minute_of_the_day_has_its_words_on_a_24_hour_clock(clocksmith):
    lines = clocksmith.agenda(
        "UTC", "2026-11-21T00:00", "2026-11-22T00:00", "interval = 1\nclock = 24")
    assert [line["text"] for line in lines] == [
        words(minute // 60, minute % 60, clock=24) for minute in range(1440)]


def test_every_minute_of_the_day_has_its_words_on_a_12_hour_clock(clocksmith):
    lines = clocksmith.agenda("UTC", "2026-11-21T00:00", "2026-11-22T00:00", "interval = 1")
    assert [line["text"] for line in lines] == [
        words(minute // 60, minute % 60) for minute in range(1440)]


def assert_quiet_as_read_here(clocksmith, start, days):
    quiet = "mon-fri 22:00-07:00, sat-sun 23:00-09:00"
    end = start + timedelta(days=days)
    lines = clocksmith.agenda(
        "America/New_York", start.isoformat(), end.isoformat(), f"quiet = {quiet}")
    sounding = {line["local"][:16] for line in lines if line["sounds"]}
    wanted = {
        line["local"][:16] for line in lines
        if not is_quiet(datetime.fromisoformat(line["local"]))}
    assert sounding == wanted


def is_quiet(local):
    """Whether it is quiet, worked out by hand: a night belongs to the day on which it begins."""
    evening = local if local.hour >= 12 else local - timedelta(days=1)
    is_weekend = evening.strftime("%a") in ("Sat", "Sun")
    if local.hour >= 12:
        return local.hour >= (23 if is_weekend else 22)
    return local.hour < (9 if is_weekend else 7)


def test_a_fortnight_of_quiet_nights_is_as_a_person_reads_it(clocksmith):
    assert_quiet_as_read_here(clocksmith, datetime(2026, 6, 1), 14)


@pytest.mark.parametrize("start", [datetime(2026, 3, 7), datetime(2026, 10, 31)])
def test_quiet_hours_follow_the_face_of_the_clock_when_clocks_change(clocksmith, start):
    assert_quiet_as_read_here(clocksmith, start, 2)


@pytest.mark.parametrize(
    "time, sounds",
    [("2026-06-02T21:45", True), ("2026-06-02T22:00", False), ("2026-06-03T06:45", False),
     ("2026-06-03T07:00", True), ("2026-06-07T08:45", False), ("2026-06-07T09:00", True)])
def test_the_edges_of_quiet_are_silent_from_its_start_and_sound_from_its_end(
    clocksmith, time, sounds
):
    end = (datetime.fromisoformat(time) + timedelta(minutes=1)).isoformat()
    [line] = clocksmith.agenda(
        "UTC", time, end, "quiet = mon-fri 22:00-07:00, sat-sun 23:00-09:00")
    assert line["sounds"] is sounds


def test_what_is_silent_says_why(clocksmith):
    [line] = clocksmith.agenda("UTC", "2026-06-02T22:00", "2026-06-02T22:01", "quiet = 22:00-07:00")
    assert line["reason"] == "quiet hours"
