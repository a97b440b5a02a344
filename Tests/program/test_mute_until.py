"""The service says when a mute ends, because the command may have another clock."""

import pytest

from c_library import shared_library
from message_bus import MessageBus
from program import SILENT_ALSA
from service import Service

# The system clock is two hours ahead.
AHEAD = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += 7200;
  return result;
}
"""


@pytest.fixture
def ahead(tmp_path):
    """The environment of a program whose clock is ahead."""
    return {"LD_PRELOAD": str(shared_library(tmp_path / "ahead.so", AHEAD))}


def test_the_command_tells_the_end_that_the_service_has(clocksmith, ahead):
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
        done = clocksmith.run("mute", "1h", environment=ahead)
        assert (done.returncode, done.stderr) == (0, "")
        line, = service.matching("^muted until")
        assert done.stdout == line + "\n"
        assert clocksmith.run("mute", "next", environment=ahead).stdout == (
            "muted for the next announcement\n")
    finally:
        assert service.stop() == 0
        bus.stop()
