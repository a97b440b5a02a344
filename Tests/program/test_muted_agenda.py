"""The agenda knows what silences the running service now."""

import json

import pytest

from message_bus import MessageBus
from program import SILENT_ALSA, in_the_night
from service import Service


def agenda(clocksmith, *words):
    done = clocksmith.run("agenda", "--json", "--hours", 4, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_is_muted_in_the_running_service_is_not_promised(clocksmith):
    in_the_night(clocksmith)
    configuration = clocksmith.configuration()
    assert all(line["sounds"] for line in agenda(clocksmith, "--config", configuration))
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, configuration, "--untrusted", "speak", alsa="")
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
        assert clocksmith.run("mute", "2h").returncode == 0
        lines = agenda(clocksmith)
        assert len(lines) == 16 and {line["cause"] for line in lines} == {"occasion"}
        silent = [line["sounds"] for line in lines].index(True)
        assert silent in (8, 9)
        assert all("muted" in line["reason"] for line in lines[:silent])
        assert all(line["sounds"] for line in lines[silent:])
        assert all(line["sounds"] for line in agenda(clocksmith, "--config", configuration))
        assert clocksmith.run("mute", "next").returncode == 0
        assert [line["sounds"] for line in agenda(clocksmith)].count(False) == 1
    finally:
        assert service.stop() == 0
        bus.stop()


@pytest.mark.parametrize("policy", ["silent", "ask", "chime", "speak"])
def test_a_clock_that_is_not_trusted_is_noted(bus, on_the_bus, policy):
    in_the_night(on_the_bus)
    service = Service(
        on_the_bus, on_the_bus.configuration("chime = westminster"), "--untrusted", policy, alsa=SILENT_ALSA)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
        if json.loads(on_the_bus.run("status", "--json").stdout)["trust"] != "untrusted":
            pytest.skip("the clock of this machine is synchronised")
        done = on_the_bus.run("agenda", "--json", "--hours", "2")
        told = [line for line in done.stderr.splitlines() if "now silent" in line]
        assert told == ([] if policy == "speak" else [
            "clocksmith: note: now silent: the clock is not trusted; until it is, no time in this list is said, and "
            "no alarm rings"])
        assert all(json.loads(line)["sounds"] for line in done.stdout.splitlines())
        words = {"silent": "no time is said and no alarm rings", "chime": "it only chimes: no time is said",
                 "ask": "the time is said only if asked for", "speak": "it speaks all the same"}
        line, = service.matching("the clock is not synchronised: ")
        assert words[policy] in line and ("set 'untrusted = speak' in [clock]" in line) == (policy != "speak")
    finally:
        assert service.stop() == 0
