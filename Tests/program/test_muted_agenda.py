"""The agenda knows of a mute in the running service."""

import json

from message_bus import MessageBus
from program import in_the_night
from service import Service


def agenda(clocksmith, *words):
    done = clocksmith.run("agenda", "--json", "--hours", 4, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_is_muted_in_the_running_service_is_not_promised(clocksmith):
    in_the_night(clocksmith)
    configuration = clocksmith.configuration()
    assert all(line["sounds"] for line in agenda(clocksmith))
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
