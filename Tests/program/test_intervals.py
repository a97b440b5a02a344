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


def do(on_the_bus, *words):
    done = on_the_bus.run("interval", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def interval(on_the_bus):
    """The interval as `status` shows it; None if none runs."""
    [*rows] = json.loads(on_the_bus.run("status", "--json").stdout)["intervals"]
    assert len(rows) <= 1
    return rows[0] if rows else None


@pytest.mark.rule("one-interval")
def test_an_interval_is_started_seen_and_stopped(on_the_bus, start):
    service = start()
    assert do(on_the_bus, "10m") == "interval of 10 min"
    service.wait_for("interval of 10 min was started")
    seen = interval(on_the_bus)
    assert (seen["seconds"], seen["phase"], seen["round"]) == (600, "wait", 1)
    assert 550 < seen["left"] <= 600
    face = on_the_bus.run("status").stdout
    assert re.search(
        r"^interval every 10 min  \[#{0,2}-{28,30}\]  (9:[2-5]\d|10:00)$", face, re.MULTILINE), face
    # The same interval again changes nothing; another is refused, or replaces it.
    assert do(on_the_bus, "10m") == "interval of 10 min runs already, and goes on"
    assert interval(on_the_bus)["started"] == seen["started"]
    assert refusal(on_the_bus.run("interval", "45s"), 1) == (
        "clocksmith: there is an interval of 10 min already; stop it first, or "
        "start this one with --replace")
    assert do(on_the_bus, "45s", "--replace") == "interval of 45 s"
    service.wait_for("interval of 10 min is over: another interval took its place")
    do(on_the_bus, "stop")
    service.wait_for("interval of 45 s is over: it was stopped by hand")
    assert interval(on_the_bus) is None
    assert "no interval runs; 'clocksmith interval 30s' starts one" in refusal(
        on_the_bus.run("interval", "stop"), 1)


def test_rounds_are_told_by_their_phase(caller, on_the_bus, start):
    start()
    signals = caller.listen()
    begun = time.time()
    said = do(on_the_bus, "--work", "20s", "--rest", "10s", "--rounds", "8", "--prepare", "59s")
    assert said == "interval of 8 rounds, 20 s work and 10 s rest, after 59 s, 4 min 49 s in all"
    [row] = caller.next_change(signals, "Intervals")
    assert begun - 5 < timestamp(row.pop("started")) < time.time() + 5
    assert row == {"work": 20, "rest": 10, "prepare": 59, "rounds": 8, "countdown": 3, "words": False}
    seen = interval(on_the_bus)
    assert (seen["phase"], seen["round"], seen["rounds"]) == ("prepare", 0, 8)
    assert re.search(r"^interval prepare  \[", on_the_bus.run("status").stdout, re.MULTILINE)


def clip(name):
    return soundfile.read(VOICE / f"{name}.flac", dtype="float32")[0]


def found(recording, sound, instant):
    """By how many seconds a sound missed its instant, and how like it is to what was heard."""
    expected = recording.frame(instant)
    first = max(expected - RATE // 2, 0)
    frame, likeness = find(sound, recording.samples[first:expected + RATE // 2 + len(sound)])
    return recording.instant(first + frame) - instant, likeness


@pytest.mark.rule("interval-words")
def test_the_phases_are_said_after_their_signals_which_sound_as_ever(caller, on_the_bus, start):
    speaker = ExactSpeaker(on_the_bus.folder)
    start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    do(on_the_bus, "--work", "8s", "--rest", "4s", "--rounds", "2", "--prepare", "5s", "--countdown", "1", "--words")
    began = timestamp(caller.get("Intervals")[0]["started"])
    wait_until(lambda: time.time() > began + 29.5, 90, "all of it")
    recording = speaker.recording()
    signals = [(5, "work"), (9, "half"), (12, "count"), (13, "rest"), (16, "count"), (17, "last"),
               (21, "half"), (24, "count"), (25, "end")]
    for at, name in signals:
        error, likeness = found(recording, SIGNALS[name], began + at)
        assert likeness > 0.6 and abs(error) < 0.001, (at, name)
    said = [(5, "work", "go"), (9, "half", "half"), (13, "rest", "rest"), (17, "last", "work"),
            (21, "half", "half"), (25, "end", "done")]
    for at, name, word in said:
        after = at + len(SIGNALS[name]) / RATE + 0.3
        error, likeness = found(recording, clip(word), began + after)
        # The word is not turned down, because the signal is over.
        assert likeness > 0.9, (at, word)
        assert -0.001 < error < 0.25, (at, word)
    # The number of the round follows the word.
    error, likeness = found(
        recording, clip("round"), began + 17 + 1.55 + len(clip("work")) / RATE)
    assert likeness > 0.9 and abs(error) < 0.3


@pytest.mark.parametrize("end", ["stop", "kill"])
@pytest.mark.rule("interval-kept")
def test_it_goes_on_after_the_service(on_the_bus, start, end):
    service = start()
    do(on_the_bus, "--work", "20s", "--rest", "10s")
    before = interval(on_the_bus)
    service.end_by(end)
    start()
    after = interval(on_the_bus)
    assert abs(timestamp(after["started"]) - timestamp(before["started"])) < 1e-3
    assert (after["work"], after["rest"]) == (20, 10)
    assert "rounds" not in after


@pytest.mark.parametrize("words, told", [
    ([], "interval wants a length, as in 30s, or --work with one, or stop"),
    (["0s"], "'0s' is no length; write one from 1s to 24h"),
    (["500ms"], "'500ms' is no length; write one from 1s to 24h, as 30s, 90s or 1m30s"),
    (["30s", "--work", "20s"], "--work is for rounds; write --work '30s' instead of '30s'"),
    (["--work", "twenty"], "'twenty' is no length; write one from 1s to 24h, as 30s, 90s or 1m30s"),
    (["--work", "20s", "--rest", "25h"],
     "'25h' is no length; write one from 1s to 24h"),
    (["--work", "20s", "--rounds", "1e3"], '--rounds "1e3" is not allowed; write 1 to 1000'),
    (["--work", "20s", "--countdown", "11"], "--countdown 11 is not allowed; write 0 to 10"),
    (["stop", "--replace"], "--replace means nothing for 'interval stop'; leave it out"),
    (["--rest", "20s"], "--rest is for rounds; add --work, as in --work 20s"),
])
def test_a_mistake_is_told_in_a_sentence(clocksmith, words, told):
    assert told in refusal(clocksmith.run("interval", *words), 2)


@pytest.mark.rule("interval-alone")
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
