"""org.clocksmith.Announcer1 on a private bus: driven, watched, and misused."""

import importlib.util
import json
import os
import pwd
import re
import signal
import time
import xml.etree.ElementTree

import pytest
from jeepney import DBusAddress, Properties, new_method_call

from message_bus import ADDRESS, NAME, PATH, Refused, noticed, rfc3339, timestamp
from program import ROOT, VOICE, refusal, zone_showing
from sound_server import wait_until

CLASSIC = "three thirty P M"
INTROSPECTABLE = DBusAddress(PATH, bus_name=NAME, interface="org.freedesktop.DBus.Introspectable")
METHODS = {"Announce", "Stop", "Mute", "Unmute", "SetVolume",
           "StartTimer", "AddToTimer", "PauseTimer", "ResumeTimer", "CancelTimer", "StopTimer", "TellTimer",
           "StartInterval", "StopInterval",
           "SetAlarm", "SkipAlarm", "UnskipAlarm", "TurnAlarmOn", "TurnAlarmOff", "SnoozeAlarm", "StopAlarm", "CancelAlarm", "SetSetting",
           "Agenda", "Settings"}
SIGNALS = {"Noticed", "Held"}


@pytest.fixture
def service(on_the_bus, start, request):
    """It plays in real time. With the parameter `slow` it takes half a minute to say 11:45."""
    # Far from a quarter of an hour: right before its announcement, requests are refused.
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 10 * 3600 + 17 * 60)}
    voice = request.getfixturevalue("slow_voice") if hasattr(request, "param") else VOICE
    return start("", voice=voice, words=["--output", on_the_bus.folder / "played.wav"])


slow = pytest.mark.parametrize("service", ["slow"], indirect=True)


def test_it_describes_itself(caller, service):
    tree = xml.etree.ElementTree.fromstring(caller.send(new_method_call(INTROSPECTABLE, "Introspect"))[0])
    interface = tree.find(f"interface[@name='{NAME}']")
    assert {method.get("name") for method in interface.iter("method")} == METHODS
    assert {sign.get("name") for sign in interface.iter("signal")} == SIGNALS
    assert {prop.get("name") for prop in interface.iter("property")} == set(caller.all())
    flowing = {
        prop.get("name") for prop in interface.iter("property")
        for note in prop.iter("annotation") if note.get("value") == "false"}
    assert flowing == {"ClockWords", "ClockUncertainty"}


def test_a_warning_whose_cause_is_over_is_the_last_one_no_more(caller, service, on_the_bus):
    path = on_the_bus.folder / "0.conf"
    right, before = path.read_text(), caller.get("LastError")
    signals = caller.listen()
    path.write_text("nonsense\n")
    service.signal(signal.SIGHUP)
    assert "the configuration stays as it was" in caller.next_change(signals, "LastError")
    path.write_text(right)
    service.signal(signal.SIGHUP)
    assert caller.next_change(signals, "LastError") == before


def test_a_given_time_is_said_and_told(caller, service):
    signals = caller.listen()
    begun = time.time()
    assert caller.ask("Announce", time="15:30") == {"text": CLASSIC}
    assert caller.next_change(signals, "Playing") == CLASSIC
    assert caller.next_change(signals, "Playing") == ""
    last = caller.get("Last")
    assert last["text"] == CLASSIC
    assert begun < timestamp(last["at"]) < time.time()
    assert abs(last["onset_error_ms"]) < 1000
    assert service.wait_for('said "three thirty P M" because it was asked for')


def test_the_time_now_is_said(caller, service):
    text = caller.ask("Announce")["text"]
    assert re.fullmatch(r"\w+( o'clock|( oh)? [\w-]+( [\w-]+)? [AP] M)", text), text


def asked_for(caller):
    """Asks for a time in nearly 5 s, the most that is allowed: (the instant, the words). A busy
    machine may be too late with the question."""
    for _ in range(4):
        at = int((time.time() + 4.9) * 1_000_000)
        try:
            return at, caller.ask("Announce", at=rfc3339(at / 1e6), time="15:30")["text"]
        except Refused as refused:
            assert "within the next 5 s" in refused.words or "too near" in refused.words
    raise AssertionError("it was refused each time")


def test_a_time_is_said_from_an_instant_on(caller, service):
    signals = caller.listen()
    at, words = asked_for(caller)
    assert words == CLASSIC
    last = caller.next_change(signals, "Last")
    assert (last["at"], last["text"]) == (rfc3339(at / 1e6), CLASSIC)
    assert abs(last["onset_error_ms"]) < 100


@pytest.mark.parametrize("ahead, name", [
    (-1, "org.clocksmith.Error.Past"), (600, "org.freedesktop.DBus.Error.InvalidArgs")])
def test_an_instant_that_is_over_or_too_far_off_is_refused(caller, service, ahead, name):
    with pytest.raises(Refused, match="within the next 5 s") as refused:
        caller.ask("Announce", at=rfc3339(time.time() + ahead))
    assert refused.value.name == name


@slow
def test_what_sounds_is_stopped(caller, service):
    caller.ask("Announce", time="11:45")
    wait_until(lambda: caller.get("Playing"), 60, "the phrase")
    time.sleep(0.6)
    caller.call("Stop")
    wait_until(lambda: not caller.get("Playing"), 60, "silence")
    assert service.wait_for("cut off .*: it was stopped by hand")


@slow
def test_what_cannot_be_met_is_refused_with_the_reason(caller, service):
    caller.ask("Announce", time="11:45")
    for _ in range(3):
        with pytest.raises(Refused) as refused:
            caller.ask("Announce")
        assert refused.value.name == "org.clocksmith.Error.Busy"
        assert refused.value.words == "the clock was saying something else"
    assert len(service.matching("did not say the time that was asked for")) == 1


def test_it_is_muted_for_a_while_and_not_any_more(caller, service):
    signals = caller.listen()
    before = time.time()
    caller.ask("Mute", **{"for": 3600})
    until = timestamp(caller.next_change(signals, "MutedUntil"))
    assert before + 3600 <= until <= time.time() + 3600
    assert (caller.get("Muted"), caller.get("MutedBy")) == (True, "person")
    assert caller.get("Next")["reason_key"] == "muted"
    caller.call("Unmute")
    assert caller.next_change(signals, "Muted") is False
    assert caller.get("MutedUntil") == ""
    assert service.matching("^muted until") and service.matching("^not muted any more")


def test_a_mute_ends_by_itself(caller, service):
    signals = caller.listen()
    caller.ask("Mute", **{"for": 0.5})
    told = noticed(caller.next_signal(signals, "Noticed"))
    assert (told["event"], told["priority"], told["fields"]["MUTE"]) == ("mute", 6, "until")
    assert told["text"].startswith("muted")
    caller.next_change(signals, "Muted", True)
    caller.next_change(signals, "Muted", False)


@pytest.mark.rule("silence-told", "mute-next")
def test_a_muted_occasion_is_skipped_and_told(one_minute):
    caller, signals = one_minute.caller, one_minute.signals
    assert caller.next_change(signals, "MutedBy") == "next"
    skipped = noticed(caller.next_signal(
        signals, "Noticed", lambda body: noticed(body)["event"] == "skipped"))
    words = f"skipped {one_minute.time_of_day}: it is muted"
    assert (skipped["fields"]["REASON"], skipped["text"]) == ("muted", words)
    assert caller.next_change(signals, "Muted") is False
    assert one_minute.about("muted") == [words]


def test_the_volume_is_set_and_told(caller, service):
    signals = caller.listen()
    caller.ask("SetVolume", volume_db=-12.5)
    told = noticed(caller.next_signal(signals, "Noticed"))
    assert told["text"] == "speaker.volume is now -12.5dB (was 0dB)"
    assert caller.next_change(signals, "VolumeDB") == -12.5
    for wrong in (0.5, -60.5, float("nan"), float("inf")):
        with pytest.raises(Refused) as refused:
            caller.ask("SetVolume", volume_db=wrong)
        assert refused.value.words.endswith(" is not allowed; write -60 to 0 dB")
    assert caller.get("VolumeDB") == -12.5


def test_a_flood_of_calls_does_not_hold_up_the_sound(caller, service):
    signals = caller.listen()
    caller.ask("Announce", time="11:45")
    message = new_method_call(ADDRESS, "Announce", "a{sv}", ({},))
    sent = 0
    enough = time.monotonic() + 3
    while time.monotonic() < enough or sent <= 1000:
        caller.connection.send(message, serial=next(caller.connection.outgoing_serial))
        sent += 1
        time.sleep(0.0005)
    told = noticed(caller.next_signal(
        signals, "Noticed", lambda body: noticed(body)["event"] == "announced"))
    assert told["fields"]["TEXT"] == "eleven forty-five A M"
    assert abs(int(told["fields"]["ONSET_ERROR_USEC"])) < 20_000
    assert len(service.lines()) < 20, "the journal is not flooded"


def test_no_message_of_whatever_form_goes_unanswered(caller, service):
    specification = importlib.util.spec_from_file_location("fuzz_bus", ROOT / "Tests/fuzz/bus.py")
    fuzzer = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(fuzzer)
    assert fuzzer.fuzz(caller.connection, 1, range(1000)) == []
    with pytest.raises(Refused):
        caller.set("Trust", "s", "synchronised")
    assert service.is_alive() and caller.get("Trust")
    made = [fuzzer.make(1, number) for number in range(100)]
    assert len(set(map(repr, made))) > 50 and repr(made) == repr([fuzzer.make(1, n) for n in range(100)])


def test_a_call_that_the_service_meets_at_its_end_is_left_unanswered(caller, service):
    service.stand_still()
    caller.connection.send(Properties(ADDRESS).get_all())
    # The bus has passed the call on when it answers the next one.
    caller.wait_for_service(service)
    service.signal(signal.SIGTERM)
    service.signal(signal.SIGCONT)
    assert service.process.wait(60) == 0
    with pytest.raises(Refused, match="NoReply"):
        raise Refused(caller.connection.receive(timeout=60))


def test_what_is_refused_has_a_key(caller, service):
    for method, keys, error in [
            ("Announce", {"time": "24:00"}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("Mute", {"for": 2**63 - 1}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("StartTimer", {"seconds": "a minute"}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("StartTimer", {"seconds": 60, "name": "12"}, "org.clocksmith.Error.Name"),
            ("SetAlarm", {"time": "07:00", "days": "2020-01-01"}, "org.clocksmith.Error.Over"),
            ("PauseTimer", {"timer": "tea"}, "org.clocksmith.Error.UnknownTimer")]:
        with pytest.raises(Refused) as refused:
            caller.ask(method, **keys)
        assert refused.value.name == error, (method, keys)


# The command as a client.


def test_the_command_speaks_through_the_service(on_the_bus, service, caller):
    done = on_the_bus.run("say", "15:30")
    assert (done.returncode, done.stdout, done.stderr) == (0, "three thirty P M\n", "")
    service.wait_for("because it was asked for")


def test_the_command_mutes_and_unmutes(on_the_bus, service, caller):
    done = on_the_bus.run("mute", "2h")
    assert done.returncode == 0 and done.stdout.startswith("muted until 20")
    assert caller.get("Muted") is True
    assert on_the_bus.run("mute", "next").stdout == "muted for the next announcement\n"
    assert caller.get("MutedBy") == "next"
    assert on_the_bus.run("mute").stdout == "muted until 'clocksmith unmute'\n"
    assert (caller.get("MutedUntil"), caller.get("SoftwareMute")) == ("", "on")
    assert on_the_bus.run("unmute").returncode == 0
    assert caller.get("Muted") is False
    assert on_the_bus.run("stop").returncode == 0


@pytest.mark.parametrize("word", ["soon", "0s", "-5min", "745h"])
def test_a_mute_that_is_none_is_refused_with_or_without_a_service(on_the_bus, word):
    said = refusal(on_the_bus.run("mute", "--", word), 2)
    assert f"'{word}' is no length; write one from 1s to 744h" in said


def test_a_mute_lasts_until_a_time_of_day(on_the_bus, service):
    done = on_the_bus.run("mute", "until", "07:00")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"muted until 20\d\d-\d\d-\d\dT07:00:00\n", done.stdout)
    assert "is no time of day" in refusal(on_the_bus.run("mute", "until", "7"), 2)


def test_the_volume_is_set_and_shown(on_the_bus, service):
    assert on_the_bus.run("volume").stdout == "0.0 dB\n"
    for text, shown in [("-6dB", "-6.0 dB\n"), ("-7.5", "-7.5 dB\n"), ("0", "0.0 dB\n")]:
        assert on_the_bus.run("volume", text).returncode == 0
        assert on_the_bus.run("volume").stdout == shown
    for text in ["loud", "3dB", "-61dB", ""]:
        assert "is no volume; write one from -60dB to 0dB" in refusal(
            on_the_bus.run("volume", text), 2)


def test_who_may_not_act_is_told_how_to_be_let(on_the_bus, announcer):
    announcer(lambda member: "org.freedesktop.DBus.Error.AccessDenied")
    user = pwd.getpwuid(os.getuid()).pw_name
    assert refusal(on_the_bus.run("mute"), 1) == (
        "clocksmith: only root and members of the group audio may do that; run 'sudo adduser "
        f"{user} audio' and log in again")


@pytest.mark.parametrize("words", [["mute", "1h"], ["unmute"], ["stop"], ["volume"]])
def test_without_a_service_the_command_says_so(on_the_bus, words):
    assert "the clock is not running: start it with" in refusal(on_the_bus.run(*words), 1)


def test_without_a_service_the_status_begins_with_that(on_the_bus):
    done = on_the_bus.run("status")
    assert done.returncode == 3
    assert done.stdout.startswith("clock    it is not running; start it with")
    done = on_the_bus.run("status", "--json")
    assert (done.returncode, json.loads(done.stdout)["running"]) == (3, False)
    done = on_the_bus.run("status", "--config", on_the_bus.configuration())
    assert done.returncode == 0 and done.stdout.startswith("now ")


@slow
def test_status_shows_what_the_service_knows(on_the_bus, service, caller):
    on_the_bus.run("mute", "2h")
    caller.ask("Announce", time="11:45")
    wait_until(lambda: caller.get("Playing"), 60, "the phrase")
    done = on_the_bus.run("status", "--json")
    status = json.loads(done.stdout)
    assert (status["running"], status["playing"], status["muted"]) == (
        True, "eleven forty-five A M", True)
    assert status["switch"] == "absent" and status["next"] == caller.get("Next")
    assert (status["next"]["reason_key"], status["next"]["chime"]) == ("muted", "none")
    face = on_the_bus.run("status").stdout
    assert 'sounding "eleven forty-five A M"' in face and "\nmuted    until 20" in face


# State that outlasts the service.


def test_a_mute_and_the_volume_outlast_a_restart(start, caller):
    def end():
        return timestamp(caller.get("MutedUntil"))

    first = start()
    caller.ask("Mute", **{"for": 3600})
    caller.ask("SetVolume", volume_db=-20.254)
    before = end()
    assert first.stop() == 0
    start()
    # It is kept on the clock that counts since the start of the machine, and told on UTC.
    assert end() == pytest.approx(before, abs=0.1)
    assert caller.get("VolumeDB") == -20.25


@pytest.mark.parametrize("text", [
    "", '{"version":3,"mute":"o', '{"version":2,"mute":"on"}', '{"version":4,"software_mute":"on"}', "\0" * 4096])
def test_a_state_that_is_torn_or_of_another_version_is_set_aside(start, on_the_bus, text):
    state = on_the_bus.folder / "state/state.json"
    state.write_text(text)
    # The time of an RTC would be saved.
    service = start(rest="[clock]\nrtc = none")
    assert service.matching(re.escape(f"it is now {state}.set-aside"))
    assert state.with_name("state.json.set-aside").read_text() == text
    assert not state.exists()


def test_a_full_disk_loses_nothing_but_the_state(start, on_the_bus, full_disk):
    on_the_bus.environment = on_the_bus.environment | {"STATE_DIRECTORY": str(full_disk)}
    with (full_disk / "filler").open("wb", buffering=0) as filler:
        with pytest.raises(OSError):
            while True:
                filler.write(bytes(4096))
    service = start()
    on_the_bus.run("mute", "1h")
    service.wait_for("No space left on device; what was set at run time will be lost")
    [line] = [line for line in on_the_bus.run("status").stdout.splitlines() if "No space left" in line]
    assert line.endswith(f"; make room on the disk of {full_disk}")
    (full_disk / "filler").unlink()
    assert service.stop() == 0
    assert "muted_until" in (full_disk / "state.json").read_text()
