"""The switch and the button, toggled from outside, and the lamp, watched from there."""

import time

import pytest

from device import utc, wait_until
from hearing import hear_occasion, hears_nothing
from switch import BUTTON, CHIP, LAMP, SWITCH, assert_faded, last_heard, put, silence, told

FILE = "/etc/clocksmith/conf.d/96-switch.conf"
BUS = "org.clocksmith.Announcer1 /org/clocksmith/Announcer1 org.clocksmith.Announcer1"


def configure(device, speaker="plughw:CARD=Intel", more=""):
    device.run(f"cat >{FILE} <<'END'\n[switch]\nline = {CHIP}:{SWITCH}\nactive = high\n"
               f"[button]\nline = {CHIP}:{BUTTON}\nactive = high\n"
               f"[led]\nline = {CHIP}:{LAMP}\n"
               f"[speaker]\ndevice = {speaker}\n{more}\nEND")
    device.restart_clock()


@pytest.fixture(scope="module")
def wired(device, alone):
    """The device with a switch that is on, a button and a lamp."""
    device.set_switch(False, SWITCH)
    device.set_switch(False, BUTTON)
    mark = device.mark()
    configure(device)
    device.wait_for_line("^the switch is on", mark)
    yield device
    device.run(f"rm {FILE}")
    device.set_switch(False, SWITCH)
    device.restart_clock()


@pytest.fixture(autouse=True)
def on(wired):
    """Each test begins with the switch on, even if the test before it failed midway."""
    wired.set_switch(False, SWITCH)
    wired.set_switch(False, BUTTON)
    wait_until(lambda: '"on"' in wired.run(f"busctl get-property {BUS} Switch"), "the switch is on", 20)


def press(device):
    """Pushes the button, which asks for the time."""
    device.set_switch(True, BUTTON)
    device.wait_for_host(time.monotonic() + 0.1)
    device.set_switch(False, BUTTON)


def lamp(device):
    """The lamp's levels over two seconds, from the kernel: {"hi"}, {"lo"}, or both if it blinks."""
    return set(device.run(
        "mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug; "
        "for i in $(seq 10); do grep -E 'clocksmith.* out ' /sys/kernel/debug/gpio; sleep 0.2; done "
        "| grep -oE 'out +(hi|lo)' | grep -oE 'hi|lo'").split())


@pytest.mark.rule("switch-silences", "switch-back", "silence-told")
def test_the_switch_before_an_occasion_silences_it_and_back_it_sounds(wired):
    # It is lit or blinks, depending on the trust in the clock.
    assert "hi" in lamp(wired)
    put(wired, off=True)
    assert lamp(wired) == {"lo"}
    mark, since = wired.mark(), time.monotonic()
    wired.set_clock("2027-08-01 10:14:57")
    wired.wait_for_line("^skipped 10:15:00: the switch is off", mark)
    hears_nothing(wired, since, 6)
    put(wired, off=False)
    assert "hi" in lamp(wired)
    hear_occasion(wired, "2027-08-01 10:30:00", "ten thirty A M")


@pytest.mark.rule("switch-fades", "switch-back")
def test_the_switch_in_the_middle_of_a_phrase_is_obeyed_at_once(wired, figures):
    mark = wired.mark()
    wired.set_clock("2027-08-01 10:59:52")
    began = wired.host_at(utc("2027-08-01 11:00:00"))
    wired.wait_for_host(began + 0.4)
    edge, line = silence(wired, mark)
    assert 'cut off "eleven o\'clock": the switch was turned off' in line.message
    sound = wired.speaker.wait_for_sound(after=began - 1.5)
    # The recording delays the beginning and the end alike, so its delay cancels.
    after = sound.seconds - (edge - began)
    figures["edge to silence in the recording"] = f"{after * 1000:+.0f} ms (whose steps are 10 and 21 ms)"
    assert -0.06 < after < 0.08, sound
    assert_faded(wired, "2027-08-01T11:00")

    # When the switch is put back nothing resumes; the next occasion sounds.
    since = time.monotonic()
    put(wired, off=False)
    hears_nothing(wired, since + 1, 4)
    hear_occasion(wired, "2027-08-01 11:15:00", "eleven fifteen A M")


@pytest.mark.rule("first-edge")
def test_edge_to_silence_again_and_again(wired, figures, full):
    """The button asks for the time, and the switch silences it at a different place each time."""
    times, missed = [], 0  # Missed: it had been said before.
    for attempt in range(100 if full else 12):
        mark = wired.mark()
        press(wired)
        wired.wait_for_host(time.monotonic() + 0.45 + (attempt * 37 % 100) / 125)
        put(wired, off=True)
        line = wired.wait_for_line("^cut off|^said ", mark, unit="clocksmith.service")
        if line.message.startswith("cut off"):
            times.append(told(line))
        else:
            missed += 1
        put(wired, off=False)
    times.sort()
    figures["edge to silence, by the converter's time stamps"] = (
        f"{len(times)} times, median {times[len(times) // 2]:.1f} ms, worst {times[-1]:.1f} ms "
        f"({missed} had been said before)")
    assert len(times) > missed
    assert times[len(times) // 2] < 30
    # The emulator may stand still for tens of milliseconds; the clock may not.
    assert sum(value > 30 for value in times) <= len(times) // 10, times


def test_the_button_says_the_time_and_held_stops_it(wired):
    mark = wired.mark()
    wired.set_clock("2027-08-01 11:20:10")
    press(wired)
    wired.wait_for_line('^said "eleven twenty A M" because it was asked for', mark)
    mark = wired.mark()
    wired.set_switch(True, BUTTON)
    line = wired.wait_for_line("^cut off", mark)
    wired.set_switch(False, BUTTON)
    assert "it was stopped by hand" in line.message


LINES = pytest.mark.parametrize("line", [BUTTON, SWITCH], ids=["the button", "the switch"])


@LINES
@pytest.mark.rule("switch-stops")
def test_a_timer_that_rings_is_ended_at_once(wired, figures, line):
    mark = wired.mark()
    wired.run("clocksmith timer 8s --name egg")
    wired.wait_for_line('^timer "egg" is at zero, and rings', mark)
    wired.wait_for_host(time.monotonic() + 0.5)
    ended_at_once(wired, figures, line, mark, '^timer "egg" has stopped ringing: ', "of a ring")
    assert wired.run("clocksmith timer list").strip() == "no timer"


def ended_at_once(device, figures, line, mark, words, what):
    """An edge of the line silences the sound at once, and nothing follows."""
    before, kept = time.monotonic(), device.starved()
    device.set_switch(True, line)
    edge = (before + time.monotonic()) / 2
    device.wait_for_line(words, mark)
    kept = device.starved() - kept
    device.wait_for_host(edge + 1)
    after = device.speaker.moment_of(last_heard(device)) - edge
    name = "the button" if line == BUTTON else "the switch"
    figures[f"{name} to the end {what}, in the recording"] = (
        f"{after * 1000:+.0f} ms, of which the host kept {kept * 1000:.0f} ms at most")
    # What the host keeps from the emulator does not count, as for every deadline here.
    assert -0.06 < after < 0.08 + kept
    # Within these seconds the next signal would have come.
    hears_nothing(device, edge + 0.2, 4)


def test_a_switch_that_chatters_does_not_hold_up_the_clock(wired, figures, full):
    """It chatters as fast as the emulator takes commands, for a minute with --full."""
    seconds = 60 if full else 12
    mark = wired.mark()
    wired.set_clock("2027-08-01 11:29:59.000" if full else "2027-08-01 11:29:56")
    before = cpu_seconds(wired)
    deadline, edges = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        edges += 1
        wired.set_switch(edges % 2 == 1, SWITCH)
    wired.set_switch(False, SWITCH)
    wired.wait_for_line("^the switch is on", mark)
    spent = cpu_seconds(wired) - before
    lines = [x for x in wired.journal[mark:] if x.unit == "clocksmith.service"]
    figures["a switch that chatters"] = (
        f"{edges / seconds:.0f} edges a second for {seconds} s: {len(lines)} lines in the journal, "
        f"{spent / seconds * 100:.0f} % of a processor")
    # If the emulator stood still for the debounce time, the switch counted as on meanwhile.
    assert wired.lines("11:30:00|^cut off", mark), "the occasion in the midst of it was not missed"
    assert len(lines) < 60, [x.message for x in lines]
    hear_occasion(wired, "2027-08-01 11:45:00", "eleven forty-five A M")


def cpu_seconds(device):
    usage = device.run("systemctl show clocksmith -P CPUUsageNSec")
    return int(usage) / 1e9


@pytest.mark.rule("switch-lost")
def test_a_switch_that_somebody_else_holds_is_waited_for(wired):
    wired.run("systemctl stop clocksmith")
    wired.run(f"systemd-run --unit=holder --collect gpiomon --chip=gpiochip0 {SWITCH}")
    mark = wired.mark()
    try:
        wait_until(lambda: "gpiomon" in wired.run(f"gpioinfo --chip=gpiochip0 {SWITCH}"),
                   "gpiomon has the line", 20)
        wired.run("systemctl start clocksmith")
        wired.wait_for_line("^the switch cannot be read: .* held by 'gpiomon'", mark)
        wired.set_clock("2027-08-01 12:14:57")
        wired.wait_for_line("^skipped 12:15:00: the switch cannot be read", mark)
    finally:
        wired.run("systemctl stop holder")
    wired.wait_for_line("^the switch is on", mark, seconds=70)
    hear_occasion(wired, "2027-08-01 12:30:00", "twelve thirty P M")
    assert len(wired.lines("^the switch cannot be read", mark)) == 1


def test_the_usual_device_is_silenced_in_time_too(wired, figures):
    """Through dmix, which cannot take back queued frames, so only little is queued."""
    configure(wired, speaker="default")
    times = []
    for attempt in range(4):
        mark = wired.mark()
        press(wired)
        wired.wait_for_host(time.monotonic() + 0.8 + attempt * 0.2)
        put(wired, off=True)
        line = wired.wait_for_line(
            "^cut off|^said |^did not say", mark, unit="clocksmith.service")
        assert line.message.startswith("cut off"), line.message
        times.append(told(line))
        put(wired, off=False)
    figures["edge to silence, through dmix"] = f"{times} ms"
    configure(wired)
    assert 0 < min(times) and sorted(times)[len(times) // 2] < 30, times
    # 20 ms are queued and the fade takes 8 ms; the rest is the emulator's own delay.
    assert max(times) < 45, times
