"""The fixtures that the whole-program tests share."""

import contextlib
import functools
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
from service import Service, ends_well, several
from slow_voice import copy_of_the_voice, lengthen


def pytest_configure(config):
    if not PROGRAM.exists():
        raise pytest.UsageError(f"no program at {PROGRAM}: build it, or set CLOCKSMITH")
    config.addinivalue_line("markers", "alone: fed by short queues, on a machine at rest")
    config.addinivalue_line("markers", "rule(names): the rules of docs/behaviour.md that the test shows")


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


@pytest.fixture(scope="session")
def memory(tmp_path_factory):
    """A folder in memory: a disk that stands still for seconds holds up nothing that sounds. On the
    disk where memory has too little room, or where no library can be loaded from it."""
    found = os.statvfs(IN_MEMORY)
    if found.f_flag & os.ST_NOEXEC or found.f_bavail * found.f_frsize < LEAST:
        yield tmp_path_factory.mktemp("memory")
        return
    with tempfile.TemporaryDirectory(
            prefix="clocksmith-", dir=IN_MEMORY, ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder)


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
def caller(bus):
    with bus.caller() as caller:
        yield caller


@pytest.fixture
def start(bus, on_the_bus):
    def make(announce="interval = 60\nvoice_at_hour = none", rest="", alsa=SILENT_ALSA,
             voice=VOICE, words=(), **options):
        configuration = on_the_bus.configuration(announce, rest, voice)
        return Service(on_the_bus, configuration, *words, alsa=alsa, **options)

    def wait(service):
        with bus.caller() as caller:
            caller.wait_for_service(service)

    yield from several(make, lambda service: service.is_alive() and ends_well(service), wait)


@pytest.fixture
def broker(tmp_path, request):
    """A broker. If the test's parameter is true, it keeps retained messages on the disk."""
    need_relay()
    broker = Broker(tmp_path, persists=getattr(request, "param", False))
    yield broker
    broker.close()


@pytest.fixture
def relay_to(on_the_bus, tmp_path):
    yield from several(
        lambda port, rest="", **options: Relay(on_the_bus.environment, tmp_path, port, rest, **options),
        ends_well)


@pytest.fixture
def pretended():
    """Starts a pretended broker."""
    need_relay()
    yield from several(PretendedBroker, PretendedBroker.close)


@pytest.fixture
def announcer(bus):
    """Starts a pretended announcer in place of the real one."""
    yield from several(functools.partial(PretendedAnnouncer, bus.address), PretendedAnnouncer.close)


@pytest.fixture
def push_relay(on_the_bus, tmp_path):
    """Starts a relay that publishes, with this configuration."""
    need_relay()
    yield from several(
        functools.partial(PushRelay, on_the_bus.environment, tmp_path), ends_well,
        lambda relay: relay.wait_for("started"))


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

    def make(section="", rest="", waits=True, **options):
        door = Door(on_the_bus.environment, tmp_path, section, rest, **options)
        door.waits = waits
        return door

    yield from several(make, ends_well, lambda door: door.waits and door.wait_until_open())


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
