"""Two clocks on one machine, which would speak at the same time, or play into one file."""

import pytest

from message_bus import NAME
from program import SILENT_ALSA, refusal
from service import Service
from sound_server import wait_until


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


@pytest.fixture
def output(on_the_bus, start):
    """The file into which a running clock plays."""
    path = on_the_bus.folder / "played.wav"
    on_the_bus.environment.pop("STATE_DIRECTORY")
    # Right before an announcement it would refuse to say the time.
    start("interval = 60\nvoice_at_hour = none", words=["--output", path])
    return path


def test_a_second_clock_does_not_play_into_the_file(on_the_bus, output):
    header = 44
    on_the_bus.run("say", "15:15")
    wait_until(lambda: output.stat().st_size > 10_000, 60, "words in the file")
    before = output.read_bytes()[header:]
    done = on_the_bus.run("run", "--output", output, "--config", on_the_bus.configuration())
    assert refusal(done, 1) == (
        f"clocksmith: cannot write {output}: another clock plays into it; name another file")
    assert output.read_bytes()[header:].startswith(before)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_gone_is_told(on_the_bus, output, is_replaced):
    output.unlink()
    if is_replaced:
        output.write_text("mine")
    told = f"cannot write {output}: it was deleted or replaced; restart the clock to begin it anew"
    assert told in refusal(on_the_bus.run("say", "15:15"), 1)
    assert not is_replaced or output.read_text() == "mine"
