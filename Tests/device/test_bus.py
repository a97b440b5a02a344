"""Who may do what with the clock over the system's own bus, and the effects."""

import json
import time

import pytest

SERVICE = "org.clocksmith.Announcer1 /org/clocksmith/Announcer1"
CALL = f"busctl call -- {SERVICE} org.clocksmith.Announcer1"
GET = f"busctl get-property {SERVICE} org.clocksmith.Announcer1"
NOBODY = "setpriv --reuid=nobody --regid=nogroup --clear-groups"
LISTENER = "setpriv --reuid=nobody --regid=nogroup --groups=audio"


def status(device, who=""):
    return json.loads(device.run(f"{who} clocksmith status --json"))


def test_anyone_may_look(device):
    seen = status(device, NOBODY)
    assert seen["running"] and seen["voice"]
    assert device.run(f"{NOBODY} {GET} Trust")
    assert "StartInterval" in device.run(f"{NOBODY} busctl introspect {SERVICE}")


@pytest.mark.parametrize("act", [
    f"{CALL} Announce 'a{{sv}}' 0", f"{CALL} Mute 'a{{sv}}' 0", f"{CALL} Stop",
    f"{CALL} SetVolume 'a{{sv}}' 1 volume_db d -3"])
def test_not_anyone_may_act(device, act):
    before = status(device)
    answer = device.run(f"! {NOBODY} {act} 2>&1")
    assert "denied" in answer, answer
    after = status(device)
    assert (after["muted"], after["volume_db"]) == (before["muted"], before["volume_db"])


def test_the_command_says_who_may(device):
    answer = device.run(f"! {NOBODY} clocksmith mute 2>&1")
    assert answer == ("clocksmith: only root and members of the group audio "
                      "may do that; run 'sudo adduser nobody audio' and log in again")


def test_a_member_of_audio_has_a_time_said_and_it_is_heard(device):
    since = time.monotonic()
    mark = device.mark()
    assert device.run(f"{LISTENER} clocksmith say 15:30") == "three thirty P M"
    device.wait_for_line('^said "three thirty P M" because it was asked for', mark)
    assert len(device.speaker.sounds(after=since)) == 1
