"""Two clocks on one machine would speak at the same time: how the second one reacts."""

import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import re

import pytest

from message_bus import NAME, MessageBus
from program import SILENT_ALSA, refusal
from service import Service
from sound_server import wait_until


@pytest.fixture
def first(clocksmith):
    """A running clock, on a bus that `clocksmith` reaches too."""
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    yield service
    assert service.is_alive() and service.stop() == 0
    bus.stop()


def test_in_a_terminal_the_second_refuses_to_speak_beside_the_first(clocksmith, first):
    said = refusal(clocksmith.run("run", "--config", clocksmith.configuration()), 1)
    assert f"a clocksmith runs here already as process {first.process.pid}" in said
    assert "systemctl stop clocksmith" in said


@pytest.mark.parametrize("kind", ["under a manager", "into a file"])
def test_a_second_that_goes_on_says_that_there_are_two(clocksmith, first, kind):
    words = ["--output", clocksmith.folder / "played.wav"] if kind == "into a file" else []
    second = Service(
        clocksmith, clocksmith.configuration(), *words, alsa=SILENT_ALSA, notify=not words)
    line = second.wait_for("another program has the name")
    assert "both speak" in line and f"'busctl status {NAME}'" in line
    assert second.is_alive() and second.stop() == 0


def test_the_check_names_the_process_that_is_on_the_bus(clocksmith, first):
    done = clocksmith.run("check", "--config", clocksmith.configuration())
    assert f"the service is on the system bus, as process {first.process.pid}" in done.stdout


def test_two_clocks_do_not_save_in_one_folder(clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"STATE_DIRECTORY": str(tmp_path)}
    first = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    first.wait_for("started")
    second = clocksmith.run(
        "run", "--config", clocksmith.configuration(), "--output", clocksmith.folder / "played.wav")
    assert f"cannot save in {tmp_path}: another clocksmith saves there; stop that one" in refusal(second, 1)
    assert first.stop() == 0


def test_it_waits_for_the_folder_of_a_clock_that_is_just_being_killed(clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"STATE_DIRECTORY": str(tmp_path)}
    # The kernel holds the lock of a killed process until all of the process is gone.
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        starting = pool.submit(Service, clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
        process = wait_until(
            lambda: holder_of(tmp_path), 60, "the attempt to lock the folder")
        # Between two attempts it sleeps for 50 ms, and it tries for 2 s. A clock that did not wait
        # would have started by then, or would not sleep so often.
        since = sleeps(process)
        try:
            wait_until(lambda: starting.done() or sleeps(process) >= since + 10, 60, "the attempts")
            assert not starting.done()
            assert "started:" not in (clocksmith.folder / "0.log").read_text(encoding="utf-8")
        finally:
            os.close(folder)
            assert starting.result().stop() == 0


def holder_of(path):
    """Another process that has the path open; None if there is none."""
    for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if link.parts[2] != str(os.getpid()) and link.readlink() == path:
                return link.parents[1]
    return None


def sleeps(process):
    """How often a process has waited for something."""
    counts = re.findall(r"^voluntary_ctxt_switches:\s*(\d+)", (process / "status").read_text(), re.M)
    return int(counts[0])
