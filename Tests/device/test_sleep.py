"""The machine suspends to idle and its RTC wakes it, while the clock waits, leads in or speaks."""

import time

import pytest

from device import utc
from hearing import hear_occasion, hears_nothing

FILE = "/etc/clocksmith/conf.d/96-sleep.conf"
LONG = 16  # Seconds; a time is said at most ten seconds late.
WATCHDOG = ("busctl set-property org.freedesktop.systemd1 /org/freedesktop/systemd1 "
            "org.freedesktop.systemd1.Manager RuntimeWatchdogUSec t")


@pytest.fixture(scope="module")
def dozing(device):
    """The device, whose hardware watchdog counts on in its sleep, to a minute."""
    device.run(f"{WATCHDOG} 60000000")
    configure(device, "plughw:CARD=Intel")
    yield device
    device.run(f"rm {FILE} && {WATCHDOG} 15000000")
    device.restart_clock()


def configure(device, speaker):
    device.run(f"printf '[speaker]\\ndevice = {speaker}\\n' >{FILE}")
    device.restart_clock()


def sleep_at(device, instant):
    """Sleeps at a moment of the device's clock. It waits for that by itself: a host that is busy is late."""
    device.run("cd /sys/class/rtc/rtc0 && echo 0 >wakealarm && "
               f"left=$(({instant * 1e9:.0f} - $(date +%s%N))) && "
               "sleep $(printf '%d.%09d' $((left / 1000000000)) $((left % 1000000000))) && "
               f"echo +{LONG} >wakealarm && echo freeze >/sys/power/state", 60)


@pytest.mark.parametrize("ahead", [4.0, 1.0], ids=["waiting", "leading in"])
@pytest.mark.rule("late-words", "silence-told")
def test_an_occasion_that_was_slept_through_is_skipped(dozing, ahead):
    mark = dozing.mark()
    dozing.set_clock(utc("2027-11-01 09:15:00") - ahead - 8)
    since = time.monotonic()
    sleep_at(dozing, utc("2027-11-01 09:15:00") - ahead)
    assert dozing.clock() > utc("2027-11-01 09:15:10"), "it slept over the quarter"
    dozing.wait_for_line("^skipped 09:15:00: ", mark)
    hears_nothing(dozing, since, 8 + LONG + 4)
    hear_occasion(dozing, "2027-11-01 09:30:00", "nine thirty A M")


def test_a_phrase_that_was_slept_in_is_not_taken_up_again_late(dozing, figures):
    mark = dozing.mark()
    dozing.set_clock("2027-11-01 09:44:52")
    began = dozing.host_at(utc("2027-11-01 09:45:00"))
    sleep_at(dozing, utc("2027-11-01 09:45:00") + 0.3)
    line = dozing.wait_for_line("^cut off .* for 09:45:00: .* the machine slept", mark)
    figures["slept in the middle of a phrase"] = line.message
    hears_nothing(dozing, began + LONG, 4)
    assert dozing.run("systemctl show clocksmith -P NRestarts") == "0"
    hear_occasion(dozing, "2027-11-01 10:00:00", "ten o'clock")


def test_through_the_usual_device_no_more_is_heard_at_the_waking_than_was_in_its_buffer(
        dozing, figures):
    """If the sleep comes during one of its own calls, dmix restarts a suspended card. Then the rest
    of the card's buffer is heard, and nothing after it."""
    configure(dozing, "default")
    mark = dozing.mark()
    dozing.set_clock("2027-11-01 11:14:54")
    began = dozing.host_at(utc("2027-11-01 11:15:00"))
    sleep_at(dozing, utc("2027-11-01 11:15:00") + 0.3)
    dozing.wait_for_line("^cut off .* for 11:15:00: .* the machine slept", mark)
    since = began + LONG - 2
    dozing.wait_for_host(time.monotonic() + 4)
    heard = sum(sound.seconds for sound in dozing.speaker.sounds(after=since))
    figures["through dmix, heard at the waking"] = f"{heard * 1000:.0f} ms"
    # 200 ms, and the part that the recording held back before the sleep.
    assert heard < 0.25
    hear_occasion(dozing, "2027-11-01 11:30:00", "eleven thirty A M")
