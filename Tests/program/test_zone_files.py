"""Zone files that are torn or missing: never taken for UTC without a word."""

import json
import pathlib
import shutil
import signal

import pytest

from program import SILENT_ALSA, about, refusal
from service import Service

DATABASE = pathlib.Path("/usr/share/zoneinfo")
TORN = {
    "200 bytes": lambda whole: whole[:200],
    "its magic alone": lambda whole: whole[:4],
    "all but its last byte": lambda whole: whole[:-1],
    "zeros at its end": lambda whole: whole[:len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
}


@pytest.fixture
def new_york():
    path = DATABASE / "America/New_York"
    if not path.exists():
        pytest.skip("no tz database here (apt install tzdata)")
    return path


@pytest.fixture(params=TORN)
def torn(request, new_york, tmp_path):
    path = tmp_path / "Torn"
    path.write_bytes(TORN[request.param](new_york.read_bytes()))
    return path


def test_a_torn_zone_is_not_taken_for_utc_and_found_by_check(clocksmith, torn):
    said = refusal(clocksmith.run("agenda", "--zone", torn), 2)
    assert "torn" in said and str(torn) in said or "damaged" in said
    assert str(torn) in refusal(clocksmith.run("agenda", environment={"TZ": f":{torn}"}), 1)
    done = clocksmith.run(
        "check", "--config", clocksmith.configuration(), environment={"TZ": f":{torn}"})
    assert done.returncode == 3
    line = about(done, "zone")
    assert line.startswith("FOUND") and "reinstall the package tzdata" in line


@pytest.fixture
def localtime(etc, new_york):
    """The file of the system's zone. The program has none in its environment."""
    etc.environment = {name: value for name, value in etc.environment.items() if name != "TZ"}
    (etc.root / "localtime").symlink_to(new_york)
    return etc.root / "localtime"


def test_a_link_to_a_zone_that_is_not_there_is_not_taken_for_utc(etc, localtime):
    localtime.unlink()
    localtime.symlink_to("nowhere")
    said = refusal(etc.run("agenda", "--hours", "1"), 1)
    assert "/etc/localtime: it is no time zone file, or leads to none" in said and "timedatectl" in said


def test_a_torn_zone_of_the_system_is_told_and_taken_once_it_is_whole(
        clocksmith, etc, localtime, new_york, monkeypatch):
    monkeypatch.setattr("service.PROGRAM", etc.program)
    clocksmith.environment = etc.environment
    configuration = clocksmith.configuration(rest="[clock]\nzone = Europe/London")
    service = Service(clocksmith, configuration, alsa=SILENT_ALSA)
    try:
        localtime.unlink()
        localtime.write_bytes(new_york.read_bytes()[:200])
        configuration.write_text(clocksmith.configuration().read_text())
        service.signal(signal.SIGHUP)
        service.wait_for("/etc/localtime: .*torn")
        assert not service.matching("the zone is")
        (etc.root / "whole").symlink_to(new_york)
        (etc.root / "whole").rename(localtime)
        service.wait_for("the zone is America/New_York")
    finally:
        service.stop()


@pytest.fixture
def without_old_names(new_york, tmp_path):
    """A tz database as Debian 13 has it: US/Eastern is in another package, and in the list alone."""
    database = tmp_path / "zoneinfo"
    (database / "America").mkdir(parents=True)
    shutil.copy(new_york, database / "America")
    (database / "tzdata.zi").write_text("# version 2026f\nR A 1918 o - Mar 31 2 1 D\n"
                                        "Z America/New_York -4:56:2 - LMT 1883 N 18 17u\n"
                                        "L Asia/Tokyo Japan\nL America/New_York US/Eastern\n")
    return database


def test_a_zone_by_its_old_name_is_taken_by_its_new_one(clocksmith, without_old_names):
    environment = {"TZDIR": str(without_old_names)}
    day = ["agenda", "--from", "2026-11-29T00:00"]
    new = clocksmith.run(*day, "--zone", "America/New_York", environment=environment)
    assert new.returncode == 0
    for surroundings, words in [({}, ["--zone", "US/Eastern"]), ({"TZ": "US/Eastern"}, []),
                                ({}, ["--zone", "america/new_york"])]:
        done = clocksmith.run(*day, *words, environment=environment | surroundings)
        assert (done.returncode, done.stdout) == (0, new.stdout)
    # The zone of this one is not there either.
    said = refusal(clocksmith.run("agenda", "--zone", "Japan", environment=environment), 2)
    assert "zone 'Japan': not in the tz database" in said


def test_an_old_name_in_a_file_is_told_and_one_that_is_set_is_kept_as_the_new_one(
        caller, on_the_bus, start, without_old_names):
    on_the_bus.environment |= {"TZDIR": str(without_old_names)}
    service = start(rest="[clock]\nzone = US/Eastern")
    service.wait_for("zone US/Eastern is now called America/New_York; write that")
    assert caller.get("Zone") == "America/New_York"
    configuration = on_the_bus.folder / "0.conf"
    found = about(on_the_bus.run("check", "--config", configuration), "configuration")
    assert found.startswith("FOUND") and "the zone US/Eastern is now called America/New_York" in found
    [shown] = caller.ask("Settings", key="clock.zone")["settings"]
    assert shown["value"] == "America/New_York"
    caller.ask("SetSetting", key="clock.zone", value="US/Eastern")
    assert "zone = America/New_York\n" in (on_the_bus.folder / "state/settings.conf").read_text()


@pytest.mark.parametrize("name", [
    "posixrules", "localtime", "Factory", "./Europe/London", "Europe//London", "Europe/../Europe/London",
    "Europe/London/", "/usr/share/zoneinfo//Europe/London"])
def test_what_stands_for_no_place_is_no_zone(clocksmith, new_york, name):
    said = refusal(clocksmith.run("agenda", "--zone", name), 2)
    assert f"zone '{name}': not in the tz database" in said


def test_a_machine_without_a_zone_shows_utc(clocksmith, etc, localtime):
    localtime.unlink()
    done = etc.run("status", "--json", "--config", clocksmith.configuration())
    assert done.returncode == 0 and json.loads(done.stdout)["zone"] == "UTC"
