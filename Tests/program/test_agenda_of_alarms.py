"""What the agenda lists besides occasions: alarms as tzdata has them, and what cannot sound."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest

from message_bus import timestamp
from test_agenda_against_tzdata import instant_of

# The only occasions are the hours, and the tests ignore them.
SPARSE = "interval = 60\nvoice_at_hour = none\nchime = none"
ZONES = ["Africa/Casablanca", "Antarctica/Troll", "Australia/Lord_Howe"]
TIMES = ["00:00", "00:15", "01:30", "02:00", "02:01", "02:30", "02:59", "03:00", "12:45", "23:59"]
DAYS = {"sun": [6], "mon-fri": [0, 1, 2, 3, 4], "sat,sun": [5, 6], "mon-sun": list(range(7))}


def section(name, time, days, **keys):
    return f"[alarm {name}]\ntime = {time}\ndays = {days}\n" + "".join(
        f"{key} = {value}\n" for key, value in keys.items())


def rings(zone, time_of_day, days, start, end):
    """When it rings, by zoneinfo. fold=0 takes the first of two repeated times; for a skipped time it
    takes the offset before the gap."""
    hour, minute = map(int, time_of_day.split(":"))
    found, day = [], start.date() - timedelta(days=1)
    while day <= end.date() + timedelta(days=1):
        if day.weekday() in days:
            wanted = datetime(day.year, day.month, day.day, hour, minute)
            instant = int(wanted.replace(tzinfo=zone, fold=0).timestamp())
            if instant_of(start, zone) <= instant < instant_of(end, zone):
                found.append(instant)
        day += timedelta(days=1)
    return found


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.rule("alarm-skipped", "alarm-repeated")
def test_a_year_of_alarms_is_where_tzdata_puts_it(clocksmith, name):
    if name not in available_timezones():
        pytest.skip(f"this machine's tzdata has no {name}")
    zone = ZoneInfo(name)
    start, end = datetime(2025, 12, 31, 12), datetime(2027, 1, 1, 2, 30)
    alarms = {f"{time} {days}": (time, days) for time in TIMES for days in DAYS}
    rest = "".join(section(key, *alarm) for key, alarm in alarms.items())
    lines = clocksmith.supposed_agenda(name, start.isoformat(), end.isoformat(), SPARSE, rest)
    listed = [line for line in lines if line["cause"] == "alarm"]
    wanted = sorted(
        (instant, key) for key, (time, days) in alarms.items()
        for instant in rings(zone, time, DAYS[days], start, end))
    assert len(wanted) > 5000
    said = sorted((int(timestamp(line["instant"])), line["name"]) for line in listed)
    assert said == wanted
    assert [line["instant"] for line in lines] == sorted(line["instant"] for line in lines)
    for line in listed:
        assert line["local"] == datetime.fromisoformat(line["instant"]).astimezone(zone).isoformat()


@pytest.mark.rule("quiet-rings", "quiet-bounds")
def test_an_alarm_is_listed_with_all_that_is_heard_of_it(clocksmith):
    configuration = clocksmith.configuration(
        "quiet = 22:00-07:00",
        section("school", "06:45", "mon-sun") + section("milk", "06:46", "mon-sun", **{
            "tune": "whittington", "rise": "-30dB 90s"}))
    words = ["--zone", "UTC", "--from", "2026-06-02T06:45", "--to", "2026-06-02T07:01", "--config",
             configuration]
    occasion, school, milk, hour = clocksmith.agenda(*words)
    assert (occasion["cause"], hour["cause"], hour["sounds"]) == ("occasion", "occasion", True)
    assert school == {
        "instant": "2026-06-02T06:45:00Z", "local": "2026-06-02T06:45:00+00:00",
        "text": "six forty-five A M", "chime": "none", "strikes": 0, "sounds": True,
        "cause": "alarm", "name": "school", "signal": "ring"}
    assert milk == {
        "instant": "2026-06-02T06:46:00Z", "local": "2026-06-02T06:46:00+00:00",
        "text": "six forty-six A M", "chime": "whittington", "strikes": 0, "sounds": True,
        "cause": "alarm", "name": "milk", "tune": "whittington", "rise": "-30dB 1min30s"}
    done = clocksmith.run("agenda", *words)
    assert done.stdout.splitlines() == [
        "tue 2026-06-02 (UTC+00:00)",
        "06:45  silent: quiet hours",
        '06:45  alarm "school": rings, six forty-five A M',
        '06:46  alarm "milk": whittington, rise -30dB 1min30s, six forty-six A M',
        "07:00  seven o'clock"]


@pytest.mark.rule("daylight-saving")
def test_a_time_without_a_date_is_the_next_one_and_an_hour_may_be_written_as_a_length(clocksmith):
    words = ["--zone", "Europe/London", "--config", clocksmith.configuration("interval = 30")]
    for start, length in [("01:00", "1"), ("01:00:00", "1h"), ("00:59:59", "60min")]:
        first, second = clocksmith.agenda("--from", start, "--hours", length, *words)
        now = datetime.now(timezone.utc)
        start = datetime.fromisoformat(first["instant"])
        assert now <= start <= now + timedelta(hours=26)
        assert (first["local"][11:16], second["local"][11:16]) == ("01:00", "01:30")
    # Clocks are put back: the heading tells which of two is meant.
    done = clocksmith.run(
        "agenda", "--from", "2026-10-25T00:30", "--to", "2026-10-25T02:01", *words)
    assert done.stdout.splitlines() == [
        "sun 2026-10-25 (UTC+01:00)",
        "00:30  twelve thirty A M", "01:00  one o'clock", "01:30  one thirty A M",
        "sun 2026-10-25 (UTC+00:00)",
        "01:00  one o'clock", "01:30  one thirty A M", "02:00  two o'clock"]


@pytest.mark.rule("quiet-rings")
def test_quiet_hours_all_week_leave_the_alarms(clocksmith):
    configuration = clocksmith.configuration("quiet = 00:00-23:59", "[alarm x]\ntime = 07:00")
    lines = clocksmith.agenda("--zone", "UTC", "--config", configuration)
    assert [line["name"] for line in lines if line["sounds"]] == ["x"]


def test_what_comes_while_a_long_tune_sounds_is_not_promised(clocksmith):
    tune = clocksmith.folder / "endless.tune"
    notes = "notes = E3 20 E3 20 E3 20 E3 20\n" * 49
    tune.write_text(f"[tune]\ndescription = 65 minutes\n[hour]\n{notes}notes = E3\n")
    lines = clocksmith.supposed_agenda(
        "UTC", "2026-11-21T00:00", "2026-11-22T00:00", f"chime = {tune}\ninterval = 60")
    assert [line["sounds"] for line in lines] in ([True, False] * 12, [False, True] * 12)
