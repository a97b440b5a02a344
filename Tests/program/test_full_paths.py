"""A path in the configuration that means another place in another folder: told, and never tried."""

import shutil

import pytest

from program import ROOT, about, refusal

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
@pytest.mark.parametrize("words", [["run"], ["check"]], ids=lambda words: words[0])
def test_check_and_the_service_refuse_a_path_that_is_not_full(clocksmith, at_home, key, path, words):
    configuration = at_home / "clock.conf"
    configuration.write_text(f"[announce]\n{key} = {path}\n")
    done = clocksmith.run(*words, "--config", configuration, cwd=at_home)
    sentence = f"{configuration}:2: {key} = {path}: {FLAW}"
    if words == ["check"]:
        assert (done.returncode, done.stdout) == (3, f"FOUND configuration {sentence}\n")
    else:
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
    line = about(done, "alarms")
    assert line == (
        'FOUND alarms        alarm "school" cannot ring with its tune: mine/bells.tune: ' + FLAW
        + "; set it with another")
    assert clocksmith.run("agenda", "--config", configuration, cwd=at_home).returncode == 0
