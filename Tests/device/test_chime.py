"""The hour: the melody, the number of blows in the recording, the first blow on the hour, and the
switch in the middle of a blow."""

import pathlib
import time

import numpy
import pytest
import soundfile

from device import utc
from hearing import assert_heard, hears_nothing, place, rendered
from speaker import RATE
from switch import CHIP, SWITCH, assert_faded, last_heard, put, silence, told

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = "/etc/clocksmith/conf.d/98-chime.conf"
HOUR, BLOWS = "2027-10-01 03:00:00", 3
# Seconds from one blow to the next (sounds/tunes/westminster.tune).
GAPS = (4.39, 4.25)


@pytest.fixture(scope="module")
def chiming(device, alone):
    """The device with Westminster at the hour, as shipped, and a switch that is on."""
    device.set_switch(False, SWITCH)
    mark = device.mark()
    device.run(f"cat >{FILE} <<'END'\n[announce]\nchime = westminster\n"
               f"[speaker]\ndevice = plughw:CARD=Intel\n"
               f"[switch]\nline = {CHIP}:{SWITCH}\nactive = high\nEND")
    device.restart_clock()
    device.wait_for_line("^the switch is on", mark)
    yield device
    device.run(f"rm {FILE}")
    device.set_switch(False, SWITCH)
    device.restart_clock()


@pytest.fixture
def blows_alone(chiming):
    """The hour without its melody: under a blow the melody rings on, at 0.007 of full scale, and each
    of its notes is placed by itself, so the recording is not the rendered file to within the rounding."""
    chiming.run("printf '[announce]\\nchime = bigben\\n' >/etc/clocksmith/conf.d/99-blows.conf")
    chiming.restart_clock()
    yield chiming
    chiming.run("rm /etc/clocksmith/conf.d/99-blows.conf")
    chiming.restart_clock()


def test_the_first_blow_is_the_hour_and_there_are_as_many_as_the_hour(chiming, figures):
    mark = chiming.mark()
    chiming.set_clock("2027-10-01 02:59:31")
    began = chiming.host_at(utc(HOUR))
    line = chiming.wait_for_line('^chimed and said "three o\'clock" for 03:00:00', mark, seconds=90)
    first = chiming.speaker.sounds(after=began - 25)[0]
    assert abs(first.start - (began - 23.0)) < 0.5, "the melody begins 23 s before the hour"
    heard = blows(chiming, first, began)
    assert len(heard) == BLOWS, heard
    late = heard[0]
    spacing = numpy.diff(heard)
    figures["three o'clock"] = (
        f"first blow {late * 1000:+.0f} ms in the recording, then {spacing.round(3)} s apart; "
        f"{line.message}")
    assert abs(late) < 0.5
    # The recording places a blow to some 20 ms.
    assert numpy.abs(spacing - GAPS).max() < 0.05


def test_a_timer_rings_over_the_hour_and_no_blow_is_late(blows_alone, figures):
    chiming = blows_alone
    mark = chiming.mark()
    chiming.set_clock("2027-10-01 04:59:40")
    began = chiming.host_at(utc("2027-10-01 05:00:00"))
    # The timer reaches zero while the first blow rings on, at least a second after it, and rings once.
    chiming.wait_for_host(began - 10.9)
    chiming.run("clocksmith timer 12s --name egg")
    chiming.wait_for_line('^timer "egg" is at zero, and rings', mark)
    chiming.wait_for_host(time.monotonic() + 2.5)
    chiming.run("clocksmith timer cancel egg")
    line = chiming.wait_for_line('^chimed and said "five o\'clock" for 05:00:00', mark, seconds=90)
    assert not chiming.lines("^cut off", mark)
    # Find the rendered sound in the recording: the first blow, the ring over it, the second blow.
    frames = rendered(chiming, "2027-10-01T05:00", after_anchor=0, seconds=GAPS[0] + 1.6)
    speaker = chiming.speaker
    first = next(frame for frame in range(0, speaker.frames(), RATE // 100)
                 if speaker.moment_of(frame) > began - 2)
    heard = speaker.samples(first)[:, 0]
    heard = heard[place(frames[:RATE], heard[:4 * RATE]):]
    assert_heard(heard[:RATE], frames[:RATE], "the first blow")
    second = round((GAPS[0] + 0.1) * RATE)
    after = heard[second - RATE // 10:second + 2 * RATE]
    moved = place(frames[second:second + RATE], after) - RATE // 10
    # The ring; the bell is softer beside it.
    ring, _ = soundfile.read(ROOT / "sounds/signals/ring.flac")
    at = RATE + place(ring, heard[RATE:5 * RATE] - frames[RATE:5 * RATE])
    # The bell returns in the last 0.3 s of the ring, for the words.
    inside = slice(at + RATE // 20, at + len(ring) - RATE * 2 // 5)
    both = numpy.stack([frames[inside], ring[RATE // 20:len(ring) - RATE * 2 // 5]], 1)
    (bell, chords), *_ = numpy.linalg.lstsq(both, heard[inside], rcond=None)
    figures["a ring over the hour"] = (
        f"from {at / RATE:.2f} s on, the bell at {bell:.4f} of its level, the ring at {chords:.4f}; "
        f"the second blow {moved / RATE * 1000:+.2f} ms from its place; {line.message}")
    assert_heard(heard[inside], both @ [0.2512, 1], "the ring over the bell")
    # Each blow is placed by the converter's own clock, which is not quite the file's.
    assert abs(moved) < RATE // 1000


def blows(device, first, began):
    """The blows of the hour bell, in seconds from the hour, by the rise of its strongest partial
    (679 Hz). The words after the last blow are left out."""
    speaker = device.speaker
    samples = speaker.samples()[:, 0]
    # From the first note on, the recording has no break.
    start = next(frame for frame in range(0, len(samples), RATE // 100)
                 if speaker.moment_of(frame) > first.start - 0.5)
    origin = speaker.moment_of(start)
    size = RATE // 10
    step = size // 10
    window = numpy.hanning(size)
    band = slice(640 * 2 * size // RATE, 720 * 2 * size // RATE)
    levels = numpy.array([
        numpy.abs(numpy.fft.rfft(samples[frame:frame + size] * window, 2 * size))[band].max()
        for frame in range(start, len(samples) - size, step)])
    levels = 20 * numpy.log10(levels + 1e-9)
    rise = levels[10:] - levels[:-10]
    found = []
    for index in numpy.argsort(rise)[::-1]:
        at = origin + (index + 10) * step / RATE + size / 2 / RATE - began
        if -3 < at < 12 and rise[index] > 12 and all(abs(at - other) > 2 for other in found):
            found.append(float(at))
    return sorted(found)


def test_the_switch_in_the_middle_of_a_blow_silences_it_for_good(chiming, figures):
    mark = chiming.mark()
    chiming.set_clock("2027-10-01 03:59:31")
    began = chiming.host_at(utc("2027-10-01 04:00:00"))
    chiming.wait_for_host(began + 0.4)
    edge, line = silence(chiming, mark)
    assert "cut off the chime" in line.message and "the switch was turned off" in line.message
    # By then the rest of the last note is 20 dB softer, if audible at all.
    heard = chiming.speaker.wait_for_sound(after=began - 0.3)
    struck = heard.start + next(
        block for block, level in enumerate(heard.levels) if level > -35) / 100
    assert abs(struck - began) < 0.5, heard
    # Silence counts from when the last frame before it was recorded. The recording's own delay is
    # in the beginning of the blow as well, so it cancels.
    silent = chiming.speaker.moment_of(last_heard(chiming))
    after = silent - edge - (struck - began)
    figures["edge to silence in the middle of a blow, in the recording"] = (
        f"{after * 1000:+.0f} ms (whose steps are 10 and 21 ms); told {told(line):.1f} ms")
    assert -0.06 < after < 0.08, heard
    # Under a blow the melody rings on, at 0.007, and each of its notes was placed by itself.
    assert_faded(chiming, "2027-10-01T04:00", within=0.02)
    # Three blows and the words are left out. When the switch is put back, nothing resumes.
    hears_nothing(chiming, silent + 0.5, 6)
    put(chiming, off=False)
    hears_nothing(chiming, silent + 0.5, 18)
    assert not chiming.lines("^chimed|^said", mark)


def test_a_stop_in_the_melody_is_waited_for_where_that_is_wanted(chiming):
    """`at_stop = finish`: it may take longer than TimeoutStopSec=, as the clock asks systemd for time."""
    chiming.run("printf '[announce]\\nat_stop = finish\\n' >/etc/clocksmith/conf.d/99-stop.conf")
    chiming.set_switch(False, SWITCH)
    mark = chiming.mark()
    chiming.restart_clock()
    chiming.wait_for_line("^the switch is on", mark)
    chiming.set_clock("2027-10-01 00:59:31")
    began = chiming.host_at(utc("2027-10-01 01:00:00"))
    chiming.wait_for_host(began - 20)
    mark = chiming.mark()
    chiming.run("systemctl stop --no-block clocksmith")
    chiming.wait_for_line('^chimed and said "one o\'clock" for 01:00:00', mark, seconds=60)
    chiming.wait_for_line(r"^clocksmith\.service: Deactivated successfully", mark)
    chiming.run("rm /etc/clocksmith/conf.d/99-stop.conf; systemctl start clocksmith")
