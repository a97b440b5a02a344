"""Fixtures of the emulated device, and the figures that its tests measure."""

import fcntl
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from board import Board  # noqa: E402
from device import Device  # noqa: E402
from evidence import Evidence, stolen  # noqa: E402

_figures = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "first: of the device as it starts, before other tests")


def pytest_collection_modifyitems(items):
    """What is measured to milliseconds comes last: see `alone`."""
    items.sort(key=lambda item: (item.get_closest_marker("first") is None,
                                 item.path.name in ("test_chime.py", "test_switch.py")))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.evidence = Evidence()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that failed says where what is known of it is kept."""
    report = (yield).get_result()
    if report.failed and (Device.known or Board.known):
        kept = item.evidence.keep(item.name, call.excinfo.exconly())
        report.sections.append(("its recording, its journal and what the host took", str(kept)))


def pytest_runtest_logfinish():
    for device in [device for device in Device.known if device.is_removed]:
        device.forget()


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
