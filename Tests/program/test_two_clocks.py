"""Two clocks on one machine, which would speak at the same time."""

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
