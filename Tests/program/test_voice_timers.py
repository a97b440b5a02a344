"""The words of timers and intervals in a user's own voice."""

import pytest
import soundfile

from program import about, refusal
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


@pytest.mark.parametrize("hours", [60, 744])
def test_more_hours_than_the_voice_can_say_are_refused_for_that_reason(on_the_bus, start, hours):
    start()
    assert on_the_bus.run("timer", f"{hours}h", "--name", "cheese").returncode == 0
    told = refusal(on_the_bus.run("timer", "left", "cheese"), 1)
    assert told.endswith(
        f"it has no words for '{hours} h left'; 'clocksmith timer list' shows how much is left")


# MARK: What `check` tells a person to do


SETTINGS = [("tell_left = half", "tell_left = none"), ("say_phases = yes", "say_phases = no")]


def timers_line(clocksmith, pack, setting):
    done = clocksmith.run("check", "--config", clocksmith.configuration(
        rest=f"[timers]\n{setting}", voice=pack))
    return about(done, "timers")


@pytest.mark.parametrize("setting, remedy", SETTINGS)
def test_words_of_timers_that_are_set_and_that_the_voice_lacks_are_found(clocksmith, brought_in, setting, remedy):
    _, pack = brought_in()
    assert timers_line(clocksmith, pack, setting).endswith(f"; set {remedy}, or take another voice")
    assert timers_line(clocksmith, pack, remedy).startswith("ok ")
