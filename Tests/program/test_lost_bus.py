"""A bus that goes, and one that comes back."""

import signal

from message_bus import MessageBus
from program import SILENT_ALSA
from service import Service


def test_a_bus_that_goes_is_told_once_and_it_goes_on(tmp_path, clocksmith):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    bus.stop()
    service.wait_for("the system bus has gone")
    service.signal(signal.SIGHUP)
    service.wait_for("read again")
    assert len(service.matching("system bus")) == 1
    assert service.stop() == 0


def test_a_bus_that_is_started_again_is_taken_back_soon(tmp_path, clocksmith):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    bus.stop()
    service.wait_for("the system bus has gone")
    bus.start()
    # Less than a minute, in which the service looks after all that it has lost.
    service.wait_for("the system bus is back", 20)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    assert len(service.matching("system bus")) == 2
    assert service.stop() == 0
    bus.stop()
