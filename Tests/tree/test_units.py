"""What systemd, journalctl and man make of the files that are made for them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
UNIT = TREE / "systemd/clocksmith.service"


def need(program, package):
    if not shutil.which(program):
        pytest.skip(f"no {program} here (apt install {package})")


@pytest.fixture(params=["", "clocksmith-realtime.conf"], ids=["alone", "real-time"])
def unit(request, tmp_path):
    """The unit with a program that is there on every machine, and with what may be added to it."""
    copy = tmp_path / UNIT.name
    if request.param:
        (tmp_path / f"{UNIT.name}.d").mkdir()
        shutil.copy(TREE / "systemd" / request.param, tmp_path / f"{UNIT.name}.d")
    copy.write_text(re.sub(r"^(ExecStart=)/usr/bin/clocksmith\b", r"\1/bin/true",
                           UNIT.read_text(), flags=re.MULTILINE))
    return copy


def test_systemd_finds_nothing_wrong_in_the_unit(unit):
    need("systemd-analyze", "systemd")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{unit.parent}:"})
    # What the machine's own units lack is not ours.
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
    assert float(exposure[1]) <= 1.5, done.stdout[-200:]


def test_the_catalog_is_taken_by_journalctl(tmp_path):
    need("journalctl", "systemd")
    folder = tmp_path / "usr/lib/systemd/catalog"
    folder.mkdir(parents=True)
    catalog = TREE / "systemd/clocksmith.catalog"
    shutil.copy(catalog, folder)
    root = f"--root={tmp_path}"
    made = subprocess.run(["journalctl", "--update-catalog", root], capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (0, "")
    listed = subprocess.run(["journalctl", "--list-catalog", root], capture_output=True, text=True)
    wanted = re.findall(r"^-- ([0-9a-f]{32})$", catalog.read_text(), re.MULTILINE)
    assert sorted(line.split()[0] for line in listed.stdout.splitlines()) == sorted(wanted)


@pytest.mark.parametrize("page", ["debian/clocksmith.1", "debian/clocksmith.conf.5"])
def test_a_manual_page_is_set_without_a_warning(page):
    need("man", "man-db")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", TREE / page],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
    assert done.returncode == 0 and done.stdout
    assert done.stderr == ""


def test_the_machine_s_watchdog_is_told_of_in_one_place():
    files = subprocess.run(
        ["git", "grep", "-l", "^RuntimeWatchdogSec="], cwd=TREE, capture_output=True, text=True)
    if files.returncode > 1:
        pytest.skip("not a git checkout, so what belongs to the tree is not known")
    assert files.stdout.split() == ["systemd/clocksmith-watchdog.conf"]
