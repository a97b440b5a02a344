"""A timer that is waited for: in the terminal, beside a service or without one."""

import contextlib
import fcntl
import os
import re
import signal
import subprocess

import pytest

from exact_speaker import ExactSpeaker
from kitchen import do, timers
from program import PROGRAM, refusal
from sound_server import wait_until
from standstill import stand_still
from terminal import in_a_terminal


@pytest.fixture
def kitchen(on_the_bus):
    return on_the_bus


def test_without_a_service_it_counts_down_and_rings_here(clocksmith):
    configuration = clocksmith.configuration()
    process, drawn = in_a_terminal(
        clocksmith, "timer", "5s", "--name", "tea", "--config", configuration)
    wait_until(lambda: re.search(r"tea  \[[#-]+\]  0:0[1-4]", drawn()), 60, "the bar")
    wait_until(lambda: "tea: at zero; Ctrl-C stops it" in drawn(), 60, "zero")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.stderr.read()
    assert process.stderr.read() == ""


# An interval without an end fails only if Ctrl-C came before its first signal.
@pytest.mark.parametrize("words, line, statuses, end", [
    (["timer", "10m", "--name", "tea"], 'timer "tea": 10 min\n', {1},
     r'clocksmith: timer "tea" was given up: (10 min|9 min \d+ s) left of 10 min\n'),
    (["interval", "30s"], "interval of 30 s\n", {0, 1}, "")])
def test_without_a_service_and_a_terminal_it_says_at_once_what_it_does(
        clocksmith, words, line, statuses, end):
    with subprocess.Popen(
            [PROGRAM, *words], env=clocksmith.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == (
            "clocksmith: note: no service was found; it runs in this command, and ends with it\n")
        assert process.stdout.readline() == line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in statuses
        assert process.stdout.read() == ""
        assert re.fullmatch(end, process.stderr.read())


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_on_a_terminal_that_cannot_redraw_a_line_there_is_no_bar(clocksmith, kind):
    process, drawn = in_a_terminal(
        clocksmith, "timer", "2s", "--name", "tea", "--config", clocksmith.configuration(), kind=kind)
    wait_until(lambda: "at zero" in drawn(), 60, "zero")
    assert drawn().startswith('timer "tea": 2 s') and "\x1b" not in drawn()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.stderr.read()


def test_where_the_bar_has_no_room_the_time_comes_first(clocksmith):
    process, drawn = in_a_terminal(
        clocksmith, "timer", "10m", "--name", "🍲" * 20, "--config", clocksmith.configuration(),
        columns=40)
    wait_until(lambda: "\x1b[K" in drawn(), 60, "the bar")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1
    # They take two columns each, so the terminal is told to cut them off.
    assert re.match(r"\r\x1b\[\?7l(10:00|9:5\d)  🍲{20}\x1b\[K\x1b\[\?7h", drawn())


def test_given_up_it_ends_at_once(clocksmith):
    process, drawn = in_a_terminal(
        clocksmith, "timer", "10m", "--config", clocksmith.configuration())
    wait_until(lambda: "timer  [" in drawn(), 60, "the bar")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert re.fullmatch(
        r"clocksmith: timer 1 was given up: (10 min|9 min \d+ s) left of 10 min\n",
        process.stderr.read())


def test_waiting_it_shows_the_timer_of_the_service(kitchen, start):
    start()
    process, drawn = in_a_terminal(kitchen, "timer", "15s", "--name", "tea", "--wait")
    wait_until(lambda: 'timer "tea"  [' in drawn(), 60, "the bar")
    wait_until(lambda: 'timer "tea": at zero; \'clocksmith stop\' stops it' in drawn(), 60, "zero")
    assert kitchen.run("stop").returncode == 0
    assert process.wait(60) == 0
    wait_until(lambda: 'timer "tea": it has reached zero, and is over' in drawn(), 60, "its end")
    # After Ctrl-C, the timer goes on.
    process, drawn = in_a_terminal(kitchen, "timer", "10m", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert "timer 1 goes on; 'clocksmith timer cancel 1' ends it" in process.stderr.read()
    assert len(timers(kitchen)) == 1


@pytest.mark.parametrize("is_paused", [False, True])
def test_waiting_fails_if_the_timer_is_cancelled(kitchen, start, is_paused):
    start()
    process, drawn = in_a_terminal(kitchen, "timer", "10m", "--name", "tea", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    if is_paused:
        do(kitchen, "pause")
        wait_until(lambda: "paused" in drawn(), 60, "the pause")
    do(kitchen, "cancel", "tea")
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert process.stderr.read() == 'clocksmith: timer "tea" was cancelled\n'


@pytest.mark.parametrize("first, second", [
    (["10m", "--name", "soup"], ["20m", "--name", "eggs"]), (["10m"], ["5m"]), (["10m"], ["10m"]),
    (["10m"], ["1h"])])
def test_waiting_it_follows_no_later_timer_with_the_same_number(kitchen, start, first, second):
    start()
    process, drawn = in_a_terminal(kitchen, "timer", *first, "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    stand_still(process)
    do(kitchen, "cancel", "1")
    do(kitchen, *second)
    assert timers(kitchen)[0]["number"] == 1
    process.send_signal(signal.SIGCONT)
    assert process.wait(60) == 1
    assert "was cancelled" in process.stderr.read()


def test_waiting_a_timer_that_rang_and_got_more_time_is_cancelled_before_zero(kitchen, start):
    service = start()
    process, drawn = in_a_terminal(kitchen, "timer", "3s", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    stand_still(process)
    service.wait_for("timer 1 is at zero, and rings")
    do(kitchen, "add", "10m")
    do(kitchen, "cancel")
    process.send_signal(signal.SIGCONT)
    assert process.wait(60) == 1
    assert process.stderr.read() == "clocksmith: timer 1 was cancelled\n"


@pytest.mark.parametrize("has_another", [False, True])
def test_waiting_a_timer_that_the_service_has_lost_is_not_told_to_be_cancelled(
        kitchen, start, has_another):
    service = start()
    process, drawn = in_a_terminal(kitchen, "timer", "10m", "--wait")
    wait_until(lambda: "]  9:" in drawn(), 60, "the bar, a second later")
    stand_still(process)
    service.end_by("kill")
    (kitchen.folder / "state/state.json").unlink()
    start()
    if has_another:
        do(kitchen, "10m")
        assert timers(kitchen)[0]["number"] == 1
    process.send_signal(signal.SIGCONT)
    assert process.wait(60) == 1
    assert process.stderr.read() == (
        "clocksmith: timer 1 is gone, and the service did not say why; see 'journalctl -u clocksmith'\n")


@pytest.mark.parametrize("words", [["stop"], ["timer", "cancel"]], ids=lambda words: words[-1])
def test_waiting_fails_if_a_ring_that_nobody_could_hear_is_stopped(kitchen, start, words):
    service = start(rest="[speaker]\ndevice = nosuch")
    process, drawn = in_a_terminal(kitchen, "timer", "3s", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    service.wait_for("timer 1 .*cannot be heard")
    wait_until(lambda: "at zero" in drawn(), 60, "zero")
    assert kitchen.run(*words).returncode == 0
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert "; it was never heard: " in process.stderr.read()


def test_waiting_it_hears_of_a_cancel_that_comes_before_it_could_print(kitchen, start):
    start()
    ours, theirs = os.pipe()
    # Nothing more goes into the pipe, so the command waits with its first line.
    os.write(theirs, bytes(fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)))
    with subprocess.Popen(
            [PROGRAM, "timer", "10m", "--wait"], env=kitchen.environment, stdin=subprocess.DEVNULL,
            stdout=theirs, stderr=subprocess.PIPE, text=True) as process:
        os.close(theirs)
        wait_until(lambda: timers(kitchen), 60, "the timer")
        do(kitchen, "cancel")
        os.read(ours, 1 << 20)
        assert process.wait(60) == 1
        assert process.stderr.read() == "clocksmith: timer 1 was cancelled\n"
    os.close(ours)


def test_waiting_how_it_ends_counts_though_nobody_reads_about_it(kitchen, start):
    start()
    ours, theirs = os.pipe()
    os.close(ours)
    with subprocess.Popen(
            [PROGRAM, "timer", "10m", "--wait"], env=kitchen.environment, stdin=subprocess.DEVNULL,
            stdout=theirs, stderr=subprocess.PIPE, text=True) as process:
        os.close(theirs)
        wait_until(lambda: timers(kitchen), 60, "the timer")
        do(kitchen, "cancel")
        assert process.wait(60) == 1
        assert process.stderr.read() == "clocksmith: timer 1 was cancelled\n"


def test_waiting_fails_if_nobody_heard_the_timer(kitchen, start):
    start(rest="[speaker]\ndevice = nosuch\n[timers]\nring_limit = 10s")
    done = kitchen.run("timer", "1s", "--wait", timeout=60)
    assert "timer 1 was never heard: " in refusal(done, 1)
    assert "is over" not in done.stdout


@pytest.mark.parametrize("kind, why", [("file", "No space left"), ("device", "Input/output error")])
def test_waiting_fails_if_the_speaker_opens_and_then_takes_no_sound(
        full_disk, kitchen, start, kind, why):
    path = full_disk / "played"
    start(
        alsa=f"pcm.nothing {{ type null }}\nctl.default {{ type null }}\n"
        f"pcm.default {{ type file slave.pcm nothing file {path} format raw }}\n",
        words=["--output", path] if kind == "file" else [], rest="[timers]\nring_limit = 10s")
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    done = kitchen.run("timer", "1s", "--wait", timeout=60)
    sentence = refusal(done, 1)
    assert "timer 1 was never heard: " in sentence and why in sentence


def test_waiting_the_bar_follows_what_is_added(kitchen, start):
    start()
    process, drawn = in_a_terminal(kitchen, "timer", "25s", "--wait")
    wait_until(lambda: re.search(r"\]  0:\d\d", drawn()), 60, "the bar")
    do(kitchen, "add", "30s")
    # More than it ever was.
    wait_until(
        lambda: re.search(r"\[#+-+\]  0:(2[6-9]|[345]\d)", drawn()), 60,
        "the bar of the new length")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_waiting_ends_with_the_service(kitchen, start, end):
    service = start()
    process, drawn = in_a_terminal(kitchen, "timer", "10m", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    service.end_by(end)
    assert process.wait(60) == 1
    assert process.stderr.read() == (
        "clocksmith: clocksmith.service: it has gone; see 'systemctl status clocksmith'; "
        "timer 1 goes on once it runs again\n")


def test_waiting_a_timer_that_could_not_be_saved_is_not_promised(kitchen, start):
    state = kitchen.folder / "state"
    state.rmdir()
    service = start()
    process, drawn = in_a_terminal(kitchen, "timer", "10m", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    service.end_by("kill")
    assert process.wait(60) == 1
    _, end = process.stderr.read().splitlines()
    assert end == (
        "clocksmith: clocksmith.service: it has gone; see 'systemctl status clocksmith'; "
        f"timer 1 was not saved, and may be lost: cannot write {state}/state.json: No such file or "
        f"directory; make the folder {state}, and let the service write in it")


def test_a_timer_that_nobody_hears_here_has_failed(clocksmith):
    configuration = clocksmith.configuration(rest="[speaker]\ndevice = hw:77")
    process, drawn = in_a_terminal(
        clocksmith, "timer", "1s", "--config", configuration)
    wait_until(lambda: "at zero" in drawn(), 60, "zero")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1
    assert "the timer cannot be heard: cannot open speaker hw:77" in process.stderr.read()


def test_a_timer_here_that_cannot_print_rings_all_the_same_and_has_failed(clocksmith, tmp_path):
    speaker = ExactSpeaker(tmp_path)
    alsa = tmp_path / "asound.conf"
    alsa.write_text(speaker.device("default"))
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = subprocess.Popen(
            [PROGRAM, "timer", "1s", "--config", clocksmith.configuration()],
            env=clocksmith.environment | {"ALSA_CONFIG_PATH": str(alsa)}, stdout=full,
            stderr=subprocess.PIPE, text=True)
    wait_until(speaker.is_heard, 60, "the ring")
    process.send_signal(signal.SIGINT)
    assert (process.wait(60), process.stderr.read()) == (
        1, "clocksmith: standard output: No space left on device; it goes on all the same\n")
