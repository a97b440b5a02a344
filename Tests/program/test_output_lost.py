"""A clock that plays into a file: the file stays its own, and is missed when it is gone."""

import pytest

from message_bus import MessageBus
from program import SILENT_ALSA, refusal
from service import Service
from sound_server import wait_until

# Bytes.
HEADER = 44


@pytest.fixture
def output(clocksmith):
    """The file into which a running clock plays. `clocksmith` reaches that clock."""
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    path = clocksmith.folder / "played.wav"
    service = Service(clocksmith, clocksmith.configuration(), "--output", path, alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    yield path
    assert service.is_alive() and service.stop() == 0
    bus.stop()


def test_a_second_clock_does_not_play_into_the_file(clocksmith, output):
    clocksmith.run("say", "15:15")
    wait_until(lambda: output.stat().st_size > 10_000, 60, "words in the file")
    before = output.read_bytes()[HEADER:]
    done = clocksmith.run("run", "--output", output, "--config", clocksmith.configuration())
    assert refusal(done, 1) == (
        f"clocksmith: cannot write {output}: another clock plays into it; name another file")
    assert output.read_bytes()[HEADER:].startswith(before)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_gone_is_told(clocksmith, output, is_replaced):
    output.unlink()
    if is_replaced:
        output.write_text("mine")
    told = f"cannot write {output}: it was deleted or replaced; restart the clock to begin it anew"
    assert told in refusal(clocksmith.run("say", "15:15"), 1)
    assert not is_replaced or output.read_text() == "mine"
