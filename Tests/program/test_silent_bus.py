"""A bus that stays silent: nobody waits for it longer than five seconds. One that goes, and comes back."""

import concurrent.futures
import contextlib
import signal
import socket
import time

import pytest

from message_bus import MessageBus
from program import SILENT_ALSA, Clocksmith
from service import Service
from sound_server import least_of_four
from standstill import stand_still

# Seconds: the five, and what else a command does.
LIMIT = 7.5


@contextlib.contextmanager
def listening(folder):
    """The address of a socket that accepts connections and never answers."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "silent"))
        listener.listen()
        yield f"unix:path={folder}/silent"


@contextlib.contextmanager
def frozen_bus(clocksmith):
    """A bus that is frozen, as by a debugger, with a service on it."""
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
        stand_still(bus.daemon)
        yield service
    finally:
        service.process.kill()
        service.process.wait()
        bus.daemon.kill()
        bus.daemon.wait()
        bus.socket.unlink()


@pytest.fixture(scope="module")
def answers(surroundings, tmp_path_factory):
    """Each command's answer on a silent bus, and how long it took. They run at once: each waits."""
    folder = tmp_path_factory.mktemp("silent")
    with listening(folder) as address, concurrent.futures.ThreadPoolExecutor() as pool:
        clocksmith = Clocksmith(surroundings | {"DBUS_SYSTEM_BUS_ADDRESS": address}, folder)

        def answer(words):
            since = time.monotonic()
            done = clocksmith.run(*words, timeout=60)
            return done, time.monotonic() - since

        commands = [["mute", "1h"], ["unmute"], ["stop"], ["say", "15:30"], ["status", "--json"],
                    ["check"]]
        answers = dict(zip([words[0] for words in commands], pool.map(answer, commands)))
        # A busy machine may hold up some of them.
        for _ in range(3):
            late = [words for words in commands if answers[words[0]][1] > LIMIT]
            answers |= zip([words[0] for words in late], map(answer, late))
        yield answers


@pytest.mark.parametrize("command, status, output, error", [
    ("mute", 1, "", "bus: it does not answer"),
    ("unmute", 1, "", "bus: it does not answer"),
    ("stop", 1, "", "bus: it does not answer"),
    ("say", 0, "three thirty P M\n", "note: the system bus: it does not answer"),
    ("status", 3, '"running":false', "note: the system bus: it does not answer"),
    ("check", 3, "FOUND bus           the system bus: it does not answer; see 'systemctl status dbus'\n", "")])
def test_a_silent_bus_is_given_up_after_five_seconds_and_told(answers, command, status, output, error):
    done, took = answers[command]
    assert 4.5 < took < LIMIT
    assert done.returncode == status and output in done.stdout and error in done.stderr


def test_a_service_on_a_silent_bus_runs_and_ends_when_it_is_told(clocksmith, tmp_path):
    with listening(tmp_path) as address:
        clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": address}
        service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
        assert service.stop() == 0


def test_a_service_on_a_bus_that_freezes_ends_when_it_is_told(clocksmith):
    def end():
        with frozen_bus(clocksmith) as service:
            since = time.monotonic()
            assert service.stop() == 0
            return time.monotonic() - since

    assert least_of_four(end, 3) < 3


def test_a_bus_that_goes_is_told_once_and_taken_back_soon(tmp_path, clocksmith):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    bus.stop()
    service.wait_for("the system bus has gone")
    service.signal(signal.SIGHUP)
    service.wait_for("read again")
    bus.start()
    # Less than a minute, in which the service looks after all that it has lost.
    service.wait_for("the system bus is back", 20)
    with bus.caller() as caller:
        caller.wait_for_service(service)
    assert len(service.matching("system bus")) == 2
    assert service.stop() == 0
    bus.stop()
