"""A house with a clock: the announcer with a speaker and a switch, its relay, a broker, and Home
Assistant. All tests share one, because Home Assistant starts slowly."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))

from house import House  # noqa: E402  pylint: disable=wrong-import-position


@pytest.fixture(scope="session")
def house(tmp_path_factory):
    house = House(tmp_path_factory)
    yield house
    house.close()


@pytest.fixture
def home(house):
    return house.home
