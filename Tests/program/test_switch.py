"""A switch on a machine without GPIO: `check` says what is missing. And a switch that the tests make
up."""

import glob

import pytest

from message_bus import noticed
from pretended_line import PretendedLine
from program import refusal, zone_showing

pytestmark = pytest.mark.skipif(
    bool(glob.glob("/dev/gpiochip*")), reason="SKIP: this machine has GPIO chips of its own")


@pytest.mark.parametrize("line", ["none", "GPIO17"])
def test_there_is_nothing_to_show_live(clocksmith, line):
    configuration = clocksmith.configuration(rest=f"[switch]\nline = {line}")
    done = clocksmith.run("check", "--switch", "--config", configuration)
    assert "this machine has no GPIO chip" in refusal(done, 1)
    assert done.stdout == ""


@pytest.mark.parametrize("section", ["switch", "button", "led"])
def test_check_finds_what_is_set_and_not_there(clocksmith, section):
    configuration = clocksmith.configuration(rest=f"[{section}]\nline = GPIO17")
    done = clocksmith.run("check", "--config", configuration)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith(f"FOUND {section} ")]
    others = {"switch", "button", "led"} - {section}
    assert all([line for line in lines if line.split() == ["ok", other, "none"]] for other in others)


@pytest.fixture
def start_far(on_the_bus, start):
    """Starts a service that has something to say, but not soon."""
    on_the_bus.environment = on_the_bus.environment | {
        "TZ": zone_showing(on_the_bus, 10 * 3600 + 17 * 60)}
    return lambda rest: start("interval = 60", rest)


@pytest.fixture
def last_error(bus):
    def last_error():
        with bus.caller() as caller:
            return caller.get("LastError")
    return last_error


def test_what_is_wrong_at_the_start_is_told_on_the_bus(bus, start_far):
    with bus.caller() as caller:
        signals = caller.listen()
        start_far("[switch]\nline = GPIO17")
        caller.next_signal(signals, "Noticed", lambda body: noticed(body)["event"] == "switch_lost")


def test_the_return_of_a_button_is_told(on_the_bus, start_far, last_error, tmp_path):
    line = PretendedLine(tmp_path)
    on_the_bus.environment = on_the_bus.environment | line.environment
    line.take_away()
    service = start_far("[button]\nline = SWITCH")
    service.wait_for("the button cannot be read")
    assert "the button cannot be read" in last_error()
    line.put_back()
    service.wait_for("the button is back")
    assert "the button" not in last_error()
