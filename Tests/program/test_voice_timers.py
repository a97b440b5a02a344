"""The words of timers and intervals in a user's own voice."""

import pytest
import soundfile

from program import about
from recorded_words import RATE, lines_of, word

TIMERS = [*"hour hours minute minutes second seconds left timer round work rest half go done".split(),
          "and a half"]


def lay_timers(folder):
    """Adds the words of timers, and their numbers, to the recordings in the folder."""
    folder.mkdir(exist_ok=True)
    for number, name in enumerate([*range(1, 21), 30, 40, 50, *TIMERS]):
        soundfile.write(folder / f"{name}.wav", word(number), RATE)


def test_the_words_of_timers_are_brought_in_with_those_of_the_time(recordings, brought_in):
    for name in "one two three four five six seven eight nine ten eleven twelve fifteen thirty".split():
        (recordings / f"{name}.wav").unlink()
    lay_timers(recordings)
    done, pack = brought_in()
    assert lines_of(done, 0)[:3] == [
        f"made {pack}: 41 clips", "in 12 hours it says every 10 minutes",
        "it says timers and intervals"]
    assert done.stderr == ""


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
