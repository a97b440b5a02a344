"""The state that outlasts the service, on a slow disk or with something else in its file's place: sound
does not wait for it, and everything that was set is kept."""

import json

import pytest
from jeepney import Properties

from c_library import shared_library
from message_bus import ADDRESS
from program import about, in_the_night
from slow_voice import lengthen
from sound_server import RATE, wait_until

# A disk on which fsync() does not return while a file exists.
SLOW = r"""
#include <unistd.h>
int fsync(int descriptor) {
  (void)descriptor;
  while (access(SLOW_WHILE, F_OK) == 0) usleep(1000);
  return 0;
}
"""


@pytest.fixture
def slow(clocksmith, tmp_path):
    """The disk is slow while this file exists."""
    marker = tmp_path / "slow"
    library = shared_library(tmp_path / "slow.so", SLOW, f'-DSLOW_WHILE="{marker}"')
    clocksmith.environment = clocksmith.environment | {"LD_PRELOAD": str(library)}
    return marker


@pytest.fixture
def start(on_the_bus, start, pack):
    """Starts a service that plays into a file. It takes eight seconds to say 11:45."""
    in_the_night(on_the_bus)
    voice = lengthen(pack, 8, "minute-45")
    return lambda: start(voice=voice, words=["--output", on_the_bus.folder / "played.wav"])


@pytest.fixture
def caller(bus):
    with bus.caller() as caller:
        yield caller


def speak(caller, folder):
    """Asks for a time, and waits until it is heard."""
    played = folder / "played.wav"
    before = played.stat().st_size
    caller.ask("Announce", time="11:45")
    wait_until(lambda: played.stat().st_size > before + 1.2 * RATE, 60, "the words")


def test_a_setting_made_while_it_speaks_waits_for_the_disk_only_afterwards(
        start, caller, slow, on_the_bus):
    service = start()
    speak(caller, on_the_bus.folder)
    slow.touch()
    try:
        caller.ask("SetSetting", key="timers.ring_limit", value="20s")
        assert "ring_limit = 20s" in (on_the_bus.folder / "state/settings.conf").read_text()
        assert not service.matching('said "eleven forty-five')
        service.wait_for('said "eleven forty-five')
        with pytest.raises(TimeoutError):
            caller.send(Properties(ADDRESS).get("Voice"), seconds=2)
    finally:
        slow.unlink()
    caller.get("Voice")


def saved(folder):
    state = folder / "state/state.json"
    return json.loads(state.read_text()) if state.exists() else {}


def is_muted(folder):
    return "muted_until" in saved(folder)


def state_line(clocksmith):
    done = clocksmith.run("check", "--config", clocksmith.configuration())
    return about(done, "state")


def test_a_new_thing_that_cannot_be_saved_is_there_and_told(start, clocksmith, tmp_path):
    (clocksmith.folder / "state").rmdir()
    start()
    done = clocksmith.run("interval", "1h")
    assert done.returncode == 0 and done.stdout
    told = (f"cannot write {tmp_path}/state/state.json: No such file or directory; make the folder "
            f"{tmp_path}/state, and let the service write in it")
    assert done.stderr == f"clocksmith: note: what is set at run time is lost at a restart: {told}\n"
    assert state_line(clocksmith) == (
        f"FOUND state         what is set at run time is lost at a restart: {told}")
    assert shown_state(clocksmith) == (
        [f"state    what is set at run time is lost at a restart: {told}"], told)
    (tmp_path / "state").mkdir()
    # Each order is a new try. The first may come while the signal of the interval is faded out.
    wait_until(lambda: clocksmith.run("mute", "1h").stderr == "", 60, "the state")
    assert state_line(clocksmith) == "ok    state         what is set at run time outlasts a restart"
    assert shown_state(clocksmith) == ([], None)


def shown_state(clocksmith):
    """What `status` shows of the state: its lines, and the value in JSON."""
    lines = clocksmith.run("status").stdout.splitlines()
    status = json.loads(clocksmith.run("status", "--json").stdout)
    return [line for line in lines if line.startswith("state ")], status.get("state_error")


def test_a_state_that_was_set_aside_is_shown(start, clocksmith, tmp_path):
    (tmp_path / "state/state.json").write_text("torn")
    start()
    aside, *_ = [line for line in clocksmith.run("status").stdout.splitlines() if line.startswith("trouble ")]
    assert f"it is now {tmp_path}/state/state.json.set-aside; nothing is muted" in aside
    assert json.loads(clocksmith.run("status", "--json").stdout)["state_loss"] in aside


def test_a_mute_is_on_the_disk_before_it_is_answered(start, caller, tmp_path):
    service = start()
    caller.ask("Mute", **{"for": 3600})
    caller.call("Unmute")
    caller.ask("Mute", until="next")
    service.process.kill()
    service.process.wait()
    assert saved(tmp_path)["software_mute"] == "next"


@pytest.mark.rule("mute-fades")
def test_a_mute_that_cuts_something_off_is_on_the_disk_once_that_is_silent(start, caller, tmp_path):
    service = start()
    speak(caller, tmp_path)
    caller.ask("Mute", **{"for": 3600})
    service.wait_for("cut off .*: it was muted")
    # The service answers this only after the work under way.
    caller.get("Muted")
    service.process.kill()
    service.process.wait()
    assert is_muted(tmp_path)


def test_an_order_is_in_the_file_while_something_is_said(start, caller, tmp_path):
    service = start()
    speak(caller, tmp_path)
    caller.ask("SetAlarm", time="07:00", days="mon", name="school")
    [alarm] = saved(tmp_path)["alarms"]
    assert alarm["name"] == "school"
    service.wait_for('said ".*"')


def test_a_slow_disk_does_not_hold_up_the_fade_at_the_stop(start, caller, slow, tmp_path):
    service = start()
    speak(caller, tmp_path)
    # While something sounds, the state is not saved.
    caller.ask("Mute", until="next")
    slow.touch()
    service.process.terminate()
    service.wait_for("cut off .*: the service was stopped", 60)
    slow.unlink()
    assert service.process.wait(60) == 0
    assert saved(tmp_path)["software_mute"] == "next"
