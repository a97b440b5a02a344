"""An alarm rings at its local time over both changes of daylight saving."""

import pytest

from device import utc
from hearing import SECOND

# 06:58 in London, in UTC. The clocks change in the nights before the second and the last of these.
RINGS = ["2028-03-25 06:58:00", "2028-03-26 05:58:00", "2028-10-28 05:58:00", "2028-10-29 06:58:00"]


@pytest.fixture
def in_london(device):
    mark = device.mark()
    device.run("timedatectl set-timezone Europe/London")
    device.wait_for_line("^the zone is Europe/London", mark)
    yield device
    device.run("clocksmith alarm cancel school", check=False)
    mark = device.mark()
    device.run("timedatectl set-timezone Etc/UTC")
    device.wait_for_line("^the zone is Etc/UTC", mark)


def test_it_rings_at_its_local_time_over_both_changes(in_london, figures):
    in_london.set_clock("2028-03-25 06:30:00")
    in_london.run("clocksmith alarm 06:58 --days mon-sun --name school")
    late = []
    for when in RINGS:
        mark = in_london.mark()
        in_london.set_clock(utc(when) - 7)
        began = in_london.host_at(utc(when))
        in_london.wait_for_line('^alarm "school" rings$', mark)
        sound = in_london.speaker.wait_for_sound(after=began - 2)
        late.append(sound.start - began)
        in_london.run("clocksmith stop")
        in_london.wait_for_line('^alarm "school" has stopped ringing: it was stopped by hand', mark)
    figures["an alarm over two changes of daylight saving"] = ", ".join(
        f"{seconds * 1000:+.0f} ms" for seconds in late)
    assert max(abs(seconds) for seconds in late) < SECOND
