"""The fixtures that the whole-program tests share."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from etc_folder import Etc
from http_door import Door
from message_bus import MessageBus
from one_minute import OneMinute
from pretended_announcer import PretendedAnnouncer
from pretended_broker import PretendedBroker
from pretended_web import PretendedWeb
from program import PROGRAM, SILENT_ALSA, VOICE, Clocksmith, surroundings
from push import PushRelay
from recorded_words import brought_in, recordings  # noqa: F401
from relay import Broker, Relay, need_relay
from service import Service
from slow_voice import copy_of_the_voice, lengthen


def pytest_configure(config):
    if not PROGRAM.exists():
        raise pytest.UsageError(f"no program at {PROGRAM}: build it, or set CLOCKSMITH")
    config.addinivalue_line("markers", "alone: fed by short queues, on a machine at rest")


# Fixtures that take long. Each of the processes that has a test with one makes its own.
SHARED = ["one_minute", "recorded", "journal", "answers", "noon"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """For --dist loadgroup: all tests that use a fixture that takes long stay in one process, and begin
    first. Every other test is given to whichever process is free."""
    for item in items:
        if shared := [name for name in SHARED if name in item.fixturenames]:
            item.add_marker(pytest.mark.xdist_group(shared[0]))
    items.sort(key=lambda item: not item.get_closest_marker("xdist_group"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    item.has_failed = getattr(item, "has_failed", False) or outcome.get_result().failed


IN_MEMORY = "/dev/shm"
# Bytes. One test writes 100 MB.
LEAST = 1 << 30


def folder_in_memory():
    """A new folder in memory; None where there is too little of it, or where no library can be
    loaded from there."""
    try:
        found = os.statvfs(IN_MEMORY)
        if found.f_flag & os.ST_NOEXEC or found.f_bavail * found.f_frsize < LEAST:
            return None
        return pathlib.Path(tempfile.mkdtemp(prefix="clocksmith-", dir=IN_MEMORY))
    except OSError:
        return None


@pytest.fixture(scope="session")
def memory(tmp_path_factory):
    """A folder in memory: a disk that stands still for seconds holds up nothing that sounds."""
    folder = folder_in_memory()
    yield folder or tmp_path_factory.mktemp("memory")
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def tmp_path(memory, request, tmp_path_factory):
    """A new folder in memory. If the test fails, its files are kept on the disk."""
    name = re.sub(r"\W", "_", request.node.name)[:20]
    folder = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=memory))
    yield folder
    if getattr(request.node, "has_failed", False):
        # Sockets and pipes cannot be copied.
        with contextlib.suppress(shutil.Error, OSError):
            shutil.copytree(folder, tmp_path_factory.mktemp(name) / "files", symlinks=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", name="surroundings")
def surroundings_fixture(tmp_path_factory):
    return surroundings(tmp_path_factory.mktemp("home"))


@pytest.fixture
def clocksmith(surroundings, tmp_path):
    return Clocksmith(surroundings, tmp_path)


@pytest.fixture
def etc(clocksmith):
    etc = Etc(clocksmith)
    if not shutil.which("setpriv") or etc.run("--version").returncode:
        pytest.skip("/etc cannot be replaced here (not root?)")
    yield etc
    for path in etc.folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700)


@pytest.fixture(scope="module")
def bus(tmp_path_factory):
    bus = MessageBus(tmp_path_factory.mktemp("bus"))
    yield bus
    bus.stop()


@pytest.fixture
def on_the_bus(bus, clocksmith):
    """The command and the service, on the bus, with a folder for the state that outlasts them."""
    state = clocksmith.folder / "state"
    state.mkdir()
    clocksmith.environment = clocksmith.environment | {
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "STATE_DIRECTORY": str(state)}
    return clocksmith


@pytest.fixture
def start(bus, on_the_bus):
    started = []

    def start(announce="interval = 60\nvoice_at_hour = none", rest="", alsa=SILENT_ALSA,
              voice=VOICE, words=(), **options):
        configuration = on_the_bus.configuration(announce, rest, voice)
        service = Service(on_the_bus, configuration, *words, alsa=alsa, **options)
        started.append(service)
        with bus.caller() as caller:
            caller.wait_for_service(service)
        return service

    yield start
    for service in started:
        if service.is_alive():
            assert service.stop() == 0


@pytest.fixture
def broker(tmp_path, request):
    """A broker. If the test's parameter is true, it keeps retained messages on the disk."""
    need_relay()
    broker = Broker(tmp_path, persists=getattr(request, "param", False))
    yield broker
    broker.close()


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
def pretended():
    """Starts a pretended broker."""
    need_relay()
    made = []

    def pretended(*words, **options):
        made.append(PretendedBroker(*words, **options))
        return made[-1]

    yield pretended
    for broker in made:
        broker.close()


@pytest.fixture
def announcer(bus):
    """Starts a pretended announcer in place of the real one."""
    made = []

    def announcer(*words, **properties):
        made.append(PretendedAnnouncer(bus.address, *words, **properties))
        return made[-1]

    yield announcer
    for each in made:
        each.close()


@pytest.fixture
def push_relay(on_the_bus, tmp_path):
    """Starts a relay that publishes, with this configuration."""
    need_relay()
    started = []

    def push_relay(configuration):
        relay = PushRelay(on_the_bus.environment, tmp_path, configuration)
        started.append(relay)
        relay.wait_for("started")
        return relay

    yield push_relay
    for relay in started:
        assert relay.stop() == 0


@pytest.fixture
def web():
    """The web server that stands in for ntfy and webhooks."""
    web = PretendedWeb()
    yield web
    web.stop()


@pytest.fixture
def door(on_the_bus, tmp_path):
    """Starts a relay that serves apps over HTTP."""
    need_relay()
    started = []

    def door(section="", rest="", waits=True, **options):
        door = Door(on_the_bus.environment, tmp_path, section, rest, **options)
        started.append(door)
        return door.wait_until_open() if waits else door

    yield door
    for each in started:
        assert each.stop() == 0


@pytest.fixture
def pack(tmp_path):
    """A copy of the voice for a test to break."""
    return copy_of_the_voice(tmp_path / "voice")


@pytest.fixture
def slow_voice(pack):
    """A voice that takes half a minute to say 11:45, or another time with these minutes."""
    return lengthen(pack, 30, "minute-45")


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
def one_minute(surroundings, memory):
    """A full minute that nine clocks have met."""
    folder = memory / "minute"
    folder.mkdir()
    minute = OneMinute(Clocksmith(surroundings, folder))
    try:
        minute.meet()
        yield minute
    finally:
        minute.close()
