"""Zone files that are torn or missing: never taken for UTC without a word."""

import json
import pathlib
import shutil
import signal
import subprocess

import pytest

from program import PROGRAM, SILENT_ALSA, about, refusal
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


# The program sees its own /etc with the system's zone in it.
INSIDE = 'mount --bind "$0" /etc && exec "$@"'


@pytest.fixture
def etc(new_york, tmp_path):
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "localtime").symlink_to(new_york)
    try_out = ["unshare", "--map-root-user", "--mount", "sh", "-c", INSIDE, folder, "true"]
    if subprocess.run(try_out, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("nothing can be mounted here, so no /etc made up")
    return folder


def without_zone(clocksmith, etc, *words):
    """Runs the program in that /etc, with no zone in its environment."""
    environment = {name: value for name, value in clocksmith.environment.items() if name != "TZ"}
    return subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", INSIDE, etc, PROGRAM, *words],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def test_a_link_to_a_zone_that_is_not_there_is_not_taken_for_utc(clocksmith, etc):
    (etc / "localtime").unlink()
    (etc / "localtime").symlink_to("nowhere")
    said = refusal(without_zone(clocksmith, etc, "agenda", "--hours", "1"), 1)
    assert "/etc/localtime: it is no time zone file, or leads to none" in said and "timedatectl" in said


def test_a_torn_zone_of_the_system_is_told_and_taken_once_it_is_whole(
        clocksmith, etc, new_york, tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.write_text(
        f"#!/bin/sh\nexec unshare --map-root-user --mount sh -c '{INSIDE}' {etc} {PROGRAM} \"$@\"\n")
    program.chmod(0o755)
    monkeypatch.setattr("service.PROGRAM", program)
    clocksmith.environment = {name: value for name, value in clocksmith.environment.items() if name != "TZ"}
    configuration = clocksmith.configuration(rest="[clock]\nzone = Europe/London")
    service = Service(clocksmith, configuration, alsa=SILENT_ALSA)
    try:
        (etc / "localtime").unlink()
        (etc / "localtime").write_bytes(new_york.read_bytes()[:200])
        configuration.write_text(clocksmith.configuration().read_text())
        service.signal(signal.SIGHUP)
        service.wait_for("/etc/localtime: .*torn")
        assert not service.matching("the zone is")
        (etc / "whole").symlink_to(new_york)
        (etc / "whole").rename(etc / "localtime")
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
                                        "L Asia/Tokyo Japan\nL America/New_York US/Eastern\n")
    return database


def test_a_zone_by_its_old_name_is_told_with_its_new_one(clocksmith, without_old_names):
    environment = {"TZDIR": str(without_old_names)}
    said = refusal(clocksmith.run("agenda", "--zone", "US/Eastern", environment=environment), 2)
    assert said.endswith(
        "zone 'US/Eastern': it is now called America/New_York; use that, or install the package tzdata-legacy")
    assert clocksmith.run("agenda", "--zone", "America/New_York", environment=environment).returncode == 0
    configuration = clocksmith.configuration(rest="[clock]\nzone = US/Eastern")
    said = about(clocksmith.run("check", "--config", configuration, environment=environment), "configuration")
    assert "zone = US/Eastern: it is now called America/New_York; use that" in said


def test_a_machine_without_a_zone_shows_utc(clocksmith, etc):
    (etc / "localtime").unlink()
    done = without_zone(
        clocksmith, etc, "status", "--json", "--config", clocksmith.configuration())
    assert done.returncode == 0 and json.loads(done.stdout)["zone"] == "UTC"
