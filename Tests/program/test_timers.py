"""Timers as a user knows them: started, listed, changed, heard, stopped, and kept."""

import json
import re
import time

import numpy
import pytest
import soundfile

from exact_speaker import ExactSpeaker
from message_bus import noticed, timestamp
from program import ROOT, SILENT_ALSA, refusal
from sound_server import RATE, find, least_of_four, wait_until

RING, _ = soundfile.read(ROOT / "sounds/signals/ring.flac", dtype="float32")


def timers(on_the_bus):
    done = on_the_bus.run("timer", "list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def do(on_the_bus, *words):
    done = on_the_bus.run("timer", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_a_timer_is_started_listed_changed_and_cancelled(on_the_bus, start):
    service = start()
    begun = time.time()
    assert do(on_the_bus, "10m", "--name", "tea") == 'timer "tea": 10 min'
    assert do(on_the_bus, "1h30m") == "timer 2: 1 h 30 min"
    service.wait_for('timer "tea" was started, for 10 min')
    tea, other = timers(on_the_bus)
    assert (tea["number"], tea["name"], tea["state"]) == (1, "tea", "running")
    assert 600 - (time.time() - begun) - 1 < timestamp(tea["ends"]) - time.time() <= 600
    assert (other["number"], other.get("name"), other["seconds"]) == (2, None, 5400)
    assert re.fullmatch(r'timer 1 "tea": 1[01] min .*left of 11 min', do(on_the_bus, "add", "1m", "tea"))
    assert "paused" in do(on_the_bus, "pause", "2")
    assert timers(on_the_bus)[1]["state"] == "paused"
    assert "left of" in do(on_the_bus, "resume", "2")
    do(on_the_bus, "cancel", "tea")
    # With only one timer, it need not be named.
    do(on_the_bus, "cancel")
    assert timers(on_the_bus) == []
    assert do(on_the_bus, "list") == "no timer"


def test_the_status_shows_timers_and_tells_of_their_changes(bus, on_the_bus, start):
    start()
    with bus.caller() as caller:
        signals = caller.listen()
        begun = time.time()
        do(on_the_bus, "10m", "--name", "tea")
        told = noticed(
            caller.next_signal(signals, "Noticed", lambda body: noticed(body)["event"] == "timer"))
        assert told["text"] == 'timer "tea" was started, for 10 min'
        assert "REASON" not in told["fields"]
        [row] = caller.next_change(signals, "Timers")
        assert begun - 1 < timestamp(row["ends"]) - 600 < time.time() + 1
        assert row == {"number": 1, "name": "tea", "seconds": 600, "state": "running", "ends": row["ends"]}
    face = on_the_bus.run("status").stdout
    # A mark of the bar is 20 s.
    bar = r'^timer    1 "tea"  \[#{0,2}-{28,30}\]  (9:[2-5]\d|10:00)$'
    assert re.search(bar, face, re.MULTILINE), face
    [seen] = json.loads(on_the_bus.run("status", "--json").stdout)["timers"]
    assert seen["name"] == "tea"
    with bus.caller() as caller:
        signals = caller.listen()
        do(on_the_bus, "cancel")
        told = noticed(
            caller.next_signal(signals, "Noticed", lambda body: noticed(body)["event"] == "timer"))
        assert (told["fields"]["TIMER"], told["fields"]["REASON"]) == ("1", "cancelled")


def first_ring(samples):
    """The frame at which the first of several rings begins, and its likeness."""
    # find() returns the strongest match, which may be any of the rings.
    frame, likeness = find(RING, samples)
    while frame > 3 * RATE:
        earlier = find(RING, samples[:round(frame) + RATE])
        if earlier[1] < 0.9 or earlier[0] > frame - RATE:
            break
        frame, likeness = earlier
    return frame, likeness


def test_it_rings_at_zero_to_the_millisecond_until_it_is_stopped(bus, on_the_bus, start):
    speaker = ExactSpeaker(on_the_bus.folder)
    service = start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    do(on_the_bus, "7s", "--name", "egg")
    with bus.caller() as caller:
        zero = timestamp(caller.get("Timers")[0]["ends"])
    service.wait_for('timer "egg" is at zero, and rings', 60)
    # In the middle of a later ring: one comes every 6 s.
    is_in_a_ring = False
    while not is_in_a_ring:
        time.sleep(0.02)
        stopping = time.time()
        is_in_a_ring = stopping > zero + 6 and 1.5 < (stopping - zero) % 6 < 1.7
    assert on_the_bus.run("stop").returncode == 0
    stopped = time.time()
    service.wait_for('timer "egg" has stopped ringing: it was stopped by hand')
    time.sleep(2)
    recording = speaker.recording()
    first, likeness = first_ring(recording.samples)
    assert likeness > 0.98
    # The second ring comes 6 s after the first, and a second and a half of it is heard. The words
    # are between them.
    rest = round(first) + 5 * RATE
    frame, likeness = find(RING[:RATE], recording.samples[rest:rest + 3 * RATE])
    second = rest + frame
    assert likeness > 0.98
    assert abs(recording.instant(first) - zero) < 0.001
    assert abs(recording.instant(second) - zero - 6) < 0.001
    # It was stopped in the middle of a ring.
    last = max(numpy.flatnonzero(numpy.abs(recording.samples) > 1e-4))
    assert stopping - 0.2 < recording.instant(last) < stopped + 0.3


@pytest.mark.parametrize("end", ["stop", "kill"])
@pytest.mark.rule("timer-kept")
def test_timers_outlast_the_service(on_the_bus, start, end):
    service = start()
    do(on_the_bus, "10m", "--name", "tea")
    do(on_the_bus, "20m")
    do(on_the_bus, "pause", "2")
    before = timers(on_the_bus)
    service.end_by(end)
    start()
    after = timers(on_the_bus)
    # The clock may be steered meanwhile.
    assert abs(timestamp(after[0]["ends"]) - timestamp(before[0]["ends"])) < 1e-3
    assert after[1]["state"] == "paused"
    assert after[1]["left"] == before[1]["left"]


def test_what_rings_at_the_end_of_the_service_is_told_to_ring_on(on_the_bus, start):
    service = start()
    do(on_the_bus, "1s", "--name", "egg")
    service.wait_for('timer "egg" is at zero, and rings')
    # The ring is saved after it is told.
    state = on_the_bus.folder / "state/state.json"
    wait_until(lambda: "ringing" in state.read_text(), 60, "the ring in the saved state")
    service.end_by("kill")
    service = start()
    service.wait_for('timer "egg" goes on ringing after the restart')


def test_it_says_how_much_is_left(on_the_bus, start):
    service = start()
    begun = time.time()
    do(on_the_bus, "10m", "--name", "tea")
    left = do(on_the_bus, "left", "tea")
    assert left == "ten minutes left" or time.time() > begun + 14 and left.endswith(" minutes left")
    service.wait_for(f'said "{left}" for timer "tea"')
    do(on_the_bus, "pause")
    assert re.fullmatch("(ten|nine and a half) minutes left", do(on_the_bus, "left"))


def test_a_thousand_timers_and_not_one_more(bus, on_the_bus, start):
    service = start()
    with bus.caller() as caller:
        for number in range(1000):
            assert caller.ask("StartTimer", seconds=3600, name=f"n{number}") == {"number": number + 1}
        memory = service.memory()
        assert memory[1] < 2048, "anonymous KiB: 1.5 MB are wanted"
    assert "there are 1000 timers already; remove one first" in refusal(
        on_the_bus.run("timer", "10m"), 1)
    listed = timers(on_the_bus)
    assert len(listed) == 1000
    running = [service]

    def took_to_start():
        assert running.pop().stop() == 0
        began = time.monotonic()
        running.append(start())
        return time.monotonic() - began

    assert least_of_four(took_to_start, 5) < 5
    assert len(timers(on_the_bus)) == 1000


# MARK: Mistakes


@pytest.mark.parametrize("words, told", [
    (["0s"], "'0s' is no length for a timer; write one from 1s to 744h, as 10m, 90s, 1h30m or 0:10:00, and its name "
             "behind --name"),
    (["-5s"], "'-5s' is no length for a timer"),
    (["876000h"], "'876000h' is no length for a timer"),
    (["99999999999999999999h"], "is no length for a timer"),
    (["4:00"], "'4:00' is no length for a timer"),
    (["4m", "tea"], "'4m tea' is no length for a timer; write one from 1s to 744h"),
    (["lsit"], "not 'lsit'; the nearest is 'list'"),
    (["1.5m"], "'1.5m' is no length"),
    ([], "timer wants a length, as in 10m"),
    (["tee"], "timer wants a length, as in 10m, or list, left, add, pause, resume, stop or remove, not 'tee'"),
    (["10m", "--name", "a\nb"], "it has a control character"),
    (["10m", "--name", "x" * 10_000], "it has more than 40 characters"),
    (["10m", "--name", "7"], "it would be taken for the number of a timer"),
    (["10m", "--json"], "--json means nothing for a timer that is started"),
    (["list", "--wait"], "--wait means nothing for 'timer list'"),
    (["pause", "tea", "now"], "unexpected 'now'; see 'clocksmith timer --help'"),
    (["add"], "'timer add' wants a length, as in 'timer add 2m'"),
])
def test_a_mistake_is_told_in_a_sentence(clocksmith, words, told):
    assert told in refusal(clocksmith.run("timer", *words), 2)


def test_what_cannot_be_done_is_refused_with_a_reason(on_the_bus, start):
    start()
    do(on_the_bus, "10m", "--name", 'the "good" tea')
    do(on_the_bus, "10m")
    for words, told in [
        (["5m", "--name", 'the "good" tea'], 'there is a timer "the "good" tea" already'),
        (["cancel", "soup"], "there is no timer 'soup'; 'clocksmith timer list' shows"),
        (["remove", "01"], "there is no timer '01'"),
        (["stop", "1"], 'timer "the "good" tea" does not ring now; \'clocksmith timer list\' shows'),
        (["stop"], "no timer rings now; 'clocksmith timer list' shows how much is left"),
        (["stop", "soup"], "there is no timer 'soup'; 'clocksmith timer list' shows"),
        (["5m", "--name", "The\u00a0\"GOOD\"  Tea"], 'there is a timer "the "good" tea" already'),
        (["resume", "1"], 'timer "the "good" tea" is not paused'),
        (["add", "744h", "1"], "a timer lasts from 1s to 744h, with what is added to it"),
    ]:
        assert f"clocksmith: {told}" in refusal(on_the_bus.run("timer", *words), 1)
    assert "there are 2 timers; name one of them: the \"good\" tea, 2" in refusal(
        on_the_bus.run("timer", "cancel"), 2)


# MARK: In a terminal


@pytest.mark.rule("timer-late")
def test_what_ran_out_without_the_service_is_told_and_rings(bus, on_the_bus, start):
    service = start()
    do(on_the_bus, "10s", "--name", "tea")
    over = time.time() + 12
    service.end_by("kill")
    wait_until(lambda: time.time() > over, 60, "the timer at zero")
    with bus.caller() as caller:
        signals = caller.listen()
        start().wait_for(r'timer "tea" was at zero \d.* ago, and rings now')
        assert timers(on_the_bus)[0]["state"] == "ringing"
        caller.next_signal(
            signals, "Noticed", lambda body: noticed(body)["text"].startswith('timer "tea"'))


# MARK: What a command says


def test_each_command_says_what_it_did(on_the_bus, start):
    service = start()

    def said(*words):
        done = on_the_bus.run(*words)
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout.strip()

    assert said("unmute") == "it was not muted"
    said("mute", "8", "hours")
    assert said("unmute") == "unmuted"
    assert said("volume", "−9 dB") == "-9.0 dB"
    assert said("stop") == "nothing sounds"
    do(on_the_bus, "4", "min", "--name", "tea")
    assert do(on_the_bus, "remove", "TEA") == 'timer "tea" is removed'
    do(on_the_bus, "1s", "--name", "egg")
    do(on_the_bus, "10m", "--name", "roast")
    service.wait_for('timer "egg" is at zero, and rings', 60)
    assert do(on_the_bus, "stop") == 'timer "egg" is stopped'
    assert [(each["number"], each["name"]) for each in timers(on_the_bus)] == [(3, "roast")]


def test_a_name_that_an_alarm_has_is_refused_to_a_setting(on_the_bus, start):
    start()
    assert on_the_bus.run("alarm", "07:00", "--name", "school").returncode == 0
    assert 'there is an alarm "school" already' in refusal(
        on_the_bus.run("set", "alarm School.time", "08:00"), 1)
    assert on_the_bus.run("set", "alarm  church.time", "6:45 AM").stdout.startswith("alarm church.time ")
    assert "the nearest is 'announce.voice'" in refusal(on_the_bus.run("set", "voice", "slt"), 1)
