"""Trust in the clock without a network: with an RTC that is right, wrong or missing."""

import pytest

from device import utc
from hearing import hear, hear_occasion

FILE = "/etc/clocksmith/conf.d/97-trust.conf"


def test_a_clock_that_leaps_a_year_in_the_middle_of_a_phrase_ends_it(device):
    mark = device.mark()
    device.set_clock("2027-09-01 11:44:52")
    began = device.host_at(utc("2027-09-01 11:45:00"))
    device.wait_for_host(began + 0.1)
    device.set_clock("2028-09-01 14:02:00")
    line = device.wait_for_line("^cut off", mark)
    assert "the clock was set" in line.message
    device.wait_for_line("^skipped 2027-09-01T12:00.* to 2028-09-01T14:00", mark)
    hear_occasion(device, "2028-09-01 14:15:00", "two fifteen P M")


@pytest.fixture(scope="module")
def strict(device):
    """The device with a clock that is silent while untrusted, as the shipped one."""
    device.run(f"printf '[clock]\\nuntrusted = silent\\n' >{FILE}; timedatectl set-ntp false")
    yield device
    device.run(f"rm {FILE}; timedatectl set-ntp true")
    device.restart_clock()


def set_both(device, when):
    """Sets the system's clock and the RTC."""
    device.run(f"timedatectl set-time '{when}'")
    device.measure_clock()


@pytest.mark.rule("trust-basis")
def test_a_clock_that_agrees_with_its_rtc_is_believed(strict, figures):
    set_both(strict, "2027-09-01 10:14:40")
    mark = strict.mark()
    strict.restart_clock()
    strict.wait_for_line("^started: .*clock holdover", mark)
    hear(strict, "2027-09-01 10:15:00", "ten fifteen A M", mark)
    figures["status with an RTC"] = strict.run("clocksmith status | grep ^clock")
    assert "RTC" in figures["status with an RTC"]


@pytest.mark.rule("untrusted-announcements", "set-by-hand")
def test_a_clock_that_is_set_away_from_its_rtc_is_not_believed(strict):
    mark = strict.mark()
    strict.set_clock("2027-09-01 11:29:50")
    strict.wait_for_line("^the clock is untrusted", mark)
    strict.wait_for_line("^skipped 11:30:00: the clock is not", mark)
    mark = strict.mark()
    set_both(strict, "2027-09-01 11:44:50")
    strict.wait_for_line("^the clock is holdover", mark)
    hear(strict, "2027-09-01 11:45:00", "eleven forty-five A M", mark)


@pytest.mark.rule("trust-basis")
def test_an_rtc_that_was_never_set_is_not_believed(strict):
    set_both(strict, "2000-01-01 00:00:00")
    strict.set_clock("2027-09-01 12:14:50")
    mark = strict.mark()
    strict.restart_clock()
    strict.wait_for_line("which cannot be right", mark)
    strict.wait_for_line("^skipped 12:15:00: the clock is not", mark)
    check = strict.run("clocksmith check", check=False)
    assert "FOUND rtc" in check and "FOUND clock" in check, check
