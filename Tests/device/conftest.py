"""Fixtures of the emulated device, and the figures that its tests measure."""

import fcntl
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from device import Device  # noqa: E402

_figures = {}


def pytest_collection_modifyitems(items):
    """What is measured to milliseconds comes last: see `alone`."""
    items.sort(key=lambda item: item.path.name in ("test_chime.py", "test_switch.py"))


def pytest_terminal_summary(terminalreporter):
    if _figures:
        terminalreporter.section("figures of the emulated device")
        for name, value in _figures.items():
            terminalreporter.write_line(f"{name}: {value}")


@pytest.fixture(scope="session")
def figures():
    """A test leaves what it measured here, by name; it is printed at the end."""
    began = stolen()
    yield _figures
    _figures["taken from this host by others"] = f"{stolen() - began:.0f} s of a processor"


def stolen():
    """For how long the host's processors have stood still for other guests of theirs, seconds."""
    ticks = int(Path("/proc/stat").read_text().split()[8])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="session")
def full():
    """Whether there is time for everything: Tests/device/run --full."""
    return os.environ.get("CLOCKSMITH_DEVICE_FULL") == "1"


@pytest.fixture(scope="session")
def alone():
    """Nothing runs beside the tests any more: what does holds a lock, as Tests/device/run has it."""
    if beside := os.environ.get("CLOCKSMITH_BESIDE"):
        with open(beside) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


@pytest.fixture(scope="session")
def card():
    """The folder with the card, which Tests/device/run makes."""
    path = os.environ.get("CLOCKSMITH_CARD")
    assert path, "there is no card: start the tests by Tests/device/run"
    return Path(path)


@pytest.fixture(scope="session")
def device(card, figures):
    """One device for all tests that need no power cycle, up and ready."""
    device = Device(card, clock="2027-06-15T09:05:00")
    try:
        device.start()
        figures["power-on to READY"] = f"{device.wait_until_ready():.0f} s"
        device.measure_clock()
        yield device
        device.quit()
    except BaseException:
        print(device.console.read_text()[-3000:])
        raise
    finally:
        device.remove()
