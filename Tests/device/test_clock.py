"""The whole clock: it starts, and says each quarter on its second in spite of faults."""

import re
import time

import numpy
import pytest

from device import listens_for_ssh, utc
from hearing import (
    assert_heard, gain, hear_occasion, hears_nothing, likeness, place, rendered)
from speaker import RATE


def test_it_starts_hardened_with_nothing_failed(device, figures):
    assert device.run("systemctl --failed --no-legend") == ""
    assert device.run("systemctl is-active clocksmith") == "active"
    assert not device.failures_at_start(), "it starts at the first attempt"
    assert device.run("ps -o user= -p $(systemctl show clocksmith -P MainPID)") == "clocksmith"
    security = device.run("systemd-analyze security --no-pager clocksmith | tail -n 1", 120)
    exposure = float(re.search(r"([\d.]+) \w+", security.split(":", 1)[1]).group(1))
    figures["systemd-analyze security"] = exposure
    assert exposure <= 1.5


def test_the_root_file_system_cannot_be_torn(device, figures):
    assert device.run("findmnt -n -o FSTYPE /") == "overlay"
    assert "ro" in device.run("findmnt -n -o OPTIONS /media/card").split(",")
    size = int(device.run("findmnt -n -b -o SIZE /data"))
    assert size > 300 << 20, "the data partition has taken the rest of the card"
    assert device.run("findmnt -n -o SOURCE /var/log/journal").startswith("/dev/vda3")


def test_the_card_ships_without_a_login(device):
    assert device.run("hostname") == "clocksmith"
    people = device.run("awk -F: '$3 >= 1000 && $1 != \"nobody\"' /etc/passwd")
    assert people == ""
    assert device.run("awk -F: '$2 !~ /^[!*]/ { print $1 }' /etc/shadow") == ""
    assert not listens_for_ssh(device)
    assert device.run("ls /data/ssh /etc/ssh/ssh_host_*_key 2>/dev/null", check=False) == ""


def test_little_runs_and_little_memory_is_used(device, figures):
    units = device.run("systemctl list-units --type=service --state=running --plain --no-legend")
    running = {line.split()[0] for line in units.splitlines()}
    # The last one ends by itself half a minute after a test has set the zone.
    ours = {"clocksmith-test-agent.service", "clocksmith-test-journal.service", "systemd-timedated.service"}
    assert running - ours <= {
        "clocksmith.service", "clocksmith-relay.service", "dbus.service", "systemd-journald.service",
        "systemd-timesyncd.service", "systemd-udevd.service"}
    pid = device.run("systemctl show clocksmith -P MainPID")
    status = device.run(f"cat /proc/{pid}/status")
    resident, anonymous = (
        int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024 for name in ("VmRSS", "RssAnon"))
    figures["clocksmith, resident"] = f"{resident:.1f} MB, {anonymous:.1f} MB of it anonymous"
    figures["system, used"] = device.run("free -m | awk '/^Mem/ { print $3 }'") + " MB"
    # Which pages of the program and its libraries are mapped depends on what the kernel has read anyway.
    assert anonymous < 2
    assert resident < 14


@pytest.mark.first
def test_the_first_phrase_after_a_start_is_as_loud_as_the_next(device, figures):
    """As rendered, though the mixer's settings are not kept and the card slept meanwhile."""
    assert not device.lines('^said "'), "it is the first"
    device.run("echo 1 >/sys/module/snd_hda_intel/parameters/power_save")
    levels = []
    for when, words in (("2027-06-15 07:15", "seven fifteen A M"),
                        ("2027-06-15 07:30", "seven thirty A M")):
        _, sound, _ = hear_occasion(device, f"{when}:00", words)
        # Compare only the loudest part: a busy host may tear the sound elsewhere.
        frames = rendered(device, when.replace(" ", "T"))
        loudest = numpy.abs(frames[RATE // 10:-RATE // 10]).argmax()
        frames = frames[loudest:loudest + RATE // 5]
        heard = device.speaker.samples(max(sound.frame - RATE, 0))[:, 0]
        heard = heard[place(frames, heard):][:len(frames)]
        levels.append(gain(heard, frames))
        assert_heard(heard, levels[-1] * frames, words)
        device.run("until grep -q suspended /sys/bus/hdaudio/devices/*/power/runtime_status; "
                   "do sleep 0.1; done", 20)
    device.run("echo 10 >/sys/module/snd_hda_intel/parameters/power_save")
    figures["the first two phrases, against what is rendered"] = f"{levels[0]:.4f}, {levels[1]:.4f}"
    assert abs(levels[0] - levels[1]) < 0.001, levels
    assert abs(levels[0] - 1) < 0.001, levels


@pytest.mark.rule("set-back-little")
def test_a_quarter_that_was_said_is_not_said_again_when_the_clock_goes_back(device):
    hear_occasion(device, "2027-06-15 10:45:00", "ten forty-five A M")
    mark = device.mark()
    device.set_clock("2027-06-15 10:44:55")
    since = time.monotonic()
    device.wait_for_line("^the clock went back", mark)
    hears_nothing(device, since, 10)
    assert not device.lines('^said "', mark)
    hear_occasion(device, "2027-06-15 11:00:00", "eleven o'clock")


def test_a_service_that_hangs_is_restarted_by_its_watchdog(device, figures):
    # 20 s: waiting for the usual two minutes would show no more.
    device.run("mkdir -p /run/systemd/system/clocksmith.service.d && cd $_ "
               "&& printf '[Service]\\nWatchdogSec=20s\\n' >quick.conf "
               "&& systemctl daemon-reload")
    device.restart_clock()
    mark, since = device.mark(), time.monotonic()
    device.run("systemctl kill --kill-whom=main --signal=SIGSTOP clocksmith")
    device.wait_for_line(r"Watchdog timeout", mark, seconds=60)
    line = device.wait_for_line(r"^Started clocksmith\.service", mark, seconds=90)
    figures["hung to READY again, at WatchdogSec=20s"] = f"{line.host - since:.0f} s"
    hear_occasion(device, "2027-06-15 11:45:00", "eleven forty-five A M")
    device.run("rm -r /run/systemd/system/clocksmith.service.d && systemctl daemon-reload")
    device.restart_clock()


def test_a_full_disk_does_not_silence_it(device):
    device.run("rest=$(df --output=avail -B1 /data | tail -n 1); "
               "fallocate -l $rest /data/fill || true; cat /dev/zero >/data/fill2 || true; "
               "cat /dev/zero >/media/memory/fill || true", 120)
    try:
        assert device.run("df --output=avail /data | tail -n 1").strip() == "0"
        hear_occasion(device, "2027-06-15 12:00:00", "twelve o'clock")
        device.restart_clock()
        hear_occasion(device, "2027-06-15 12:15:00", "twelve fifteen P M")
    finally:
        device.run("rm -f /data/fill /data/fill2 /media/memory/fill")


@pytest.mark.rule("wall-clock")
def test_a_week_goes_by(device, figures, full):
    """Steps the clock to each occasion: all 672 with --full, else every 45th, at all times of day.

    One step in eight leaves the clock its usual time to prepare; the others are as short as
    possible. Nothing between them is missed: each step listens from the end of the last
    announcement, and the journal has one line for each. All failures are reported at the end,
    because the whole week takes three quarters of an hour.
    """
    pid = device.run("systemctl show clocksmith -P MainPID")
    descriptors = device.run(f"ls /proc/{pid}/fd | wc -l")
    _, sound, _ = hear_occasion(device, "2027-06-15 23:45:00", "eleven forty-five P M")
    mark, first = device.mark(), utc("2027-06-16 00:00:00")
    steps = range(0, 7 * 96, 1 if full else 45)
    lates, alike, resident, wrong = [], [], [], []
    for number, step in enumerate(steps):
        instant = first + step * 900
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(instant))
        try:
            _, sound, late = hear_occasion(
                device, when, spoken(instant), since=sound and sound.end + 0.1, quiet=0.25,
                seconds_ahead=4.5 if number % 8 == 0 else 1.2)
            lates.append(abs(late))
            alike.append(likeness(rendered(device, when.replace(" ", "T")), sound))
            assert alike[-1] > 0.9, f"not what is rendered, {alike[-1]:.3f} alike"
        except AssertionError as error:
            assert device.running(), error
            wrong.append(f"{when}: {error}")
            sound = None
            continue
        if number % 8 == 0:
            resident.append(int(device.run(f"awk '/VmRSS/ {{ print $2 }}' /proc/{pid}/status")))
    figures["a week"] = (f"{len(lates)} of {len(steps)} announcements heard, "
                         f"onset within {max(lates) * 1000:.0f} ms, "
                         f"median {sorted(lates)[len(lates) // 2] * 1000:.0f} ms, "
                         f"{min(alike):.3f} alike at least, "
                         f"resident {resident[0]} to {resident[-1]} kB")
    assert not wrong, "\n".join(wrong)
    hears_nothing(device, sound.end + 0.1, 5)
    assert len(device.lines('^said "', mark)) == len(steps)
    assert device.run("systemctl show clocksmith -P MainPID") == pid, "it was restarted"
    assert device.run(f"ls /proc/{pid}/fd | wc -l") == descriptors
    assert resident[-1] - resident[len(resident) // 4] < 512, f"memory grows: {resident}"


def spoken(instant):
    """The words of a quarter in UTC, written down independently of the program."""
    units = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
             "ten", "eleven"]
    at = time.gmtime(instant)
    hour = units[at.tm_hour % 12]
    if at.tm_min == 0:
        return f"{hour} o'clock"
    minute = {15: "fifteen", 30: "thirty", 45: "forty-five"}[at.tm_min]
    return f"{hour} {minute} {'A M' if at.tm_hour < 12 else 'P M'}"
