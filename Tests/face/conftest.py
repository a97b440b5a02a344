"""The clock, its relay with the face, and browsers that look at it."""

import importlib.util
import pathlib
import re
import signal
import subprocess
import sys

import pytest

# Write no bytecode into the tree.
sys.dont_write_bytecode = True
PROGRAM_TESTS = pathlib.Path(__file__).resolve().parents[1] / "program"
sys.path[:0] = [str(PROGRAM_TESTS), str(pathlib.Path(__file__).parent)]

# The fixtures of the tests of the program. Their module has the name of this one.
_spec = importlib.util.spec_from_file_location("program_fixtures", PROGRAM_TESTS / "conftest.py")
program_fixtures = sys.modules["program_fixtures"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(program_fixtures)
from program_fixtures import *  # noqa: E402, F401, F403

import phone as phones  # noqa: E402
from program import SILENT_ALSA  # noqa: E402
from relay import RELAY  # noqa: E402


@pytest.fixture
def clock(start):
    """Starts the clock. It says each half hour: right before that it refuses to say the time."""
    def clock(announce="interval = 30", rest="", **options):
        return start(announce, rest, SILENT_ALSA, **options)
    return clock


@pytest.fixture
def served(clock, door):
    """The face of a clock that runs: its door."""
    clock()
    return door("face = yes").wait_for_announcer()


@pytest.fixture
def unset(clock, door, on_the_bus):
    """The face of a clock that nobody has set up, as on a new card: its door."""
    service = clock()
    configuration = on_the_bus.folder / "0.conf"
    configuration.write_text("[announce]\ninterval = 30\n[clock]\nzone = unset\n")
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration was read again")
    return door("face = yes").wait_for_announcer()


@pytest.fixture(scope="session")
def browsers(tmp_path_factory):
    """Browsers that no test uses now: to start one takes seconds."""
    home = tmp_path_factory.mktemp("browsers")
    started, idle = [], []

    def take():
        if not idle:
            started.append(phones.chromium(home))
            idle.append(started[-1])
        return idle.pop()

    yield take, idle.append
    for driver in started:
        driver.quit()


@pytest.fixture
def phone(browsers):
    """Starts browsers: each a phone of its own. At the end none may have complained."""
    take, give_back = browsers
    opened = []

    def phone(running, page="", **options):
        opened.append(phones.Phone(take(), running, **options))
        return opened[-1].open(page)

    yield phone
    complaints = [line for each in opened for line in each.close()]
    for each in opened:
        give_back(each.driver)
    assert not complaints


@pytest.fixture
def paired(phone):
    """Starts a phone that is paired, by the command on a terminal."""
    def paired(running, page="", **options):
        opened = phone(running, **options)
        opened.ask_to_pair()
        confirm(running)
        opened.wait(lambda: not opened.find("#pairing").is_displayed(), "the end of the pairing")
        return opened.open(page) if page else opened
    return paired


def confirm(running):
    """Pairs the phone that asks, as a person at a terminal does: returns what that person saw."""
    done = subprocess.run(
        [RELAY, "pair"], env=running.environment, input="y\n", capture_output=True, text=True,
        timeout=60, check=True)
    assert re.search("paired phone", done.stdout), done
    return done.stdout
