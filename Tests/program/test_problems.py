"""What needs a person: the problems that `status` lists, and that Home Assistant's Problem is on for."""

import json

import pytest

from one_minute import NO_SPEAKER, engaged_device
from program import zone_showing
from sound_server import wait_until


@pytest.fixture
def engaged(tmp_path):
    """A speaker that another program uses while this file exists."""
    path = tmp_path / "engaged"
    path.touch()
    return path


@pytest.fixture
def problems(on_the_bus, bus):
    """The problems of the speaker that the bus and `status` tell."""
    def problems():
        with bus.caller() as caller:
            told = caller.get("Problems")
        listed = json.loads(on_the_bus.run("status", "--json").stdout).get("problems", [])
        return [each for each in told if each in listed and "another program is using it" in each]
    return problems


def test_an_occasion_that_could_not_be_played_is_a_problem_until_something_is_heard(
        on_the_bus, start, problems, engaged, tmp_path):
    # The quarter comes in ten seconds.
    on_the_bus.environment = on_the_bus.environment | {
        "TZ": zone_showing(on_the_bus, 3 * 3600 + 14 * 60 + 50)}
    service = start("interval = 15", alsa=NO_SPEAKER + engaged_device(tmp_path, engaged))
    assert not problems()
    wait_until(problems, 60, "a problem")
    service.wait_for("skipped 03:15:00")
    [problem] = problems()
    assert problem.startswith("03:15:00 could not be played: ")
    engaged.unlink()
    on_the_bus.run("timer", "1s")
    wait_until(lambda: not problems(), 20, "the problem to be over")


def test_a_ring_that_could_not_be_played_is_a_problem_until_it_is_heard(
        on_the_bus, start, problems, engaged, tmp_path):
    start(alsa=NO_SPEAKER + engaged_device(tmp_path, engaged))
    on_the_bus.run("timer", "1s")
    wait_until(problems, 20, "a problem")
    [problem] = problems()
    assert problem.startswith("timer 1 could not be played: ")
    engaged.unlink()
    wait_until(lambda: not problems(), 20, "the problem to be over")
