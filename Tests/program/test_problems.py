"""What needs a person: the problems that `status` lists, and that Home Assistant's Problem is on for."""

import glob
import json
import signal

import pytest

from one_minute import NO_SPEAKER, engaged_device
from program import about, zone_showing
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


@pytest.fixture
def told(caller):
    """The problems of the bus: each sentence by its key. Nothing sets the clock of this machine."""
    def told():
        both = zip(caller.get("ProblemKeys"), caller.get("Problems"), strict=True)
        return {key: words for key, words in both if key != "clock"}
    return told


def read_again(service, path, before, after):
    path.write_text(path.read_text().replace(before, after))
    service.signal(signal.SIGHUP)
    service.wait_for("the configuration was read again")


@pytest.mark.skipif(bool(glob.glob("/dev/gpiochip*")), reason="SKIP: this machine has GPIO chips of its own")
@pytest.mark.parametrize("section, name", [("switch", "switch"), ("button", "button"), ("led", "lamp")])
def test_a_line_is_a_problem_until_it_is_not_used_any_more(on_the_bus, start, told, caller, section, name):
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3 * 3600)}
    service = start(rest=f"[{section}]\nline = GPIO17")
    assert list(told()) == [name]
    assert f"the {name} cannot be" in told()[name] and f"the {name} cannot be" in caller.get("LastError")
    read_again(service, on_the_bus.folder / "0.conf", "GPIO17", "none")
    wait_until(lambda: not told(), 20, "the problem to be over")
    assert f"the {name} cannot be" not in caller.get("LastError")


def test_a_saved_state_that_was_set_aside_is_a_problem_and_found_by_check(on_the_bus, start, told):
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3 * 3600)}
    (on_the_bus.folder / "state/state.json").write_text("torn")
    start()
    assert list(told()) == ["state"] and "state.json.set-aside" in told()["state"]
    found = about(on_the_bus.run("check", "--config", on_the_bus.folder / "0.conf"), "state")
    assert found.startswith("FOUND state") and "state.json.set-aside" in found


def test_two_alarms_of_one_name_are_a_problem_and_found_by_check(on_the_bus, start, told):
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3 * 3600)}
    service = start(rest="[alarm School]\ntime = 06:45\n[alarm school]\ntime = 07:15\n")
    words = 'the alarms "School" and "school" have the same name, and all ring'
    assert list(told()) == ["alarms"] and told()["alarms"].startswith(words)
    configuration = on_the_bus.folder / "0.conf"
    found = about(on_the_bus.run("check", "--config", configuration), "alarms")
    assert found.startswith(f"FOUND alarms        {words}")
    # One of a person, and then one of the file.
    assert on_the_bus.run("alarm", "06:45", "--name", "club").returncode == 0
    configuration.write_text(configuration.read_text().replace("alarm School", "alarm club"))
    service.signal(signal.SIGHUP)
    wait_until(lambda: '"club" and "club" have' in told().get("alarms", ""), 20, "the problem")
    assert len(on_the_bus.run("alarm", "list").stdout.splitlines()) == 3
    on_the_bus.run("alarm", "remove", "club")


def test_a_setting_that_was_left_out_is_a_problem(on_the_bus, start, told):
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3 * 3600)}
    (on_the_bus.folder / "state/settings.conf").write_text("[announce]\nquiet = late\n")
    start()
    assert list(told()) == ["settings"] and "announce.quiet" in told()["settings"]


def test_one_bad_alarm_of_the_saved_state_is_lost_alone(on_the_bus, start, told, caller):
    on_the_bus.environment |= {"TZ": zone_showing(on_the_bus, 3 * 3600)}
    service = start()
    for time in "07:00", "08:00":
        assert on_the_bus.run("alarm", time, "--days", "mon-sun").returncode == 0
    service.end_by("stop")
    state = on_the_bus.folder / "state/state.json"
    before = state.read_text()
    state.write_text(before.replace('"07:00"', '"27:00"'))
    start()
    assert [each["time"] for each in caller.get("Alarms")] == ["08:00"]
    assert "1 of its entries cannot be used" in told()["state"]
    assert "27:00" in (on_the_bus.folder / "state/state.json.set-aside").read_text()
