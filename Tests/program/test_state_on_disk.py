"""The state that outlasts the service, on a slow disk or with something else in its file's place: sound
does not wait for it, and everything that was set is kept."""

import json
import os
import pathlib
import re
import signal
import time

import pytest

from c_library import shared_library
from message_bus import MessageBus, timestamp
from pretended_announcer import PretendedAnnouncer
from program import SILENT_ALSA, in_the_night, refusal, zone_showing
from service import Service
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
def start(clocksmith, tmp_path, pack):
    """Starts a service on a bus that keeps its state and plays into a file. It takes eight seconds
    to say 11:45."""
    bus = MessageBus(tmp_path)
    voice = lengthen(pack, 8, "minute-45")
    in_the_night(clocksmith)
    clocksmith.environment = clocksmith.environment | {
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "STATE_DIRECTORY": str(tmp_path / "state")}
    started = []

    def start(announce=""):
        service = Service(
            clocksmith, clocksmith.configuration(
                f"interval = 60\nvoice_at_hour = none\n{announce}", voice=voice),
            "--output", tmp_path / "played.wav", alsa=SILENT_ALSA)
        started.append((service, bus.caller()))
        started[0][1].wait_for_service(service)
        return started[0]

    yield start
    for service, caller in started:
        caller.close()
        service.process.kill()
        service.process.wait()
    bus.stop()


def speak(caller, folder):
    """Asks for a time, and waits until it is heard."""
    played = folder / "played.wav"
    before = played.stat().st_size
    caller.ask("Announce", time="11:45")
    wait_until(lambda: played.stat().st_size > before + 1.2 * RATE, 60, "the words")


def saved(folder):
    state = folder / "state/state.json"
    return json.loads(state.read_text()) if state.exists() else {}


def is_muted(folder):
    return "muted_until" in saved(folder)


def test_without_a_folder_it_says_once_that_nothing_is_kept(clocksmith):
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    service.wait_for("what is set at run time will be lost at the end: STATE_DIRECTORY names no folder")
    assert service.stop() == 0
    assert len(service.matching("STATE_DIRECTORY")) == 1


def test_a_folder_that_is_missing_is_told_at_the_start(clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"STATE_DIRECTORY": str(tmp_path / "missing")}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    service.wait_for(
        f"will be lost at the end: cannot write in {tmp_path}/missing: No such file or directory; "
        f"make the folder {tmp_path}/missing, and let the service write in it")
    assert service.stop() == 0


def test_with_a_folder_nothing_is_said_of_it(start, tmp_path):
    (tmp_path / "state").mkdir()
    service, _ = start()
    assert not service.matching("STATE_DIRECTORY|run time")


def state_line(clocksmith):
    done = clocksmith.run("check", "--config", clocksmith.configuration())
    [line] = [line for line in done.stdout.splitlines() if line.split()[1] == "state"]
    return line


@pytest.mark.parametrize("words", [
    ["alarm", "07:00"], ["timer", "10m"], ["interval", "1h"], ["mute", "1h"],
], ids=lambda words: words[0])
def test_a_new_thing_that_cannot_be_saved_is_there_and_told(start, clocksmith, tmp_path, words):
    start()
    done = clocksmith.run(*words)
    assert done.returncode == 0 and done.stdout
    told = (f"cannot write {tmp_path}/state/state.json: No such file or directory; make the folder "
            f"{tmp_path}/state, and let the service write in it")
    assert done.stderr == f"clocksmith: note: the change is not saved, and lost at a restart: {told}\n"
    assert state_line(clocksmith) == (
        f"FOUND state         what is set at run time is lost at a restart: {told}")
    assert shown_state(clocksmith) == (
        [f"state    what is set at run time is lost at a restart: {told}"], told)
    (tmp_path / "state").mkdir()
    # Each order is a new try. The first may come while the signal of the interval is faded out.
    wait_until(lambda: clocksmith.run("mute", "1h").stderr == "", 60, "the state")
    assert state_line(clocksmith) == "ok    state         what is set at run time outlasts a restart"
    assert shown_state(clocksmith) == ([], None)


@pytest.mark.parametrize("before, words", [
    ([["timer", "10m"]], ["timer", "add", "1m"]),
    ([["timer", "10m"]], ["timer", "pause"]),
    ([["timer", "10m"], ["timer", "pause"]], ["timer", "resume"]),
    ([["timer", "10m"]], ["timer", "cancel"]),
    ([["interval", "1h"]], ["interval", "stop"]),
    ([["alarm", "07:00", "--name", "school"]], ["alarm", "cancel", "school"]),
    ([["mute"]], ["unmute"]),
    ([["interval", "1h"]], ["stop"]),
], ids=lambda words: " ".join(words) if isinstance(words[0], str) else "")
def test_a_change_that_cannot_be_saved_is_made_and_told(start, clocksmith, before, words):
    start()
    for order in before:
        assert clocksmith.run(*order).returncode == 0
    done = clocksmith.run(*words)
    assert done.returncode == 0
    [note] = done.stderr.splitlines()
    assert note.startswith(
        "clocksmith: note: the change is not saved, and lost at a restart: cannot write ")


@pytest.mark.parametrize("words", [["stop"], ["unmute"], ["interval", "1h"]], ids=" ".join)
def test_what_changes_nothing_is_not_told_to_be_lost(start, clocksmith, words):
    start()
    assert "not saved" in clocksmith.run("alarm", "07:00").stderr
    if words[0] == "interval":
        assert "not saved" in clocksmith.run(*words).stderr
    done = clocksmith.run(*words)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_error_of_an_order_is_its_own_though_the_service_cannot_tell_how_it_is(clocksmith, tmp_path):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = PretendedAnnouncer(
        bus.address, lambda member: "org.clocksmith.Error.Refused" if member == "Unmute" else True)
    try:
        assert refusal(clocksmith.run("unmute"), 1) == "clocksmith: clocksmith.service: because"
        assert "GetAll" in service.calls
    finally:
        service.close()
        bus.stop()


def shown_state(clocksmith):
    """What `status` shows of the state: its lines, and the value in JSON."""
    lines = clocksmith.run("status").stdout.splitlines()
    status = json.loads(clocksmith.run("status", "--json").stdout)
    return [line for line in lines if line.startswith("state ")], status.get("state_error")


def troubles(clocksmith):
    """The lines of `status` about what went wrong."""
    lines = clocksmith.run("status").stdout.splitlines()
    return [line for line in lines if line.startswith("trouble ")]


def about_the_folder(clocksmith, tmp_path):
    """The lines of `status` about the folder of the state."""
    return [
        line for line in clocksmith.run("status").stdout.splitlines() if f"{tmp_path}/state" in line]


def test_a_failed_save_is_told_in_one_line_until_it_is_saved(start, clocksmith, tmp_path):
    start()
    clocksmith.run("mute", "1h")
    assert len(about_the_folder(clocksmith, tmp_path)) == 1
    (tmp_path / "state").mkdir()
    wait_until(lambda: clocksmith.run("mute", "1h").stderr == "", 60, "the state")
    assert about_the_folder(clocksmith, tmp_path) == []


def test_a_file_in_place_of_the_folder_is_told_as_such_in_one_line(start, clocksmith, tmp_path):
    (tmp_path / "state").touch()
    service, _ = start()
    told = f"Not a directory; move the file of that name away, and make the folder {tmp_path}/state"
    service.wait_for(f"will be lost at the end: cannot write in {tmp_path}/state: {told}")
    for _ in range(2):
        [line] = about_the_folder(clocksmith, tmp_path)
        assert line.endswith(told)
        clocksmith.run("mute", "1h")


def test_a_state_that_was_set_aside_is_shown_beside_a_later_warning(start, clocksmith, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state/state.json").write_text("torn")
    service, _ = start()
    aside = troubles(clocksmith)[0]
    assert f"it is now {tmp_path}/state/state.json.set-aside; nothing is muted" in aside
    [configuration] = clocksmith.folder.glob("[0-9]*.conf")
    configuration.write_text("[nonsense]\n")
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration stays as it was")
    first, last = troubles(clocksmith)
    assert first == aside and "the configuration stays as it was" in last
    seen = json.loads(clocksmith.run("status", "--json").stdout)
    assert seen["state_loss"] in aside and seen["last_error"] in last


def test_check_knows_of_no_state_without_a_service(clocksmith):
    assert state_line(clocksmith).startswith("ok    state         not known without the service")


def test_a_mute_is_on_the_disk_before_it_is_answered(start, tmp_path):
    (tmp_path / "state").mkdir()
    service, caller = start()
    caller.ask("Mute", **{"for": 3600})
    caller.call("Unmute")
    caller.ask("Mute", until="next")
    service.process.kill()
    service.process.wait()
    assert saved(tmp_path)["software_mute"] == "next"


def test_a_mute_that_cuts_something_off_is_on_the_disk_once_that_is_silent(start, tmp_path):
    (tmp_path / "state").mkdir()
    service, caller = start()
    speak(caller, tmp_path)
    caller.ask("Mute", **{"for": 3600})
    service.wait_for("cut off .*: it was muted")
    # The service answers this only after the work under way.
    caller.get("Muted")
    service.process.kill()
    service.process.wait()
    assert is_muted(tmp_path)


def test_an_order_is_in_the_file_while_something_is_said(start, tmp_path):
    (tmp_path / "state").mkdir()
    service, caller = start()
    speak(caller, tmp_path)
    caller.ask("SetAlarm", time="07:00", days="mon", name="school")
    [alarm] = saved(tmp_path)["alarms"]
    assert alarm["name"] == "school"
    service.wait_for('said ".*"')


def test_a_volume_is_on_the_disk_a_second_later(start, tmp_path):
    (tmp_path / "state").mkdir()
    _, caller = start()
    caller.set("VolumeDB", "d", -20.0)
    wait_until(lambda: saved(tmp_path).get("volume_db") == -20, 60, "the volume")


def test_a_slow_disk_does_not_hold_up_the_fade_at_the_stop(start, slow, tmp_path):
    (tmp_path / "state").mkdir()
    service, caller = start()
    speak(caller, tmp_path)
    # While something sounds, the state is not saved.
    caller.set("VolumeDB", "d", -20.0)
    slow.touch()
    service.process.terminate()
    service.wait_for("cut off .*: the service was stopped", 60)
    slow.unlink()
    assert service.process.wait(60) == 0
    assert saved(tmp_path)["volume_db"] == -20


def test_what_could_not_be_saved_is_not_saved_while_something_sounds(
        start, clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"WATCHDOG_USEC": "100000"}
    service, caller = start()
    caller.ask("Mute", **{"for": 3600})
    service.wait_for("what was set at run time will be lost")
    speak(caller, tmp_path)
    (tmp_path / "state").mkdir()
    while not service.matching("because it was asked for"):
        assert not is_muted(tmp_path) or service.matching("because it was asked for")
    wait_until(lambda: is_muted(tmp_path), 60, "the state")


def test_a_mute_that_is_set_while_the_last_words_are_finished_is_kept(start, tmp_path):
    (tmp_path / "state").mkdir()
    service, caller = start("at_stop = finish")
    speak(caller, tmp_path)
    service.process.terminate()
    service.wait_for("^stopping")
    caller.ask("Mute", **{"for": 3600})
    assert service.process.wait(60) == 0
    assert is_muted(tmp_path)


def test_an_occasion_that_sounded_before_a_restart_does_not_sound_again(
        start, clocksmith, tmp_path):
    # As after a step back: the coming hour has sounded.
    hour = int(time.time()) + 2400
    clocksmith.environment = clocksmith.environment | {
        "TZ": zone_showing(clocksmith, 4 * 3600, hour)}
    (tmp_path / "state").mkdir()
    (tmp_path / "state/state.json").write_text(f'{{"version":1,"sounded_usec":{hour}000000}}')
    _, caller = start()
    assert timestamp(caller.get("Next")["at"]) == hour + 3600


@pytest.mark.parametrize("already_there", [True, False], ids=["at the start", "later"])
def test_a_pipe_in_place_of_the_state_holds_nothing_up(start, tmp_path, already_there):
    state = tmp_path / "state/state.json"
    state.parent.mkdir()
    if already_there:
        os.mkfifo(state)
    service, caller = start()
    if already_there:
        assert service.matching(re.escape(f"{state}: it is not a regular file; it is now"))
    else:
        os.mkfifo(state)
    caller.ask("Mute", **{"for": 3600})
    wait_until(state.is_file, 60, "the state")
    assert is_muted(tmp_path)


def test_the_state_of_a_clock_of_an_earlier_version_is_kept_and_written_anew(clocksmith, start, tmp_path):
    earlier = (pathlib.Path(__file__).parent / "state_of_version_2.json").read_text()
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state/state.json").write_text(earlier)
    service, caller = start()
    timers = [json.loads(line) for line in clocksmith.run("timer", "list", "--json").stdout.splitlines()]
    [egg] = [timer for timer in timers if timer.get("name") == "egg"]
    assert (egg["number"], egg["state"], egg["seconds"]) == (3, "paused", 300)
    assert 299 < egg["left"] < 300
    alarms = {line.get("name"): line for line in map(
        json.loads, clocksmith.run("alarm", "list", "--json").stdout.splitlines())}
    assert (alarms["school2"]["time"], alarms["school2"]["days"], alarms["school2"]["rise"]) == (
        "06:45", "mon-fri", "5min")
    assert (alarms["eve"]["days"], alarms["eve"]["tune"]) == ("2027-12-24", "westminster")
    assert clocksmith.run("timer", "resume", "egg").returncode == 0
    new = saved(tmp_path)
    assert new["version"] == 3
    [egg] = [timer for timer in new["timers"] if timer.get("name") == "egg"]
    assert (egg["seconds"], egg["state"]) == (300, "running")
    assert re.fullmatch(r"[\d-]{10}T[\d:]{8}\.\d+Z", egg["ends"])
