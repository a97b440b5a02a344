"""The files of the configuration: what cannot be read or used is told, and never means the defaults."""

import json
import re
import shutil

import pytest

from program import ROOT, about, in_the_night, refusal


def unreadable(path):
    path.touch()
    path.chmod(0)


def unreadable_folder(path):
    (path / "10-quiet.conf").touch()
    path.chmod(0)


def in_place_of_the_folder(put):
    return lambda path: path.rmdir() or put(path)


# The name that is told, and what is done.
BREAKAGES = {
    "an unreadable file": ("clocksmith.conf", unreadable),
    "a link to nothing": ("clocksmith.conf", lambda path: path.symlink_to("clocksmith.conf.mine")),
    "a link to nothing in the folder": ("conf.d/10-quiet.conf", lambda path: path.symlink_to("elsewhere")),
    "an unreadable folder": ("conf.d", unreadable_folder),
    "a file in the folder's place": ("conf.d", in_place_of_the_folder(lambda path: path.touch())),
    "a folder that is a link to nothing": (
        "conf.d", in_place_of_the_folder(lambda path: path.symlink_to("elsewhere"))),
}


@pytest.mark.parametrize("kind", BREAKAGES)
def test_what_cannot_be_read_is_not_taken_for_the_defaults(etc, kind):
    name, make = BREAKAGES[kind]
    make(etc.folder / name)
    told = refusal(etc.run("agenda"), 1)
    assert f"/etc/clocksmith/{name}: " in told
    assert ("sudo chmod -R a+rX /etc/clocksmith" in told) == ("unreadable" in kind)
    done = etc.run("check")
    assert done.returncode == 3
    assert f"FOUND configuration cannot read /etc/clocksmith/{name}: " in done.stdout


def test_without_files_the_defaults_count(etc):
    shutil.rmtree(etc.folder / "conf.d")
    assert "ok    configuration the defaults; no file" in etc.run("check").stdout


def test_the_files_are_read_in_order(etc):
    (etc.folder / "clocksmith.conf").write_text("[announce]\ninterval = 7\n")
    (etc.folder / "conf.d/10.conf").write_text("[announce]\ninterval = 8\n")
    assert "/etc/clocksmith/clocksmith.conf:2: interval = 7" in refusal(etc.run("agenda"), 1)


# MARK: A typo, beside a service that goes on with its old settings

# The folder itself instead of a copy, so that a later change is seen.
TYPO = "/etc/clocksmith/conf.d/my.conf:2: interval = 7: allowed: minutes that divide 60"


@pytest.fixture
def typo(on_the_bus, etc):
    """The folder in /etc, with a typo, for commands on the bus."""
    in_the_night(on_the_bus)
    etc.environment = on_the_bus.environment
    (etc.folder / "conf.d/my.conf").write_text("[announce]\ninterval = 7\n")
    return etc


def test_the_status_of_the_running_clock_is_shown_with_the_error(typo, start):
    start()
    done = typo.run("status")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^now +\w", done.stdout) and "\nnext     04:00" in done.stdout
    assert re.search(
        rf"^settings {re.escape(TYPO)}.*; the clock keeps the settings that it has$", done.stdout, re.MULTILINE)
    done = typo.run("status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert seen["running"] and seen["configuration_error"].startswith(TYPO)
    (typo.folder / "conf.d/my.conf").write_text("[announce]\ninterval = 6\n")
    assert json.loads(typo.run("status", "--json").stdout).get("configuration_error") is None


def test_without_a_service_there_is_no_status_to_show(typo):
    assert TYPO in refusal(typo.run("status"), 1)
    assert TYPO in refusal(typo.run("status", "--follow"), 1)


def test_the_voices_are_listed_with_a_note(typo):
    done = typo.run("voice", "list")
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert f"note: the configuration cannot be used, so no voice has a star: {TYPO}" in done.stderr
    assert "\n  rms: " in done.stdout and "*" not in done.stdout


def test_a_voice_is_tried_with_a_note(typo):
    done = typo.run("voice", "try", "rms", "15:45")
    assert (done.returncode, done.stdout) == (0, "three forty-five P M\n")
    assert f"note: the configuration cannot be used, so the speaker is 'default': {TYPO}" in done.stderr


@pytest.mark.parametrize("words", [("list",), ("try", "rms")])
def test_a_configuration_that_was_named_must_have_no_error(clocksmith, words):
    configuration = clocksmith.configuration("interval = 7")
    assert "interval = 7" in refusal(clocksmith.run("voice", *words, "--config", configuration), 1)


# MARK: A path that means another place in another folder

FLAW = "this path depends on the folder in which the clock starts; write the full path, which begins with /"


@pytest.fixture
def at_home(clocksmith, pack, tmp_path):
    """A folder with a voice and a tune, from which the command is run."""
    home = tmp_path / "home"
    (home / "mine").mkdir(parents=True)
    pack.rename(home / "mine/voice")
    shutil.copy(ROOT / "sounds/tunes/whittington.tune", home / "mine/bells.tune")
    return home


@pytest.mark.parametrize("key, path", [
    ("voice", "./mine/voice"), ("voice", "~/mine/voice"), ("chime", "mine/bells.tune")])
def test_check_and_the_service_refuse_a_path_that_is_not_full(clocksmith, at_home, key, path):
    configuration = at_home / "clock.conf"
    configuration.write_text(f"[announce]\n{key} = {path}\n")
    sentence = f"{configuration}:2: {key} = {path}: {FLAW}"
    done = clocksmith.run("check", "--config", configuration, cwd=at_home)
    assert (done.returncode, done.stdout) == (3, f"FOUND configuration {sentence}\n")
    done = clocksmith.run("run", "--config", configuration, cwd=at_home)
    assert refusal(done, 1) == f"clocksmith: {sentence}"


def test_a_full_path_and_a_name_are_used_from_everywhere(clocksmith, at_home):
    configuration = at_home / "clock.conf"
    for voice in at_home / "mine/voice", "rms":
        configuration.write_text(f"[announce]\nvoice = {voice}\nchime = {at_home}/mine/bells.tune\n")
        assert clocksmith.run("agenda", "--config", configuration, cwd="/").returncode == 0


def test_a_command_takes_a_path_from_where_it_is(clocksmith, at_home):
    done = clocksmith.run("voice", "verify", "mine/voice", cwd=at_home)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_tune_of_an_alarm_is_found_missing_and_keeps_nothing_from_starting(clocksmith, at_home):
    configuration = clocksmith.configuration(rest="[alarm school]\ntime = 07:00\ntune = mine/bells.tune")
    done = clocksmith.run("check", "--config", configuration, cwd=at_home)
    assert about(done, "alarms") == (
        f'FOUND alarms        alarm "school" cannot ring with its tune: mine/bells.tune: {FLAW}; set it with another')
    assert clocksmith.run("agenda", "--config", configuration, cwd=at_home).returncode == 0


def test_check_names_each_line_that_a_later_file_hides(etc):
    (etc.folder / "clocksmith.conf").write_text("[announce]\nquiet = 22:00-07:00\nclock = 24\n")
    (etc.folder / "conf.d/50-setup.conf").write_text("[announce]\nquiet = none\n")
    lines = [line for line in etc.run("check").stdout.splitlines() if "has no effect" in line]
    assert lines == [
        "ok    setting       /etc/clocksmith/clocksmith.conf:2: announce.quiet = 22:00-07:00 has no effect: "
        "/etc/clocksmith/conf.d/50-setup.conf:2 overrides it"]
