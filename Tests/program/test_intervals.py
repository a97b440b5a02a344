"""Intervals as a user knows them: started, seen, heard on time with their words, and kept."""

import json
import re
import signal
import time

import pytest
import soundfile

from exact_speaker import ExactSpeaker
from message_bus import timestamp
from program import ROOT, SILENT_ALSA, VOICE, refusal
from sound_server import RATE, find, least_of_four, wait_until
from terminal import in_a_terminal

SIGNALS = {
    name: soundfile.read(ROOT / f"sounds/signals/{name}.flac", dtype="float32")[0]
    for name in ["cue", "prepare", "work", "half", "rest", "last", "end", "count"]}


@pytest.fixture
def gym(on_the_bus):
    return on_the_bus


def do(gym, *words):
    done = gym.run("interval", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def interval(gym):
    """The interval as `status` shows it; None if none runs."""
    [*rows] = json.loads(gym.run("status", "--json").stdout)["intervals"]
    assert len(rows) <= 1
    return rows[0] if rows else None


def test_an_interval_is_started_seen_and_stopped(gym, start):
    service = start()
    assert do(gym, "10m") == "interval of 10 min"
    service.wait_for("interval of 10 min was started")
    seen = interval(gym)
    assert (seen["seconds"], seen["phase"], seen["round"]) == (600, "wait", 1)
    assert 550 < seen["left"] <= 600
    face = gym.run("status").stdout
    assert re.search(
        r"^interval every 10 min  \[#{0,2}-{28,30}\]  (9:[2-5]\d|10:00)$", face, re.MULTILINE), face
    # The same interval again changes nothing; another is refused, or replaces it.
    assert do(gym, "10m") == "interval of 10 min runs already, and goes on"
    assert interval(gym)["started"] == seen["started"]
    assert refusal(gym.run("interval", "45s"), 1) == (
        "clocksmith: clocksmith.service: there is an interval of 10 min already; stop it first, or "
        "start this one with --replace")
    assert do(gym, "45s", "--replace") == "interval of 45 s"
    service.wait_for("interval of 10 min is over: another interval took its place")
    do(gym, "stop")
    service.wait_for("interval of 45 s is over: it was stopped by hand")
    assert interval(gym) is None
    assert "no interval runs; 'clocksmith interval 30s' starts one" in refusal(
        gym.run("interval", "stop"), 1)


def test_rounds_are_told_by_their_phase(bus, gym, start):
    start()
    with bus.caller() as caller:
        signals = caller.listen()
        begun = time.time()
        said = do(gym, "--work", "20s", "--rest", "10s", "--rounds", "8", "--prepare", "59s")
        assert said == "interval of 8 rounds, 20 s work and 10 s rest, after 59 s, 4 min 49 s in all"
        [row] = caller.next_change(signals, "Intervals")
        assert begun - 5 < timestamp(row.pop("started")) < time.time() + 5
        assert row == {"work": 20, "rest": 10, "prepare": 59, "rounds": 8, "countdown": 3, "words": False}
    seen = interval(gym)
    assert (seen["phase"], seen["round"], seen["rounds"]) == ("prepare", 0, 8)
    assert re.search(r"^interval prepare  \[", gym.run("status").stdout, re.MULTILINE)


def heard(bus, gym, start, words, seconds):
    """Starts an interval and waits: the recording, and the start of the interval in UTC."""
    speaker = ExactSpeaker(gym.folder)
    start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    do(gym, *words)
    with bus.caller() as caller:
        began = timestamp(caller.get("Intervals")[0]["started"])
    wait_until(lambda: time.time() > began + seconds, seconds + 60, "all of it")
    if interval(gym):
        do(gym, "stop")
    time.sleep(0.5)
    return speaker.recording(), began


def onset(recording, sound, instant):
    """By how many seconds a sound missed its instant; None if it was not heard."""
    expected = recording.frame(instant)
    first = max(expected - RATE // 5, 0)
    frame, likeness = find(sound, recording.samples[first:expected + RATE // 5 + len(sound)])
    return recording.instant(first + frame) - instant if likeness > 0.6 else None


def are_on_their_moments(recording, began, plan):
    """Every signal of [(seconds from the beginning, name)] is heard on time."""
    errors = {(at, name): onset(recording, SIGNALS[name], began + at) for at, name in plan}
    assert None not in errors.values(), errors
    assert max(abs(error) for error in errors.values()) < 0.001, errors


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
        ["--work", "8s", "--rest", "4s", "--rounds", "2", "--prepare", "5s", "--countdown", "1",
         "--words"], 29)
    signals = [(5, "work"), (9, "half"), (12, "count"), (13, "rest"), (16, "count"), (17, "last"),
               (21, "half"), (24, "count"), (25, "end")]
    are_on_their_moments(recording, began, signals)
    said = [(5, "work", "go"), (9, "half", "half"), (13, "rest", "rest"), (17, "last", "work"),
            (21, "half", "half"), (25, "end", "done")]
    for at, signal, word in said:
        after = at + len(SIGNALS[signal]) / RATE + 0.3
        error, likeness = words_at(recording, word, began + after)
        # The word is not turned down, because the signal is over.
        assert likeness > 0.9, (at, word)
        assert -0.001 < error < 0.25, (at, word)
    # The number of the round follows the word.
    error, likeness = words_at(
        recording, "round", began + 17 + 1.55 + len(clip("work")) / RATE)
    assert likeness > 0.9 and abs(error) < 0.3


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_it_goes_on_after_the_service(gym, start, end):
    service = start()
    do(gym, "--work", "20s", "--rest", "10s")
    before = interval(gym)
    service.end_by(end)
    start()
    after = interval(gym)
    assert abs(timestamp(after["started"]) - timestamp(before["started"])) < 1e-3
    assert (after["work"], after["rest"]) == (20, 10)
    assert "rounds" not in after


@pytest.mark.parametrize("words, told", [
    ([], "interval wants a length, as in 30s, or --work with one, or stop"),
    (["0s"], "seconds 0 is not allowed; write 1 to 86400 seconds"),
    (["500ms"], "'500ms' is no length; write it as 30s, 90s or 1m30s"),
    (["30"], "'30' is no length"),
    (["30s", "--work", "20s"], "--work belongs to rounds; leave out '30s'"),
    (["30s", "--rest", "20s"], "--rest belongs to rounds; leave out '30s'"),
    (["--work", "twenty"], "'twenty' is no length; write it as 30s, 90s or 1m30s"),
    (["--work", "20s", "--rest", "25h"],
     "--rest 90000 is not allowed; write 0 to 86400 seconds, at least 1 or 0 for none"),
    (["--work", "20s", "--rounds", "0"], "--rounds 0 is not allowed; write 1 to 1000"),
    (["--work", "20s", "--rounds", "1e3"], '--rounds "1e3" is not allowed; write 1 to 1000'),
    (["--work", "20s", "--countdown", "11"], "--countdown 11 is not allowed; write 0 to 10"),
    (["stop", "--replace"], "--replace means nothing for 'interval stop'; leave it out"),
    (["--rest", "20s"], "--work is missing; write 1 to 86400 seconds"),
    (["30s", "--words"], "--words belongs to rounds; leave out '30s'"),
])
def test_a_mistake_is_told_in_a_sentence(clocksmith, words, told):
    assert told in refusal(clocksmith.run("interval", *words), 2)


def test_without_a_service_it_sounds_here(clocksmith):
    process, drawn = in_a_terminal(
        clocksmith, "interval", "--work", "5s", "--rest", "4s", "--rounds", "2", "--config",
        clocksmith.configuration())
    wait_until(lambda: "work, round 1 of 2  [" in drawn(), 60, "the bar")
    wait_until(lambda: "rest, round 1 of 2  [" in drawn(), 60, "the rest")
    assert process.wait(60) == 0, process.stderr.read()
    assert "work, round 2 of 2  [" in drawn()
    process, drawn = in_a_terminal(
        clocksmith, "interval", "5s", "--config", clocksmith.configuration())

    def has_begun_anew():
        """The bar has become shorter: the signal has sounded."""
        marks = [len(bar) for bar in re.findall(r"every 5 s  \[(#*)-*\]", drawn())]
        return any(before > after for before, after in zip(marks, marks[1:]))
    wait_until(has_begun_anew, 60, "the second bar")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.stderr.read()


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
