"""Alarms as a user knows them: set, listed, heard on time, snoozed, stopped, and kept."""

import json
import re
import signal
import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import soundfile

from exact_speaker import ExactSpeaker
from message_bus import timestamp
from program import ROOT, SILENT_ALSA, about, in_the_night, refusal, zone_showing
from sound_server import RATE, find, wait_until

RING, _ = soundfile.read(ROOT / "sounds/signals/ring.flac", dtype="float32")


@pytest.fixture
def home(on_the_bus):
    in_the_night(on_the_bus)
    return on_the_bus


def do(home, *words):
    done = home.run("alarm", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def alarms(home):
    return [json.loads(line) for line in do(home, "list", "--json").splitlines()]


def test_an_alarm_is_set_listed_and_cancelled(caller, home, start):
    service = start()
    signals = caller.listen()
    said = do(home, "07:00", "--days", "mon-fri", "--name", "school")
    assert re.fullmatch(
        r'alarm 1 "school": 07:00, mon-fri: rings (mon|tue|wed|thu|fri) [\d-]{10} 07:00, in .*',
        said)
    [row] = caller.next_change(signals, "Alarms")
    assert timestamp(row.pop("rings")) > time.time()
    assert row == {"number": 1, "name": "school", "time": "07:00", "days": "mon-fri",
                   "origin": "person", "on": True, "state": "waiting"}
    service.wait_for('alarm "school" was set for 07:00, mon-fri')
    assert do(home, "06:30", "--date", "2099-12-24", "--rise", "5m").startswith(
        "alarm 2: 06:30, 2099-12-24, rise 5min: rings thu 2099-12-24 06:30, in ")
    assert do(home, "23:59", "--tune", "westminster").startswith("alarm 3: 23:59, once, westminster: rings ")
    shown = [line for line in home.run("status").stdout.splitlines() if line.startswith("alarm")]
    assert len(shown) == 2 and shown[1] == "alarms   and 2 more"
    school, eve, tune = alarms(home)
    assert (school["name"], school["days"], school["state"]) == ("school", "mon-fri", "waiting")
    # In UTC; the offset of this zone depends on the time of day of the run.
    assert re.match("2099-12-2[34]T", eve["rings"])
    assert [alarm.get("rise") for alarm in (school, eve, tune)] == [None, "5min", None]
    assert tune["tune"] == "westminster"
    assert re.search(r"^alarm    \d+( \"school\")? rings ", home.run("status").stdout, re.MULTILINE)
    do(home, "cancel", "school")
    do(home, "cancel", "2")
    do(home, "cancel", "3")
    assert do(home, "list") == "no alarm"


@pytest.mark.rule("alarm-once")
def test_it_rings_on_its_moment_says_the_time_and_is_put_off_and_stopped(home, start):
    speaker = ExactSpeaker(home.folder)
    at = int(time.time()) + 15
    home.environment |= {"TZ": zone_showing(home, 6 * 3600 + 47 * 60, at)}
    service = start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    do(home, "06:47", "--name", "tea")
    service.wait_for('alarm "tea" rings', 75)
    service.wait_for('said ".*" for alarm "tea"', 60)
    assert alarms(home)[0]["state"] == "ringing"
    assert re.fullmatch(r'alarm 1 "tea": .*: rings again .*, in \d+ min.*', do(home, "snooze"))
    service.wait_for('alarm "tea" was snoozed for 10 min')
    assert alarms(home)[0]["state"] == "snoozing"
    assert re.fullmatch(
        r"nothing sounds\nalarm \"tea\" is snoozed: rings again [a-z]{3} [\d-]{10} [\d:]{5}, in \d+ min.*; "
        r"'clocksmith alarm stop 1' ends it\n", home.run("stop").stdout)
    assert alarms(home)[0]["state"] == "snoozing"
    # What else was stopped makes no difference.
    home.run("interval", "10m")
    assert home.run("stop").stdout.startswith('stopped: interval of 10 min\nalarm "tea" is snoozed: ')
    assert json.loads(home.run("status", "--json").stdout)["intervals"] == []
    assert do(home, "stop", "TEA") == 'alarm "tea" is stopped'
    service.wait_for('alarm "tea" has stopped ringing: it was stopped by hand')
    assert alarms(home) == []
    recording = speaker.recording()
    expected = recording.frame(at)
    first = max(expected - RATE // 2, 0)
    frame, likeness = find(RING, recording.samples[first:expected + 2 * RATE + len(RING)])
    assert likeness > 0.95
    assert abs(recording.instant(first + frame) - at) < 0.001


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_it_outlasts_the_service(home, start, end):
    service = start()
    do(home, "07:00", "--days", "sat,sun", "--name", "late", "--rise", "-30dB 5min")
    before = alarms(home)
    service.end_by(end)
    start()
    assert alarms(home) == before


def test_it_is_shown_in_the_zone_of_the_service(home, start):
    london = "Europe/London"
    home.environment |= {"TZ": london}
    # Half a day away.
    time_of_day = f"{datetime.now(ZoneInfo(london)) + timedelta(hours=12):%H:%M}"
    start()
    far = {"TZ": "Asia/Kathmandu"}
    done = home.run("alarm", time_of_day, "--days", "mon", environment=far)
    assert re.fullmatch(
        rf"alarm 1: {time_of_day}, mon: rings mon [\d-]{{10}} {time_of_day}, in .*\n",
        done.stdout), done.stderr
    assert f" {time_of_day}, in " in home.run("alarm", "list", environment=far).stdout
    nowhere = home.run("alarm", "list", environment={"TZ": "Nowhere/City"})
    assert nowhere.returncode == 0, nowhere.stderr
    assert f" {time_of_day}, in " in nowhere.stdout
    face = home.run("status", environment=far).stdout
    assert re.search(rf"^now .* {london} ", face, re.MULTILINE)
    assert re.search(rf"^alarm .* {time_of_day}, in ", face, re.MULTILINE)


def test_the_configuration_has_alarms_of_its_own(home, start):
    service = start(rest="[alarm church]\ntime = 10:30\ndays = sun\ntune = whittington")
    [church] = alarms(home)
    assert (church["name"], church["days"], church["origin"]) == ("church", "sun", "configuration")
    assert "is set in the configuration; remove its section there" in refusal(
        home.run("alarm", "cancel", "church"), 1)
    assert 'there is an alarm "church" already, set in the configuration; choose' in refusal(
        home.run("alarm", "07:00", "--name", "church"), 1)
    configuration = home.folder / "0.conf"
    configuration.write_text(configuration.read_text().replace("church", "school"))
    service.signal(signal.SIGHUP)
    service.wait_for('alarm "church" was removed: the configuration does not have it any more')
    assert [alarm["name"] for alarm in alarms(home)] == ["school"]


@pytest.mark.rule("lacks-tune")
def test_a_tune_that_is_gone_is_told_kept_and_taken_back(home, start):
    tune = home.folder / "two.tune"
    notes = "[tune]\ndescription = two notes\n[hour]\nnotes = E4 0.5 B3\n"
    tune.write_text(notes)
    service = start()
    do(home, "07:00", "--tune", str(tune), "--name", "school")
    service.end_by("stop")
    tune.unlink()
    service = start()
    service.wait_for('alarm "school" rings with the signal: .*two.tune')
    found = about(home.run("check"), "alarms")
    assert found.startswith('FOUND alarms        alarm "school" cannot ring with its tune: ')
    assert str(tune) in found and found.endswith("; set it with another")
    assert alarms(home)[0]["tune"] == str(tune)
    do(home, "08:00")
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration was read again")
    wait_until(lambda: len(service.matching("rings with the signal")) == 2, 20, "what is still true")
    service.end_by("stop")
    tune.write_text(notes)
    service = start()
    assert alarms(home)[0]["tune"] == str(tune)
    assert not any("rings with the signal" in line for line in service.lines())


def test_an_alarm_without_its_tune_is_a_problem_until_a_reload_finds_the_tune(home, start, caller):
    tune = home.folder / "two.tune"
    notes = "[tune]\ndescription = two notes\n[hour]\nnotes = E4 0.5 B3\n"
    tune.write_text(notes)
    service = start()
    do(home, "07:00", "--tune", str(tune), "--name", "school")
    service.end_by("stop")
    tune.unlink()
    service = start()
    home.run("set", "speaker.volume", "-6dB")
    assert caller.get("ProblemKeys")[-1] == "tune"
    assert caller.get("Problems")[-1].startswith('alarm "school" rings with the signal: ')
    assert "rings with the signal" in caller.get("LastError")
    tune.write_text(notes)
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration was read again")
    wait_until(lambda: "tune" not in caller.get("ProblemKeys"), 20, "the tune")
    assert "rings with the signal" not in caller.get("LastError")
    # It is heard: the agenda of the service names the tune that will ring.
    agenda = home.run("agenda", "--hours", "24", "--json").stdout.splitlines()
    assert [json.loads(line)["chime"] for line in agenda if "alarm" in line] == [str(tune)]


@pytest.mark.rule("alarm-skip")
def test_the_ring_of_the_next_day_is_skipped_the_evening_before(home, start):
    service = start()
    do(home, "07:00", "--days", "mon-sun", "--name", "school")
    [before] = alarms(home)
    assert do(home, "skip", "school").startswith('alarm 1 "school": 07:00, mon-sun: rings ')
    service.wait_for('alarm "school" skips its next ring')
    [after] = alarms(home)
    assert after["rings"][:10] > before["rings"][:10] and after["state"] == "waiting"
    assert do(home, "unskip", "school").startswith('alarm 1 "school": 07:00, mon-sun: rings ')
    assert alarms(home) == [before]
    assert "leaves out no ring" in refusal(home.run("alarm", "unskip", "school"), 1)
    do(home, "08:00", "--name", "once")
    assert do(home, "skip", "once") == "alarm 2 is removed: it had no other ring"
    assert "there is no alarm 'once'" in refusal(home.run("alarm", "skip", "once"), 1)
    assert "wants a name or a number" in refusal(home.run("alarm", "skip"), 2)


@pytest.mark.rule("alarm-off")
def test_an_alarm_that_is_off_is_kept_over_a_restart_also_one_of_a_file(home, start):
    school = "[alarm school]\ntime = 07:00\ndays = mon-fri"
    service = start(rest=school)
    before = alarms(home)
    assert do(home, "off", "school") == 'alarm 1 "school": 07:00, mon-fri: off'
    service.wait_for('alarm "school" is turned off')
    [off] = alarms(home)
    assert off["on"] is False and "rings" not in off
    assert "school" not in home.run("agenda", "--hours", "168").stdout
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration was read again")
    service.stop()
    service = start(rest=school)
    assert alarms(home) == [off]
    assert "is off; 'clocksmith alarm on' turns it on" in refusal(home.run("alarm", "skip", "school"), 1)
    assert "or turn it off with 'clocksmith alarm off'" in refusal(home.run("alarm", "remove", "school"), 1)
    assert do(home, "on", "school").startswith('alarm 1 "school": 07:00, mon-fri: rings ')
    assert alarms(home) == before


@pytest.mark.rule("alarm-change")
def test_an_alarm_is_changed_and_what_is_not_given_stays(home, start):
    start(rest="[alarm file]\ntime = 08:00\ndays = mon")
    do(home, "07:00", "--days", "mon-fri", "--name", "school", "--rise", "5min")
    do(home, "off", "school")
    assert do(home, "07:15", "--replace", "School") == 'alarm 2 "school": 07:15, mon-fri, rise 5min: off'
    do(home, "on", "school")
    assert do(home, "07:15", "--replace", "2", "--name", "work", "--days", "tue").startswith('alarm 2 "work": 07:15, tue')
    assert "there is no alarm 'school'" in refusal(home.run("alarm", "07:15", "--replace", "school"), 1)
    assert "tune 'drums': not found" in refusal(home.run("alarm", "07:15", "--replace", "work", "--tune", "drums"), 1)
    assert "is set in the configuration" in refusal(home.run("alarm", "07:15", "--replace", "file"), 1)
    assert 'there is an alarm "file" already' in refusal(
        home.run("alarm", "07:15", "--replace", "work", "--name", "File"), 1)


@pytest.mark.parametrize("words, told", [
    ([], "alarm wants a time, as in 07:00"),
    (["07:00", "mon"], "'07:00 mon' is no time of day; write HH:MM, as in 07:00, from 00:00 to 23:59; days belong "
                       "behind --days"),
    (["07:00", "--days", "weekdays"],
     "--days 'weekdays' is not a weekday (mon tue wed thu fri sat sun) or two, as mon-fri"),
    (["07:00", "--date", "2027-02-30"], "--date '2027-02-30' is no day; write it as 2026-12-24, up to 2200-12-31"),
    (["07:00", "--days", "mon", "--date", "2027-02-03"], "--days and --date exclude each other"),
    (["07:00", "--rise", "2h"], "--rise '2h' is no rise"),
    (["07:00", "--name", "a\nb"], "--name cannot be used: it has a control character"),
    (["07:00", "--name", "x" * 10_000], "--name cannot be used: it has more than 40 characters"),
    (["07:00", "--name", "7"], "it would be taken for the number of an alarm"),
    (["list", "--days", "mon"], "--days means nothing for 'alarm list'"),
    (["remove"], "'alarm remove' wants a name or a number"),
    (["07:00", "--name", b"caf\xe9"], "is not UTF-8; write it in UTF-8, or rename the file"),
    (["6:3"], "'6:3' is no time of day; write HH:MM, as in 07:00"),
    (["sometime"], "alarm wants a time, as in 07:00, or list, snooze, stop, skip, unskip, on, off or remove, not 'sometime'"),
])
def test_a_mistake_is_told_in_a_sentence(clocksmith, words, told):
    assert told in refusal(clocksmith.run("alarm", *words), 2)


def test_what_cannot_be_done_is_refused_with_a_reason(caller, home, start):
    start()
    do(home, "07:00", "--name", "school")
    for words, told in [
        (["07:00", "--name", "school"], 'there is an alarm "school" already'),
        (["07:00", "--tune", "nothing"], "tune 'nothing': not found: allowed are"),
        (["snooze"], "no alarm rings now"),
        (["cancel", ""], 'alarm "" is not allowed; write a name or a number'),
        (["stop", "school"], 'alarm "school" does not ring now'),
        (["cancel", "church"], "there is no alarm 'church'"),
    ]:
        assert told in refusal(home.run("alarm", *words), 1)
    assert refusal(home.run("alarm", "07:00", "--date", "2020-01-01"), 1) == (
        "clocksmith: 07:00 on 2020-01-01 is over; choose a later day")
    assert "--tune wants the name of a tune" in refusal(home.run("alarm", "07:00", "--tune", ""), 2)
    for number in range(99):
        caller.ask("SetAlarm", time="07:00", days="mon", name=f"n{number}")
    with pytest.raises(Exception, match="there are 100 alarms already"):
        caller.ask("SetAlarm", time="07:00", days="mon", name="more")
    with pytest.raises(Exception, match="is not allowed; write a path of at most 1024 bytes"):
        caller.ask("SetAlarm", time="07:00", days="mon", tune="/" * 2000)
    caller.ask("CancelAlarm", alarm="n7")
    caller.ask("SetAlarm", time="07:00", days="mon", tune="none")
    for values in [("7", "mon"), ("07:00", "never"), ("07:00", "2027-02-30")]:
        with pytest.raises(Exception, match="is not allowed"):
            caller.ask("SetAlarm", time=values[0], days=values[1])
