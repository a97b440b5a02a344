"""A timer that is waited for: in the terminal, beside a service or without one."""

import re
import signal
import subprocess

import pytest

from program import PROGRAM
from sound_server import wait_until
from terminal import in_a_terminal
from test_timers import do, timers


@pytest.mark.rule("timer-alone")
def test_without_a_service_it_counts_down_and_rings_here(clocksmith):
    configuration = clocksmith.configuration()
    process, drawn = in_a_terminal(
        clocksmith, "timer", "5s", "--name", "tea", "--config", configuration)
    wait_until(lambda: re.search(r"tea  \[[#-]+\]  0:0[1-4]", drawn()), 60, "the bar")
    wait_until(lambda: "tea: at zero; Ctrl-C stops it" in drawn(), 60, "zero")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.stderr.read()
    assert process.stderr.read() == ""


# An interval fails only if Ctrl-C came before its first signal.
@pytest.mark.parametrize("words, line, statuses", [
    (["timer", "10m", "--name", "tea"], 'timer "tea": 10 min\n', {1}),
    (["interval", "30s"], "interval of 30 s\n", {0, 1})])
@pytest.mark.rule("timer-alone", "interval-alone")
def test_without_a_service_and_a_terminal_it_says_at_once_what_it_does(clocksmith, words, line, statuses):
    with subprocess.Popen(
            [PROGRAM, *words], env=clocksmith.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == (
            "clocksmith: note: no service was found; it runs in this command, and ends with it\n")
        assert process.stdout.readline() == line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in statuses
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_waiting_it_shows_the_timer_of_the_service(on_the_bus, start):
    start()
    process, drawn = in_a_terminal(on_the_bus, "timer", "15s", "--name", "tea", "--wait")
    wait_until(lambda: 'timer "tea"  [' in drawn(), 60, "the bar")
    wait_until(lambda: 'timer "tea": at zero; \'clocksmith stop\' stops it' in drawn(), 60, "zero")
    assert on_the_bus.run("stop").returncode == 0
    assert process.wait(60) == 0
    wait_until(lambda: 'timer "tea": it has reached zero, and is over' in drawn(), 60, "its end")
    # After Ctrl-C, the timer goes on.
    process, drawn = in_a_terminal(on_the_bus, "timer", "10m", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert "timer 2 goes on; 'clocksmith timer remove 2' ends it" in process.stderr.read()
    assert len(timers(on_the_bus)) == 1


def test_waiting_fails_if_the_timer_is_cancelled(on_the_bus, start):
    start()
    process, drawn = in_a_terminal(on_the_bus, "timer", "10m", "--name", "tea", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    do(on_the_bus, "pause")
    wait_until(lambda: "paused" in drawn(), 60, "the pause")
    do(on_the_bus, "cancel", "tea")
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert process.stderr.read() == 'clocksmith: timer "tea" was removed\n'


@pytest.mark.rule("never-heard", "wait-fails")
def test_waiting_fails_if_a_ring_that_nobody_could_hear_is_stopped(on_the_bus, start):
    service = start(rest="[speaker]\ndevice = nosuch")
    process, drawn = in_a_terminal(on_the_bus, "timer", "3s", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    service.wait_for("timer 1 .*cannot be heard")
    wait_until(lambda: "at zero" in drawn(), 60, "zero")
    assert on_the_bus.run("stop").returncode == 0
    assert process.wait(60) == 1, "what follows with && must not follow"
    assert "; it was never heard: " in process.stderr.read()


def test_waiting_ends_with_the_service(on_the_bus, start):
    service = start()
    process, drawn = in_a_terminal(on_the_bus, "timer", "10m", "--wait")
    wait_until(lambda: "[" in drawn(), 60, "the bar")
    service.end_by("kill")
    assert process.wait(60) == 1
    assert process.stderr.read() == (
        "clocksmith: clocksmith.service: it has gone; see 'systemctl status clocksmith'\n")


def test_a_timer_that_nobody_hears_here_has_failed(clocksmith):
    configuration = clocksmith.configuration(rest="[speaker]\ndevice = hw:77")
    process, drawn = in_a_terminal(
        clocksmith, "timer", "1s", "--config", configuration)
    wait_until(lambda: "at zero" in drawn(), 60, "zero")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1
    assert "the timer cannot be heard: cannot open speaker hw:77" in process.stderr.read()
