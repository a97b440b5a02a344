"""The words of timers and intervals in a user's own voice."""

import re
import shutil

import pytest
import soundfile

from program import ROOT, about, refusal
from recorded_words import RATE, lines_of, word

TIMERS = [*"hour hours minute minutes second seconds left timer round work rest half go done".split(),
          "and a half"]


def lay_timers(folder):
    """Adds the words of timers, and their numbers, to the recordings in the folder."""
    folder.mkdir(exist_ok=True)
    for number, name in enumerate([*range(1, 21), 30, 40, 50, *TIMERS]):
        soundfile.write(folder / f"{name}.wav", word(number), RATE)


def voice_line(clocksmith, pack):
    done = clocksmith.run("check", "--config", clocksmith.configuration(voice=pack))
    return about(done, "voice")


def test_a_voice_without_the_words_of_timers_is_told_by_check(clocksmith, brought_in):
    _, pack = brought_in()
    line = voice_line(clocksmith, pack)
    assert line.startswith("ok ") and line.endswith(
        "; it has no words of timers, which give a signal alone")
    assert voice_line(clocksmith, "rms").endswith("; it says timers and intervals")


def test_the_words_of_timers_are_brought_in_with_those_of_the_time(recordings, brought_in):
    for name in "one two three four five six seven eight nine ten eleven twelve fifteen thirty".split():
        (recordings / f"{name}.wav").unlink()
    lay_timers(recordings)
    done, pack = brought_in()
    assert lines_of(done, 0)[:3] == [
        f"made {pack}: 41 clips", "in 12 hours it says every 10 minutes",
        "it says timers and intervals"]
    assert done.stderr == ""


def test_a_pack_gains_the_words_of_timers(clocksmith, brought_in, tmp_path):
    _, pack = brought_in()
    lay_timers(tmp_path / "timers")
    soundfile.write(tmp_path / "timers" / "AM.wav", word(9), RATE)
    before = {path.name: path.read_bytes() for path in pack.glob("*.flac")}
    words = "voice", "import", tmp_path / "timers", "--pack", "timers", "--output", pack
    done = clocksmith.run(*words)
    assert lines_of(done, 0)[:3] == [
        f"made {pack}: 55 clips", "in 12 hours it says the quarters of an hour",
        "it says timers and intervals"]
    assert done.stderr == "clocksmith: note: not needed, so not used: AM.wav\n"
    assert before.items() <= {path.name: path.read_bytes() for path in pack.glob("*.flac")}.items()
    assert lines_of(clocksmith.run("voice", "verify", pack), 0) == [
        "ok    12 hours    it says the quarters of an hour",
        "ok    timers      it says timers and intervals", "ok    clips       55, all well"]
    assert "it has words of timers already; remove [left]" in refusal(clocksmith.run(*words), 1)


def test_timers_that_lack_a_word_are_not_added(clocksmith, brought_in, tmp_path):
    _, pack = brought_in()
    lay_timers(tmp_path / "timers")
    (tmp_path / "timers" / "left.wav").unlink()
    before = {path.name: path.read_bytes() for path in pack.iterdir()}
    done = clocksmith.run(
        "voice", "import", tmp_path / "timers", "--pack", "timers", "--output", pack)
    assert done.returncode == 1
    assert "no recording of 'left', which timers need; add it" in done.stderr
    assert before == {path.name: path.read_bytes() for path in pack.iterdir()}


@pytest.mark.parametrize("hours", [60, 744])
def test_more_hours_than_the_voice_can_say_are_refused_for_that_reason(on_the_bus, start, hours):
    start()
    assert on_the_bus.run("timer", f"{hours}h", "--name", "cheese").returncode == 0
    told = refusal(on_the_bus.run("timer", "left", "cheese"), 1)
    assert told.endswith(
        f"it has no words for '{hours} h left'; 'clocksmith timer list' shows how much is left")


# MARK: What `check` tells a person to do


SETTINGS = [("tell_left = half", "tell_left = none"), ("say_phases = yes", "say_phases = no")]
LANGUAGES = ROOT / "sounds/languages"


def timers_line(clocksmith, pack, setting, clock=12):
    done = clocksmith.run("check", "--config", clocksmith.configuration(
        f"clock = {clock}", f"[timers]\n{setting}", voice=pack))
    return about(done, "timers")


def without_timers(pack):
    """Does to its voice.conf what a person is told to do."""
    conf = pack / "voice.conf"
    conf.write_text(re.sub(r"\[(left|timer|interval)\]\n[^\[]*", "", conf.read_text()))


@pytest.mark.parametrize("setting, remedy", SETTINGS)
def test_a_language_is_not_told_to_record_english_words(clocksmith, tmp_path, setting, remedy):
    pack = shutil.copytree(LANGUAGES / "ru", tmp_path / "ru")
    found = timers_line(clocksmith, pack, setting, 24)
    assert found.endswith(f"; set {remedy}, or take another voice") and "record" not in found
    assert timers_line(clocksmith, pack, remedy, 24).startswith("ok ")


def test_english_words_are_not_added_to_another_language(clocksmith, tmp_path):
    language = "es"
    pack = shutil.copytree(LANGUAGES / language, tmp_path / language)
    without_timers(pack)
    lay_timers(tmp_path / "timers")
    before = {path.name: path.read_bytes() for path in pack.iterdir()}
    done = clocksmith.run("voice", "import", tmp_path / "timers", "--pack", "timers", "--output", pack)
    assert refusal(done, 1) == (
        f"clocksmith: cannot add timers to {pack}: the words of timers are English, and its voice.conf says "
        f"'language = {language}'; add them to a voice that has 'language = en'")
    assert before == {path.name: path.read_bytes() for path in pack.iterdir()}
