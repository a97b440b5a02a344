"""Two clocks on one machine, which would speak at the same time or save in one folder."""

import fcntl
import os

import pytest

from message_bus import NAME
from program import SILENT_ALSA, refusal
from service import Service


@pytest.fixture
def first(on_the_bus, start):
    on_the_bus.environment.pop("STATE_DIRECTORY")
    return start("")


def test_in_a_terminal_the_second_refuses_to_speak_beside_the_first(on_the_bus, first):
    said = refusal(on_the_bus.run("run", "--config", on_the_bus.configuration()), 1)
    assert f"a clocksmith runs here already as process {first.process.pid}" in said
    assert "systemctl stop clocksmith" in said


@pytest.mark.parametrize("kind", ["under a manager", "into a file"])
def test_a_second_that_goes_on_says_that_there_are_two(on_the_bus, first, kind):
    words = ["--output", on_the_bus.folder / "played.wav"] if kind == "into a file" else []
    second = Service(
        on_the_bus, on_the_bus.configuration(), *words, alsa=SILENT_ALSA, notify=not words)
    line = second.wait_for("another program has the name")
    assert "both speak" in line and f"'busctl status {NAME}'" in line
    assert second.is_alive() and second.stop() == 0


def test_two_clocks_do_not_save_in_one_folder(clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"STATE_DIRECTORY": str(tmp_path)}
    first = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    first.wait_for("started")
    second = clocksmith.run(
        "run", "--config", clocksmith.configuration(), "--output", clocksmith.folder / "played.wav")
    assert f"cannot save in {tmp_path}: another clocksmith saves there; stop that one" in refusal(second, 1)
    assert first.stop() == 0


def test_who_may_only_read_the_folder_does_not_keep_the_clock_from_starting(clocksmith, tmp_path):
    clocksmith.environment = clocksmith.environment | {"STATE_DIRECTORY": str(tmp_path)}
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    service.wait_for("started")
    os.close(folder)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    assert service.stop() == 0
