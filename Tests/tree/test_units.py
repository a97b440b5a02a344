"""Checks the project's files for systemd, journalctl, man and the bus."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
UNITS = TREE / "systemd"
# The most exposure that systemd-analyze may find: the clock has devices, the relay the network.
EXPOSURE = {"clocksmith": 1.5, "clocksmith-relay": 2.0}


def need(program, package):
    if not shutil.which(program):
        pytest.skip(f"no {program} here (apt install {package})")


@pytest.fixture(
    params=[("clocksmith", ""), ("clocksmith", "clocksmith-realtime.conf"), ("clocksmith-relay", "")],
    ids=["alone", "real-time", "relay"])
def unit(request, tmp_path):
    """The unit with a program that exists on every machine, alone or with its optional addition."""
    name, more = request.param
    copy = tmp_path / f"{name}.service"
    if more:
        (tmp_path / f"{copy.name}.d").mkdir()
        shutil.copy(UNITS / more, tmp_path / f"{copy.name}.d")
    copy.write_text(re.sub(r"^(ExecStart=)/usr/bin/[\w-]+", r"\1/bin/true",
                           (UNITS / copy.name).read_text(), flags=re.MULTILINE))
    return copy


def test_systemd_finds_nothing_wrong_in_the_unit(unit):
    need("systemd-analyze", "systemd")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{unit.parent}:"})
    # Ignore faults of the machine's own units.
    ours = [line for line in done.stderr.splitlines() if "clocksmith" in line]
    assert ours == [] and done.returncode == 0, done.stderr


def test_the_unit_is_confined(unit):
    need("systemd-analyze", "systemd")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", unit],
        capture_output=True, text=True)
    if "Unknown" in done.stderr or "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze judges no unit that is not running")
    exposure = re.search(r"exposure level for [^:]*: ([0-9.]+)", done.stdout)
    assert float(exposure[1]) <= EXPOSURE[unit.stem], done.stdout[-200:]


@pytest.mark.parametrize("name", ["clocksmith", "clocksmith-relay"])
def test_the_catalog_is_taken_by_journalctl(tmp_path, name):
    need("journalctl", "systemd")
    folder = tmp_path / "usr/lib/systemd/catalog"
    folder.mkdir(parents=True)
    catalog = TREE / f"systemd/{name}.catalog"
    shutil.copy(catalog, folder)
    root = f"--root={tmp_path}"
    made = subprocess.run(["journalctl", "--update-catalog", root], capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (0, "")
    listed = subprocess.run(["journalctl", "--list-catalog", root], capture_output=True, text=True)
    wanted = re.findall(r"^-- ([0-9a-f]{32})$", catalog.read_text(), re.MULTILINE)
    assert sorted(line.split()[0] for line in listed.stdout.splitlines()) == sorted(wanted)


@pytest.mark.parametrize("page", [
    "debian/clocksmith.1", "debian/clocksmith.conf.5", "debian/clocksmith-relay.1",
    "debian/relay.conf.5"])
def test_a_manual_page_is_set_without_a_warning(page):
    need("man", "man-db")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", TREE / page],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
    assert done.returncode == 0 and done.stdout
    assert done.stderr == ""


def rights(text):
    """(interface, member) of every call that a bus policy allows."""
    return re.findall(r'send_interface="([\w.]+)"\s+send_member="(\w+)"', text)


def test_the_relay_may_only_call_methods_of_the_clock():
    """DescriptionTests.swift holds the methods against the commands."""
    policy = (UNITS / "org.clocksmith.Relay.conf").read_text()
    assert re.findall(r'<policy ([^>]+)>', policy) == ['user="clocksmith-relay"']
    assert policy.count("<allow") == len(rights(policy)) > 15
    assert {interface for interface, _ in rights(policy)} == {"org.clocksmith.Announcer1"}


def test_the_package_of_the_relay_installs_what_it_needs():
    rules = (TREE / "debian/rules").read_text()
    installed = (TREE / "debian/clocksmith-relay.install").read_text()
    for file in ("deploy/relay.conf", "systemd/org.clocksmith.Relay.conf", "systemd/clocksmith-relay.catalog"):
        assert (TREE / file).exists() and f"{file} " in installed, file
    for file in (TREE / "debian/clocksmith-relay.docs").read_text().split():
        assert (TREE / file).exists() and "-X.openapi.json" in rules, file
        copied = re.search(r'"\$repo"/{(.*?)}', (TREE / "deploy/package").read_text())[1]
        assert file.split("/")[0] in copied.split(","), file
    assert (TREE / "debian/clocksmith-relay.service").resolve() == UNITS / "clocksmith-relay.service"
    user = re.search(r"^User=(.*)", (UNITS / "clocksmith-relay.service").read_text(), re.M)[1]
    assert re.search(rf"^u {user} ", (TREE / "debian/clocksmith-relay.sysusers").read_text(), re.M)
