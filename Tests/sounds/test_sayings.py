"""Checks the reference for phrases itself, at the times that are easy to get wrong."""

import pytest

from sayings import natural, with_part_of_day

TIMES = {
    "00:00": "midnight", "00:01": "one minute past twelve at night", "00:15": "quarter past twelve at night",
    "00:30": "half past twelve at night", "00:31": "twenty nine minutes to one in the morning",
    "00:45": "quarter to one in the morning", "01:00": "one oclock in the morning",
    "03:15": "quarter past three in the morning", "07:25": "twenty five past seven in the morning",
    "08:58": "two minutes to nine in the morning", "11:45": "quarter to twelve in the morning",
    "11:59": "one minute to twelve in the morning", "12:00": "noon", "12:05": "five past twelve in the afternoon",
    "12:30": "half past twelve in the afternoon", "12:35": "twenty five to one in the afternoon",
    "15:40": "twenty to four in the afternoon", "16:03": "three minutes past four in the afternoon",
    "17:55": "five to six in the afternoon", "18:00": "six oclock in the evening",
    "21:50": "ten to ten in the evening", "22:00": "ten oclock at night", "22:10": "ten past ten at night",
    "23:30": "half past eleven at night", "23:45": "quarter to twelve at night",
    "23:59": "one minute to twelve at night",
}


@pytest.mark.parametrize("time", TIMES)
def test_a_time_is_said_as_people_say_it(time):
    hour, minute = map(int, time.split(":"))
    assert with_part_of_day(hour, minute) == TIMES[time]
    assert natural(hour, minute) == TIMES[time].split(" in the")[0].split(" at night")[0]


def test_only_times_half_a_day_apart_sound_alike():
    said = {}
    for minutes in range(1440):
        said.setdefault(natural(minutes // 60, minutes % 60), []).append(minutes)
    assert {tuple(times) for times in said.values() if len(times) > 1} == {
        (minutes, minutes + 720) for minutes in range(1, 720)}
    assert len({with_part_of_day(minutes // 60, minutes % 60) for minutes in range(1440)}) == 1440
