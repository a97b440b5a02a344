"""A bus that stays silent: nobody waits for it longer than five seconds. One that goes, and comes back."""

import concurrent.futures
import contextlib
import json
import signal
import socket
import time

import pytest

from message_bus import MessageBus
from program import SILENT_ALSA, Clocksmith, about, refusal
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


@pytest.fixture
def silent_bus(clocksmith, tmp_path):
    with listening(tmp_path) as address:
        clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": address}
        yield


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


@pytest.mark.parametrize("command", ["mute", "unmute", "stop", "say", "status", "check"])
def test_a_silent_bus_is_given_up_after_five_seconds(answers, command):
    assert 4.5 < answers[command][1] < LIMIT


@pytest.mark.parametrize("command", ["mute", "unmute", "stop"])
def test_what_needs_the_service_says_that_the_bus_does_not_answer(answers, command):
    assert "bus: it does not answer" in refusal(answers[command][0], 1)


def test_say_does_without_a_silent_bus_and_says_so(answers):
    done, _ = answers["say"]
    assert (done.returncode, done.stdout) == (0, "three thirty P M\n")
    assert "note: the system bus: it does not answer" in done.stderr


def test_check_finds_a_silent_bus(answers):
    done, _ = answers["check"]
    assert done.returncode == 3
    line = about(done, "bus")
    assert line == (
        "FOUND bus           the system bus: it does not answer; see 'systemctl status dbus'")


def test_status_does_without_a_silent_bus_and_says_so(answers):
    done, _ = answers["status"]
    assert done.returncode == 3 and json.loads(done.stdout)["running"] is False
    assert "note: the system bus: it does not answer" in done.stderr


def test_a_service_on_a_silent_bus_runs_and_ends_when_it_is_told(clocksmith, silent_bus):
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    try:
        service.wait_for("started:")
        assert service.stop() == 0
    finally:
        service.process.kill()


def took_to_end(service):
    """In seconds."""
    since = time.monotonic()
    assert service.stop() == 0
    return time.monotonic() - since


def test_a_service_on_a_bus_that_freezes_ends_when_it_is_told(clocksmith):
    def end():
        with frozen_bus(clocksmith) as service:
            return took_to_end(service)

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
