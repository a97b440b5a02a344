"""What is set over the bus is in force at once, outlasts the service, and can be taken back."""

import json
import os
import re
import signal

import pytest

from message_bus import Refused, noticed
from pretended_line import PretendedLine
from program import VOICE, in_the_night, refusal

INVALID = "org.freedesktop.DBus.Error.InvalidArgs"
NOT_SAVED = "org.clocksmith.Error.NotSaved"


@pytest.fixture
def caller(bus):
    with bus.caller() as caller:
        yield caller


@pytest.fixture
def settings(on_the_bus):
    """The file of the service."""
    return on_the_bus.folder / "state/settings.conf"


@pytest.fixture(autouse=True)
def night(on_the_bus):
    in_the_night(on_the_bus)


def seen(caller, key=None):
    """The records of the settings by their keys."""
    keys = {"key": key} if key else {}
    return {each["key"]: each for each in caller.ask("Settings", **keys)["settings"]}


def put(caller, key, value):
    assert caller.ask("SetSetting", key=key, value=value) == {}


def take_back(caller, key):
    assert caller.ask("SetSetting", key=key) == {}


def refused(caller, name, **keys):
    """The words with which a setting is refused."""
    with pytest.raises(Refused) as raised:
        caller.ask("SetSetting", **keys)
    assert raised.value.name == name
    return raised.value.words


def alarms(caller):
    return {each["name"]: each for each in caller.get("Alarms")}


@pytest.mark.parametrize("way", ["stop", "kill"])
@pytest.mark.rule("setting-kept")
def test_a_value_is_in_force_at_once_and_after_the_service_has_ended(caller, start, settings, way):
    # As the unit has it: all the same everybody may read the file.
    before = os.umask(0o077)
    try:
        service = start()
    finally:
        os.umask(before)
    put(caller, "announce.voice", "slt")
    assert caller.get("Voice") == "slt"
    service.end_by(way)
    caller.wait_for_service(start())
    assert caller.get("Voice") == "slt"
    assert settings.stat().st_mode & 0o777 == 0o644
    assert [file.name for file in settings.parent.iterdir() if "settings" in file.name] == ["settings.conf"]


@pytest.mark.rule("setting-over-file")
def test_every_key_is_shown_with_its_value_and_where_it_comes_from(caller, start, on_the_bus, settings):
    start()
    put(caller, "announce.voice", "slt")
    shown = seen(caller)
    conf = on_the_bus.folder / "0.conf"
    assert shown["announce.voice"] == {
        "key": "announce.voice", "value": "slt", "origin": "settings", "place": f"{settings}:4",
        "usual": str(VOICE), "hides": f"{conf}:2", "choices": ["heart", "rms", "slt"],
        "settable": True}
    assert shown["announce.interval"]["origin"] == "file"
    assert shown["announce.interval"]["place"] == f"{conf}:4"
    assert shown["speaker.volume"] == {
        "key": "speaker.volume", "value": "0dB", "origin": "default", "usual": "0dB",
        "allowed": "-60dB to 0dB, with its unit, as -6dB", "settable": True}
    assert "natural-day" in shown["announce.style"]["choices"]
    assert shown["switch.silences"]["choices"] == ["everything", "announcements"]
    assert not {key for key in shown if not shown[key]["settable"]} ^ {
        "speaker.device", "speaker.mixer", "led.line", "led.active"}
    assert seen(caller, "clock") == {key: shown[key] for key in shown if key.startswith("clock.")}


def test_the_volume_is_a_setting(caller, start):
    start(rest="[speaker]\nvolume = -4dB")
    put(caller, "speaker.volume", "-3dB")
    assert caller.get("VolumeDB") == -3
    caller.ask("SetVolume", volume_db=-9.0)
    assert (caller.get("VolumeDB"), seen(caller)["speaker.volume"]["value"]) == (-9, "-9dB")
    take_back(caller, "speaker.volume")
    assert caller.get("VolumeDB") == -4


def test_the_same_value_again_changes_nothing(caller, start, settings):
    start()
    put(caller, "announce.clock", "24")
    before = settings.stat()
    put(caller, "announce.clock", "24")
    take_back(caller, "announce.style")
    take_back(caller, "alarm nobody")
    assert (settings.stat().st_ino, settings.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("number", [0, 17])
def test_only_a_line_without_a_second_function_is_set(caller, start, on_the_bus, tmp_path, number):
    line = PretendedLine(tmp_path, number)
    on_the_bus.environment |= line.environment
    start(rest="[switch]\nline = GPIO3")
    free = [f"GPIO{each}" for each in (4, 5, 6, 16, 17, 22, 23, 24, 25, 26, 27)] if number else []
    assert seen(caller)["switch.line"]["choices"] == ["none", "GPIO3", *free]
    assert seen(caller)["button.line"]["choices"] == ["none", *free]
    for key, value in ("switch.line", "GPIO2"), ("button.line", "pretended:0"):
        words = refused(caller, INVALID, key=key, value=value)
        assert words.startswith(f"{key} = {value}: allowed are none")
        assert words.endswith("; set any other in a file in /etc/clocksmith/conf.d")
    put(caller, "switch.line", "none")
    if number:
        put(caller, "switch.line", "GPIO17")
    take_back(caller, "switch.line")
    assert seen(caller)["switch.line"]["value"] == "GPIO3"


def test_a_change_is_told_once(caller, start, settings):
    service = start()
    signals = caller.listen()
    put(caller, "announce.voice", "slt")
    body = caller.next_signal(signals, "Noticed", lambda body: noticed(body)["event"] == "setting")
    told = noticed(body)
    assert told["text"] == f"announce.voice is now slt (was {VOICE})"
    assert told["fields"] == {"KEY": "announce.voice", "VALUE": "slt", "BEFORE": str(VOICE)}
    put(caller, "announce.voice", "slt")
    take_back(caller, "announce.voice")
    service.wait_for(f"announce.voice is now {VOICE} .was slt.")
    assert caller.get("Voice") == str(VOICE) and "voice" not in settings.read_text()
    assert len(service.matching("announce.voice is now")) == 2


@pytest.mark.parametrize("key, value, words", [
    ("announce.interval", "7", r"interval = 7: allowed: minutes that divide 60: 1, 2, .*"),
    ("announce.voice", "nobody", r"voice 'nobody': not found: allowed are heart, rms, slt, .*"),
    ("announce.voice", "../rms", r"voice = ../rms: this path depends on the folder .*"),
    ("announce.style", "poem", r"style = poem: the voice .* has no style 'poem' .*"),
    ("clock.zone", "../../etc", r"zone = ../../etc: not in the tz database .*"),
    ("alarm x.days", "mon", r"\[alarm x\] has no time; write one, as in time = 07:00"),
    # What is no key, or would be something else in a file.
    ("announce.voise", "slt", "announce.voise = slt: the configuration has no such key; the nearest is 'announce.voice'"),
    ("nonsense", "slt", "nonsense = slt: the configuration has no such key"),
    ("announce.voice", "slt\nchime = none", r".*it has a control character.*"),
    ("announce.voice", "slt ; x", r".*: the value has ' ;' in it; .*"),
    # What only the owner of the machine may set.
    ("speaker.device", "null", r"speaker.device = null: it depends on how the clock is built; .*"),
    ("announce.voice", str(VOICE), r"announce.voice = /.*: the path of a file can only be set .*"),
    ("announce.chime", "/etc/passwd", r"announce.chime = /etc/passwd: the path of a file .*"),
    ("alarm x.tune", "/etc/passwd", r".*the path of a file can only be set .*"),
    ("clock.zone", "/etc/passwd", r".*the path of a file can only be set .*"),
])
@pytest.mark.rule("setting-refused", "network-no-files")
def test_what_is_not_allowed_changes_nothing(caller, start, settings, key, value, words):
    service = start(rest="[alarm y]\ntime = 08:00")
    before = seen(caller)
    found = refused(caller, INVALID, key=key, value=value)
    assert re.fullmatch(words, found), found
    assert seen(caller) == before and not settings.exists()
    assert not service.matching(" is now ")


def test_keys_that_need_each_other_are_refused_until_both_fit(caller, start, settings):
    start("style = natural-day")
    before = seen(caller)
    # Only German has words for it.
    words = refused(caller, INVALID, key="announce.clock", value="24")
    assert "natural-day" in words
    assert seen(caller) == before
    put(caller, "announce.style", "digital")
    put(caller, "announce.clock", "24")
    words = refused(caller, INVALID, key="announce.style")
    assert "natural-day" in words
    assert "digital" in settings.read_text()


@pytest.mark.rule("setting-refused")
def test_a_full_disk_changes_nothing(caller, start, on_the_bus, full_disk):
    on_the_bus.environment |= {"STATE_DIRECTORY": str(full_disk)}
    service = start()
    put(caller, "announce.clock", "24")
    before = (full_disk / "settings.conf").read_text()
    with (full_disk / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError):
        while True:
            filler.write(bytes(4096))
    words = refused(caller, NOT_SAVED, key="announce.voice", value="slt")
    assert words.endswith(f"No space left on device; make room on the disk of {full_disk}")
    assert caller.get("Voice") == str(VOICE)
    assert (full_disk / "settings.conf").read_text() == before
    (full_disk / "filler").unlink()
    put(caller, "announce.voice", "slt")
    assert service.stop() == 0


@pytest.mark.parametrize("torn, words", [
    (b"no equals sign", "not a [section]"), (b"\0\0\0", "it holds a zero byte: it is torn"),
    (b"quiet = \xff", "the line is not UTF-8"), (b"k = " + b"x" * 2000, "the line is longer than"),
], ids=["rubbish", "zeros", "encoding", "long"])
@pytest.mark.rule("setting-left-out")
def test_a_torn_file_is_left_out_and_told(caller, start, on_the_bus, settings, torn, words):
    text = b"[announce]\nvoice = slt\n" + torn + b"\nclock = 24\n"
    settings.write_bytes(text)
    service = start()
    [line] = service.matching("; settings.conf is left out$")
    assert line.startswith(f"{settings}:3: {words}") and line.count(str(settings)) == 1
    assert seen(caller)["announce.clock"]["value"] == "12"
    done = on_the_bus.run("check", "--config", on_the_bus.folder / "0.conf")
    assert f"FOUND setting       {settings}:3: {words}" in done.stdout
    # An older one is kept.
    settings.with_name("settings.conf.set-aside").write_text("older")
    put(caller, "speaker.volume", "-3dB")
    assert settings.read_text().partition("\n\n")[2] == "[speaker]\nvolume = -3dB\n"
    assert settings.with_name("settings.conf.set-aside").read_text() == "older"
    assert settings.with_name("settings.conf.set-aside-2").read_bytes() == text


@pytest.mark.parametrize("lines, left_out", [
    # The voice was removed since.
    ("[announce]\nvoice = gone\nquiet = 01:00-02:00\n", {"announce.voice": ":2: voice 'gone': not found"}),
    # So was that of this style.
    ("[announce]\nquiet = 01:00-02:00\nstyle = sung\n", {"announce.style": ":3: style = sung: the voice"}),
    ("[announce]\nquiet = 01:00-02:00\nchime = gone\n[unknown]\na = b\n",
     {"announce.chime": ":3: chime = gone: ", "unknown.a": ":4: unknown section [unknown]"}),
    ("[announce]\nquiet = 01:00-02:00\n[led]\nline = x\n[alarm x]\ndays = mon\nrise = 5min\n",
     {"led.line": ":4: led.line = x: it depends", "alarm x.days": ":5: [alarm x] has no time"}),
    ("a = b\n[announce]\nvoice = slt\nvoice = slt\nquiet = 01:00-02:00\n",
     {".a": ":1: it stands before", "announce.voice": ":4: 'voice' is set twice"}),
])
@pytest.mark.rule("setting-left-out")
def test_a_bad_setting_is_left_out_and_told(caller, start, on_the_bus, settings, lines, left_out):
    settings.write_text(lines)
    service = start()
    shown = seen(caller)
    assert shown["announce.quiet"]["value"] == "01:00-02:00"
    told = service.matching(f"^{re.escape(str(settings))}:")
    assert len(told) == len(left_out), told
    for key, words in left_out.items():
        assert any(line.startswith(f"{settings}{words}") for line in told), told
        if key != "announce.voice" or "gone" in lines:
            assert shown.get(key, {}).get("origin") != "settings"
    done = on_the_bus.run("check", "--config", on_the_bus.folder / "0.conf")
    assert done.stdout.count("FOUND setting ") == len(left_out)
    # It is no reason to refuse another.
    put(caller, "speaker.volume", "-3dB")
    assert seen(caller)["announce.quiet"]["value"] == "01:00-02:00"


def test_only_the_setting_that_is_at_odds_with_a_file_is_left_out_and_it_comes_back(
        caller, start, on_the_bus, settings):
    """A style in a file that the voice lacks for the clock of the settings."""
    text = "[announce]\nclock = 24\nquiet = 01:00-02:00\n\n[speaker]\nvolume = -6dB\n"
    settings.write_text(text)
    service = start("style = natural-day")
    assert service.matching("natural-day.*; left out of settings.conf: announce.clock$")
    shown = seen(caller)
    assert shown["announce.clock"]["value"] == "12"
    assert shown["announce.quiet"]["value"] == "01:00-02:00"
    # Another setting does not forget it.
    put(caller, "speaker.volume", "-3dB")
    assert settings.read_text().partition("\n\n")[2] == text.replace("-6dB", "-3dB")
    assert not settings.with_name("settings.conf.set-aside").exists()
    assert any("left out of settings.conf: announce.clock" in each for each in caller.get("Problems"))
    # Once the file is put right, it is in force again.
    configuration = on_the_bus.folder / "0.conf"
    configuration.write_text(configuration.read_text().replace("style = natural-day", ""))
    service.signal(signal.SIGHUP)
    service.wait_for("read again")
    assert seen(caller)["announce.clock"]["value"] == "24"
    assert not any("settings.conf" in each for each in caller.get("Problems"))


def test_a_file_that_cannot_be_read_again_is_a_problem_until_it_can(caller, start, on_the_bus):
    service = start()
    file = on_the_bus.folder / "0.conf"
    right = file.read_text()
    for text, is_wrong in [(right + "[speaker]\nvolume = loud\n", True), (right, False)]:
        file.write_text(text)
        service.signal(signal.SIGHUP)
        service.wait_for("stays as it was" if is_wrong else "read again")
        assert ("settings" in caller.get("ProblemKeys")) == is_wrong
        assert any("volume = loud" in each for each in caller.get("Problems")) == is_wrong


def test_what_is_left_out_of_a_section_takes_nothing_else_of_it_along(caller, start, settings):
    settings.write_text("[announce]\nclock = 24\nquiet = 01:00-02:00\n")
    start("style = natural-day")
    assert "no such key" in refused(caller, INVALID, key="announce")
    assert "quiet = 01:00-02:00" in settings.read_text()


def test_an_alarm_of_a_file_is_changed_and_taken_back_by_its_name_in_any_capitals(caller, start, settings):
    start(rest="[alarm School]\ntime = 06:45")
    put(caller, "alarm school.days", "mon-fri")
    assert seen(caller)["alarm School.days"]["value"] == "mon-fri"
    take_back(caller, "alarm SCHOOL")
    assert seen(caller)["alarm School.days"]["value"] == "mon-sun" and "School" not in settings.read_text()


def test_a_setting_that_is_left_out_is_taken_back_or_comes_back_with_another(caller, start, settings):
    settings.write_text("[announce]\nclock = 24\nnew = x\nquiet = 01:00-02:00\n")
    start("style = natural-day")
    put(caller, "announce.style", "digital")
    assert seen(caller)["announce.clock"]["value"] == "12"
    take_back(caller, "announce.new")
    assert "new" not in settings.read_text()
    assert seen(caller)["announce.clock"] | {"choices": 0} == {
        "key": "announce.clock", "value": "24", "origin": "settings", "usual": "12", "choices": 0,
        "settable": True, "place": f"{settings}:4"}
    assert "settings" not in caller.get("ProblemKeys")
    words = refused(caller, INVALID, key="announce.new")
    assert "the configuration has no such key" in words


def test_other_commands_have_the_settings_too(on_the_bus, settings):
    settings.write_text("[clock]\nzone = Asia/Tokyo\n[announce]\nclock = 24\ninterval = 30\n")
    conf = on_the_bus.configuration()
    done = on_the_bus.run(
        "agenda", "--json", "--config", conf, "--from", "2026-11-21T15:00", "--hours", 1)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["local"] for line in lines] == [
        "2026-11-21T15:00:00+09:00", "2026-11-21T15:30:00+09:00"]
    assert lines[1]["text"] == "fifteen thirty"


def test_an_alarm_is_set_changed_and_removed(caller, start, settings):
    start(rest="[alarm work]\ntime = 08:00\ndays = mon-fri")
    put(caller, "alarm school.time", "07:00")
    put(caller, "alarm school.days", "mon-wed")
    put(caller, "alarm work.time", "09:15")
    now = alarms(caller)
    assert (now["school"]["time"], now["school"]["days"]) == ("07:00", "mon-wed")
    assert (now["work"]["time"], now["work"]["days"]) == ("09:15", "mon-fri")
    assert now["school"]["origin"] == "configuration"
    shown = seen(caller, "alarm school")
    assert set(shown) == {f"alarm school.{key}" for key in ("time", "days", "tune", "rise", "light")}
    assert "usual" not in shown["alarm school.time"]
    assert shown["alarm school.rise"] | {"allowed": ""} == {
        "key": "alarm school.rise", "value": "none", "origin": "default", "usual": "none",
        "allowed": "", "settable": True}
    put(caller, "alarm school.time", "06:45")
    assert alarms(caller)["school"]["time"] == "06:45"
    # Its time alone cannot be taken back: days would be left.
    assert "has no time" in refused(caller, INVALID, key="alarm school.time")
    take_back(caller, "alarm school")
    take_back(caller, "alarm work")
    assert set(alarms(caller)) == {"work"} and alarms(caller)["work"]["time"] == "08:00"
    assert "alarm" not in settings.read_text()


@pytest.mark.parametrize("name", ["alarm  tea", "alarm\u00a0tea", "  alarm tea ", "alarm tea"])
def test_one_alarm_has_one_name_however_its_spaces_are_typed(caller, start, settings, name):
    start(rest="[alarm  big  tea]\ntime = 08:00")
    put(caller, f"{name}.time", "09:00")
    put(caller, f"{name}.rise", "5min")
    assert settings.read_text().partition("\n\n")[2] == "[alarm tea]\nrise = 5min\ntime = 09:00\n"
    assert seen(caller, f"{name}.time")["alarm tea.time"]["value"] == "09:00"
    assert set(alarms(caller)) == {"tea", "big tea"}
    take_back(caller, name)
    assert set(alarms(caller)) == {"big tea"}


@pytest.mark.parametrize("text, shown", [
    ("-00006dB", "-6dB"), ("-6", "-6dB"), ("-6.50dB", "-6.5dB"), ("-6.25dB", "-6.25dB")])
def test_a_level_is_shown_and_saved_as_one_writes_it(caller, start, settings, text, shown):
    start(rest=f"[speaker]\nvoice_volume = {text}")
    assert seen(caller)["speaker.voice_volume"]["value"] == shown
    put(caller, "speaker.volume", text)
    assert seen(caller)["speaker.volume"]["value"] == shown
    assert f"volume = {shown}\n" in settings.read_text()
    assert "loud" in refused(caller, INVALID, key="speaker.volume", value="loud")


def test_two_of_switch_button_and_lamp_cannot_have_one_line(caller, start, on_the_bus, settings, tmp_path):
    on_the_bus.environment |= PretendedLine(tmp_path, 17).environment
    settings.write_text("[switch]\nline = GPIO22\n[button]\nline = GPIO17\n")
    start(rest="[switch]\nline = GPIO17\n[led]\nline = none")
    words = refused(caller, INVALID, key="switch.line")
    assert "[switch] and [button] cannot have the same line" in words
    words = refused(caller, INVALID, key="button.line", value="GPIO22")
    assert "[switch] and [button] cannot have the same line" in words
    both = on_the_bus.configuration(
        rest="[switch]\nline = GPIO27\n[led]\nline = GPIO27")
    done = on_the_bus.run("check", "--config", both, environment={"STATE_DIRECTORY": str(tmp_path)})
    assert f"FOUND configuration {both}:8: line = GPIO27: [switch] and [led] cannot have" in done.stdout
    # The other name of the same line.
    both = on_the_bus.configuration(rest="[switch]\nline = pinctrl-rp1:27\n[led]\nline = GPIO27")
    done = on_the_bus.run("check", "--config", both, environment={"STATE_DIRECTORY": str(tmp_path)})
    assert "[switch] and [led] cannot have the same line" in done.stdout


def test_a_line_of_the_settings_that_a_file_has_for_another_is_left_out(caller, start, settings):
    settings.write_text("[button]\nline = GPIO17\n[announce]\nquiet = 01:00-02:00\n")
    start(rest="[switch]\nline = GPIO17")
    shown = seen(caller)
    assert shown["button.line"]["value"] == "none" and shown["switch.line"]["value"] == "GPIO17"
    assert shown["announce.quiet"]["origin"] == "settings"
    assert any(each.endswith("left out of settings.conf: button.line") for each in caller.get("Problems"))


@pytest.mark.rule("own-zone")
def test_the_zone_is_that_of_the_clock(caller, start, on_the_bus):
    service = start(rest="[alarm x]\ntime = 12:00")
    before = alarms(caller)["x"]["rings"]
    own = caller.get("Zone")
    put(caller, "clock.zone", "Pacific/Kiritimati")
    assert caller.get("Zone") == "Pacific/Kiritimati"
    assert alarms(caller)["x"]["rings"] != before
    assert alarms(caller)["x"]["rings"].endswith("T22:00:00Z")
    service.wait_for("the zone is Pacific/Kiritimati")
    assert on_the_bus.run("status", "--json").stdout.count("+14:00")
    take_back(caller, "clock.zone")
    assert caller.get("Zone") == own and alarms(caller)["x"]["rings"] == before


@pytest.mark.rule("setting-over-file")
def test_a_reload_keeps_what_was_set(caller, start, on_the_bus):
    service = start()
    put(caller, "announce.voice", "slt")
    path = on_the_bus.folder / "0.conf"
    path.write_text(path.read_text() + "at_start = none\n")
    # A file that is not read again yet does not count.
    put(caller, "announce.clock", "24")
    assert seen(caller)["announce.at_start"]["value"] == "signal"
    service.signal(signal.SIGHUP)
    service.wait_for("read again")
    shown = seen(caller)
    assert shown["announce.at_start"]["value"] == "none" and shown["announce.voice"]["value"] == "slt"
    assert caller.get("Voice") == "slt"


def test_a_button_that_is_held_is_signalled(caller, start, on_the_bus, tmp_path):
    line = PretendedLine(tmp_path)
    on_the_bus.environment |= line.environment
    start(rest="[button]\nline = SWITCH")
    signals = caller.listen()
    line.put(True)
    assert caller.next_signal(signals, "Held") == ({},)


@pytest.mark.rule("setting-kept")
def test_an_app_sets_it_over_http(caller, start, door):
    start()
    door = door().wait_for_announcer()
    order = {"command": "setting", "key": "announce.voice"}
    assert door.order(order | {"value": "slt"}).body == {"status": "done"}
    assert caller.get("Voice") == "slt"
    answer = door.order(order | {"value": "nobody"})
    assert answer.status == 400 and "not found: allowed are heart, rms, slt" in answer.body["error"]
    assert door.order(order).status == 200 and caller.get("Voice") == str(VOICE)


@pytest.mark.rule("setting-kept", "setting-over-file")
def test_the_command_sets_shows_and_takes_back(caller, start, on_the_bus, settings):
    start()
    done = on_the_bus.run("set", "announce.voice", "slt")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [
        "announce.voice", "slt", f"{settings}:4,", "instead", "of", str(VOICE), "of",
        f"{on_the_bus.folder}/0.conf:2"]
    assert on_the_bus.run("set", "announce.voice").stdout == done.stdout
    assert done.stdout in on_the_bus.run("set").stdout
    done = on_the_bus.run("set", "--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == list(seen(caller).values())
    done = on_the_bus.run("set", "announce.voice", "--default")
    assert done.stdout.split() == ["announce.voice", str(VOICE), f"{on_the_bus.folder}/0.conf:2"]
    assert "interval = 7: allowed: minutes" in refusal(on_the_bus.run("set", "announce.interval", "7"), 1)
    assert "no such key" in refusal(on_the_bus.run("set", "announce.voise"), 1)
    assert on_the_bus.run("set", "speaker.volume", "-6dB", "--json").returncode == 0
    assert seen(caller)["speaker.volume"]["value"] == "-6dB"
    refusal(on_the_bus.run("set", "--default"), 2)
    refusal(on_the_bus.run("set", "announce.voice", "slt", "--default"), 2)
    on_the_bus.run("set", "alarm tea.time", "16:00")
    assert on_the_bus.run("set", "alarm tea", "--default").stdout == "alarm tea is not set\n"


def test_without_a_service_what_is_set_and_what_it_hides_is_shown(on_the_bus, etc, settings):
    etc.environment = on_the_bus.environment | {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none"}
    (etc.folder / "conf.d/my.conf").write_text("[announce]\n\nvoice = rms\n")
    settings.write_text("[announce]\nvoice = slt\n[timers]\nsay_phases = no\n")
    lines = [line for line in etc.run("check").stdout.splitlines() if line.split()[1] == "setting"]
    hidden = f"{settings}:2, instead of rms of /etc/clocksmith/conf.d/my.conf:3"
    assert lines == [
        f"ok    setting       announce.voice = slt: {hidden}",
        f"ok    setting       timers.say_phases = no: {settings}:4, instead of no"]
    assert hidden in etc.run("set", "announce.voice").stdout
    assert "is not running" in refusal(etc.run("set", "announce.voice", "heart"), 1)
