"""A switch on a machine without GPIO: `check` says what is missing. And a switch that the tests make
up."""

import glob
import json
import re
import signal

import pytest

from message_bus import MessageBus, noticed
from pretended_line import PretendedLine
from program import SILENT_ALSA, refusal, zone_showing
from service import Service
from sound_server import RATE, wait_until

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


def test_silence_does_not_wait_for_the_clock_to_be_judged(clocksmith, tmp_path, slow_voice):
    line, bus = PretendedLine(tmp_path), MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | line.environment | {
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    played = tmp_path / "played.wav"
    service = Service(
        clocksmith, clocksmith.configuration(
            "interval = 60\nvoice_at_hour = none", "[switch]\nline = SWITCH", slow_voice),
        "--output", played, alsa=SILENT_ALSA)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
            caller.ask("Announce", time="11:45")
            wait_until(lambda: played.stat().st_size > RATE, 60, "the words")
            line.slow_clock.touch()
            line.put(is_active=True)
            told = service.wait_for("cut off .*: the switch was turned off")
    finally:
        line.slow_clock.unlink(missing_ok=True)
        assert service.stop() == 0
        bus.stop()
    after = re.search(r"silent \+?([\d.]+) ms after that", told)
    assert float(after[1]) < 200, told


def test_a_timer_waits_for_a_switch_that_cannot_be_read_and_rings_once_it_can(on_the_bus, start):
    service = start(rest="[switch]\nline = GPIO17")
    assert on_the_bus.run("timer", "1s", "--name", "tea").returncode == 0
    service.wait_for('timer "tea" is at zero, and cannot be heard: the switch cannot be read')
    configuration = on_the_bus.folder / "0.conf"
    configuration.write_text(configuration.read_text().replace("GPIO17", "none"))
    service.signal(signal.SIGHUP)
    service.wait_for("there is no switch any more")
    [row] = map(json.loads, on_the_bus.run("timer", "list", "--json").stdout.splitlines())
    assert row["state"] == "ringing"
    assert on_the_bus.run("stop").returncode == 0
    service.wait_for('timer "tea" has stopped ringing: it was stopped by hand')


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


@pytest.mark.parametrize("section, words", [
    ("switch", "the switch cannot be read"), ("button", "the button cannot be read"),
    ("led", "the lamp cannot be lit")])
def test_what_is_lost_is_told_after_a_reload_only_while_it_is_configured(
        on_the_bus, start_far, last_error, section, words):
    service = start_far(f"[{section}]\nline = GPIO17")
    service.wait_for(words)
    configuration = on_the_bus.folder / "0.conf"
    for number, line in enumerate(["GPIO17", "none"], 1):
        configuration.write_text(configuration.read_text().replace("GPIO17", line))
        service.signal(signal.SIGHUP)
        wait_until(lambda: len(service.matching("read again")) == number, 60, "the reload")
        assert (words in last_error()) == (line != "none"), last_error()


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


def test_of_an_alarm_that_a_lost_switch_silences_the_list_and_the_status_say_so(on_the_bus, start):
    on_the_bus.environment = on_the_bus.environment | {
        "TZ": zone_showing(on_the_bus, 7 * 3600 - 50)}
    service = start(rest="[switch]\nline = GPIO17\n[alarm school]\ntime = 07:00")
    lost = r": the switch cannot be read \(see 'when_lost' in the configuration\)"

    def is_told(words):
        listed = on_the_bus.run("alarm", "list").stdout
        assert re.fullmatch(rf'alarm 1 "school": 07:00, [a-z-]+: {words}{lost}\n', listed), listed
        face = on_the_bus.run("status").stdout
        assert re.search(rf'^alarm    1 "school" {words}{lost}$', face, re.MULTILINE), face

    is_told(r"silent [a-z]{3} [\d-]{10} 07:00, in \d+ s")
    service.wait_for('alarm "school" is to ring now, and cannot be heard: the switch', 120)
    is_told("is to ring now")
