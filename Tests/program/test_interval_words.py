"""The words for the rounds of an interval: heard after the signals, and never over them."""

import json
import time

import pytest
import soundfile

from message_bus import timestamp
from program import VOICE
from recorded_words import brought_in, recordings  # noqa: F401
from sound_server import RATE, find, least_of_four
from test_intervals import SIGNALS, are_on_their_moments, heard
from test_intervals import gym  # noqa: F401


def clip(name):
    return soundfile.read(VOICE / f"{name}.flac", dtype="float32")[0]


def words_at(recording, word, instant):
    """By how many seconds a word missed its instant, and its likeness to the clip."""
    expected = recording.frame(instant)
    begin = max(expected - RATE // 2, 0)
    sound = clip(word)
    frame, likeness = find(sound, recording.samples[begin:expected + RATE // 2 + len(sound)])
    return recording.instant(begin + frame) - instant, likeness


def test_the_phases_are_said_after_their_signals_which_sound_as_ever(bus, gym, start):
    recording, began = heard(
        bus, gym, start,
        ["--work", "8s", "--rest", "6s", "--rounds", "2", "--prepare", "5s", "--countdown", "1",
         "--words"], 35)
    signals = [(5, "work"), (9, "half"), (12, "count"), (13, "rest"), (18, "count"), (19, "last"),
               (23, "half"), (26, "count"), (27, "end")]
    are_on_their_moments(recording, began, signals)
    said = [(5, "work", "go"), (9, "half", "half"), (13, "rest", "rest"), (19, "last", "work"),
            (23, "half", "half"), (27, "end", "done")]
    for at, signal, word in said:
        after = at + len(SIGNALS[signal]) / RATE + 0.3
        error, likeness = words_at(recording, word, began + after)
        # The word is not turned down, because the signal is over.
        assert likeness > 0.9, (at, word)
        assert -0.001 < error < 0.25, (at, word)
    # The number of the round follows the word.
    error, likeness = words_at(
        recording, "round", began + 19 + 1.55 + len(clip("work")) / RATE)
    assert likeness > 0.9 and abs(error) < 0.3


def test_what_has_no_room_is_told_once_and_the_signals_sound(gym, start):
    service = start()
    assert gym.run("interval", "--work", "2s", "--rest", "2s", "--rounds", "3", "--words"
                   ).returncode == 0
    assert json.loads(gym.run("status", "--json").stdout)["intervals"][0]["words"] is True
    title = "interval of 3 rounds, 2 s work and 2 s rest, with words"
    service.wait_for(f'did not say "go" for {title}: the next signal comes too soon for words')
    service.wait_for(f"{title} is over", 60)
    service.wait_for(f'said "done" for {title}', 60)
    assert service.stop() == 0
    told = [line for line in service.lines() if "did not say" in line]
    assert len(told) == 2 and '"rest"' in told[1]


def test_a_word_that_is_too_long_for_its_room_is_left_out(gym, start):
    service = start(rest="[timers]\nsay_phases = yes")
    assert gym.run("interval", "--work", "6s", "--rounds", "9", "--countdown", "2").returncode == 0
    title = "interval of 9 rounds, 6 s work, counting down 2 s"
    service.wait_for(f'said "go" for {title}')
    service.wait_for(
        rf'did not say "half" for {title}: no room: the words take 5\d\d ms, and have \d+ ms '
        "before the next signal", 10)
    service.wait_for(f'said "round two" for {title}', 60)


def test_a_voice_without_the_words_gives_the_signals_alone_and_check_says_so(
    gym, start, brought_in
):
    _, pack = brought_in()
    service = start(rest="[timers]\nsay_phases = yes", voice=pack)
    assert gym.run("interval", "--work", "3s", "--rounds", "2").returncode == 0
    service.wait_for('did not say "go" for interval of 2 rounds, 3 s work: '
                     "the voice has no words for intervals")
    service.wait_for("interval of 2 rounds, 3 s work is over", 60)
    assert service.stop() == 0
    assert not [line for line in service.lines() if "cannot be heard" in line]
    done = gym.run("check", "--config", gym.configuration(
        voice=pack, rest="[timers]\nsay_phases = yes"))
    [line] = [line for line in done.stdout.splitlines() if line.split()[1] == "timers"]
    assert line.startswith("FOUND ")


@pytest.mark.parametrize("words, told", [
    (["30s", "--words"], "--words belongs to rounds, which --work begins"),
    (["stop", "--words"], "--words means nothing for 'interval stop'; leave it out"),
])
def test_a_mistake_is_told_in_a_sentence(clocksmith, words, told):
    done = clocksmith.run("interval", *words)
    assert done.returncode == 2 and told in done.stderr


def test_without_a_service_the_last_word_is_waited_for(clocksmith):
    def took():
        begun = time.monotonic()
        done = clocksmith.run("interval", "--work", "2s", "--rounds", "1", "--words", "--config",
                              clocksmith.configuration())
        assert done.returncode == 0
        assert [line for line in done.stderr.splitlines() if "done" in line] == []
        return time.monotonic() - begun

    # The signal of the end lasts 2.4 s, although this speaker takes it at once.
    assert 4.5 < least_of_four(took, 10) < 10


def test_it_goes_on_with_its_words_after_the_service(gym, start):
    service = start()
    assert gym.run("interval", "--work", "20s", "--words").returncode == 0
    before = json.loads(gym.run("status", "--json").stdout)["intervals"][0]
    service.end_by("kill")
    start()
    after = json.loads(gym.run("status", "--json").stdout)["intervals"][0]
    assert after["words"] is True
    assert abs(timestamp(after["started"]) - timestamp(before["started"])) < 1e-3
