"""The card's own volume; a USB card that is plugged in, torn out while it speaks, and plugged back."""

import math
import time

import pytest

from device import utc
from hearing import hear_occasion


@pytest.fixture
def usb(device):
    """The clock, set to speak through a USB card that is not plugged in yet."""
    device.run("printf '[speaker]\\ndevice = plughw:CARD=Audio\\n' "
               ">/etc/clocksmith/conf.d/95-usb.conf")
    device.restart_clock()
    yield device
    device.run("rm /etc/clocksmith/conf.d/95-usb.conf")
    device.restart_clock()


def wait_for_card(device, there=True):
    device.run(f"for i in $(seq 300); do {'' if there else '!'} test -e /proc/asound/Audio && "
               "exit 0; sleep 0.1; done; exit 1", 60)


@pytest.mark.rule("speaker-again", "lost-speaker")
def test_a_usb_card_torn_out_in_the_middle_is_taken_back(usb, figures):
    usb.plug_usb_speaker("dac")
    wait_for_card(usb)
    usb.run("amixer -q -c Audio set PCM 90% unmute || true")
    hear_occasion(usb, "2027-07-01 12:15:00", "twelve fifteen P M", speaker=usb.usb_speaker)

    pid = usb.run("systemctl show clocksmith -P MainPID")
    mark = usb.mark()
    usb.set_clock("2027-07-01 12:29:51")
    began = usb.host_at(utc("2027-07-01 12:30:00"))
    usb.wait_for_host(began)
    heard_frames = usb.usb_speaker.frames()
    deadline = time.monotonic() + 5
    while usb.usb_speaker.frames() < heard_frames + 12000:
        assert time.monotonic() < deadline, "it never began to speak"
        time.sleep(0.01)
    usb.unplug_usb_speaker("dac")
    lost = usb.wait_for_line("lost|12:30:00", mark, unit="clocksmith.service", seconds=40)
    figures["unplugged, said in the journal"] = lost.message
    wait_for_card(usb, there=False)
    assert usb.run("systemctl is-active clocksmith") == "active"

    # A quarter without a speaker: the clock goes on, and its log does not flood.
    mark = usb.mark()
    usb.set_clock("2027-07-01 12:44:52")
    usb.wait_for_line("^skipped 12:45:00", mark, unit="clocksmith.service", seconds=90)
    lines = [x for x in usb.journal[mark:] if x.unit == "clocksmith.service"]
    assert len(lines) <= 6, [x.message for x in lines]
    figures["a quarter without a speaker, in the journal"] = lines[-1].message

    usb.plug_usb_speaker("dac2")
    wait_for_card(usb)
    usb.run("amixer -q -c Audio set PCM 90% unmute || true")
    hear_occasion(usb, "2027-07-01 13:00:00", "one o'clock", speaker=usb.usb_speaker)
    assert usb.run("systemctl show clocksmith -P MainPID") == pid, "it went on all the while"


def test_the_card_s_own_volume_is_set_while_it_speaks_and_put_back(device, figures):
    """The control `Master` is set to the configured `volume`."""
    before = device.run("amixer -c Intel sget Master")
    levels = []
    for volume in ("0.00dB", "-60.00dB"):
        device.run(f"printf '[speaker]\\ndevice = plughw:CARD=Intel\\nmixer = Master\\n"
                   f"volume = {volume}\\n' >/etc/clocksmith/conf.d/95-mixer.conf")
        device.restart_clock()
        since = time.monotonic()
        device.run("clocksmith say 12:15 && for i in $(seq 100); do "
                   f"amixer -c Intel sget Master | grep -qF '[{volume}] [on]' && exit 0; "
                   "sleep 0.02; done; exit 1")
        levels.append(device.speaker.wait_for_sound(after=since).level)
        assert device.run("amixer -c Intel sget Master") == before, "it is left as it was"
    device.run("rm /etc/clocksmith/conf.d/95-mixer.conf")
    device.restart_clock()
    figures["60 dB less by the card's control"] = f"{levels[1] - levels[0]:.1f} dB in the recording"
    # The 74 volume steps of the emulated codec are steps of amplitude, not of dB; -60 dB is the 14th.
    assert abs(levels[1] - levels[0] - 20 * math.log10(14 / 74)) < 1
