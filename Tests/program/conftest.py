"""The fixtures that the whole-program tests share."""

import shutil
import subprocess
import time

import pytest

from message_bus import MessageBus
from one_minute import OneMinute
from program import PROGRAM, SILENT_ALSA, VOICE, Clocksmith
from relay import Relay
from rendered_day import RenderedDay
from service import Service
from sound_server import wait_until


def pytest_configure(config):
    if not PROGRAM.exists():
        raise pytest.UsageError(f"no program at {PROGRAM}: build it, or set CLOCKSMITH")
    config.addinivalue_line("markers", "alone: measured to the millisecond, on a machine at rest")
    config.addinivalue_line("markers", "patience: over within seconds, on a machine at rest")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """With --dist loadgroup: a file after the other, and the minute that is met once in one go, for
    each process that met it would start its nine clocks."""
    for item in items:
        file = item.nodeid.partition("::")[0]
        group = "one minute" if "one_minute" in item.fixturenames else file
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def surroundings(tmp_path_factory):
    """The environment of every run: nothing of the machine's zone, sound, bus or service manager."""
    home = tmp_path_factory.mktemp("home")
    (home / "asound.conf").write_text(SILENT_ALSA)
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "LC_ALL": "C",
        "TZ": "Europe/London", "ALSA_CONFIG_PATH": str(home / "asound.conf"),
        "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={home}/no-bus",
    }


@pytest.fixture
def clocksmith(surroundings, tmp_path):
    return Clocksmith(surroundings, tmp_path)


@pytest.fixture(scope="module")
def bus(tmp_path_factory):
    bus = MessageBus(tmp_path_factory.mktemp("bus"))
    yield bus
    bus.stop()


@pytest.fixture
def on_the_bus(bus, clocksmith):
    """The command and the service, on the bus, with a folder for what outlasts them."""
    state = clocksmith.folder / "state"
    state.mkdir()
    clocksmith.environment = clocksmith.environment | {
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "STATE_DIRECTORY": str(state)}
    return clocksmith


@pytest.fixture
def start(bus, on_the_bus):
    started = []

    def start(announce="interval = 60\nvoice_at_hour = none", rest="", alsa=SILENT_ALSA,
              voice=VOICE):
        configuration = on_the_bus.configuration(announce, rest, voice)
        service = Service(on_the_bus, configuration, alsa=alsa)
        started.append(service)
        with bus.caller() as caller:
            caller.wait_for_service(service)
        return service

    yield start
    for service in started:
        if service.is_alive():
            assert service.stop() == 0


@pytest.fixture
def relay_to(on_the_bus, tmp_path):
    started = []

    def relay_to(port, rest="", **options):
        relay = Relay(on_the_bus.environment, tmp_path, port, rest, **options)
        started.append(relay)
        return relay

    yield relay_to
    for relay in started:
        assert relay.stop() == 0


@pytest.fixture
def pack(tmp_path):
    """A copy of the voice, of links, to be broken."""
    copy = tmp_path / "voice"
    copy.mkdir()
    for clip in VOICE.glob("*.flac"):
        (copy / clip.name).symlink_to(clip)
    shutil.copy(VOICE / "voice.conf", copy)
    shutil.copy(VOICE / "LICENCE", copy)
    return copy


@pytest.fixture
def full_disk(tmp_path):
    """A disk with room for half a phrase."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]
    if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here (not root?)")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.fixture(scope="session")
def days(surroundings, tmp_path_factory):
    """A day in each clock format, to be rendered."""
    program = Clocksmith(surroundings, tmp_path_factory.mktemp("days"))
    return {clock: RenderedDay(program, clock) for clock in (12, 24)}


@pytest.fixture(scope="session")
def one_minute(request, surroundings, tmp_path_factory):
    """A full minute that nine clocks have met."""
    minute = OneMinute(Clocksmith(surroundings, tmp_path_factory.mktemp("minute")))

    def meanwhile(until):
        """Waits, and does what other tests will ask for."""
        if any("day" in item.fixturenames for item in request.session.items):
            for day in request.getfixturevalue("days").values():
                day.advance(until)
        wait_until(lambda: time.time() > until, 60, "the minute to come near")

    try:
        minute.meet(meanwhile)
        yield minute
    finally:
        minute.close()
