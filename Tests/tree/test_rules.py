"""Checks that the tree keeps the project's own rules."""

import re
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
SOURCES = sorted((TREE / "Sources").rglob("*.swift"))

# The project's own modules that each room may import.
ROOMS = {
    "Basics": set(),
    "Daemon": {"Basics"},
    "Horology": {"Basics"},
    "Sound": {"Basics", "Horology"},
    "Studio": {"Basics", "Horology", "Sound"},
    "Devices": {"Basics", "Horology", "Sound"},
    "Playing": {"Basics", "Horology", "Sound", "Devices"},
    "Vocabulary": set(),
    "Service": {"Basics", "Daemon", "Horology", "Sound", "Devices", "Playing", "Vocabulary"},
}
ROOMS["Relay"] = {"Basics", "Daemon", "Horology", "Vocabulary"}
ROOMS["clocksmith-relay"] = {"Basics", "Horology", "Relay"}
ROOMS["Simulation"] = {"Basics", "Horology", "Devices", "Service"}
ROOMS["clocksmith"] = set(ROOMS) - {"Simulation", "Relay", "Vocabulary", "clocksmith-relay"}
ROOMS["clocksmith-simulate"] = {"Basics", "Horology", "Devices", "Simulation"}
# The system libraries (C...) that a room may import. Every room but Horology may import Glibc.
LIBRARIES = {
    "Basics": {"CINI", "CJSON", "CLinux"},
    "Daemon": {"CLinux", "CSystemd"},
    "Horology": set(),
    "Sound": {"CSampleRate", "CSndFile"},
    "Studio": {"CEBUR128", "CMPG123"},
    "Devices": {"CALSA", "CClocksmith", "CLinux", "CSystemd"},
    "Playing": set(),
    "Vocabulary": set(),
    "Service": {"CClocksmith", "CLinux", "CSystemd"},
    "Relay": {
        "CCurl", "CJWT", "CLinux", "CMicroHTTPD", "CMosquitto", "COpenSSL", "CSQLite",
        "CSystemd", "CZLib"},
    "Simulation": set(),
    "clocksmith": {"CLinux"},
    "clocksmith-relay": set(),
    "clocksmith-simulate": set(),
}


def room(path):
    return path.relative_to(TREE / "Sources").parts[0]


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=TREE, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so what belongs to the tree is not known")
    return [TREE / line for line in listed.stdout.splitlines() if (TREE / line).is_file()]


def imports(path):
    return set(re.findall(r"^(?:@\w+ )?import (\w+)", path.read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", ROOMS)
def test_each_room_imports_what_lies_before_it_and_all_that_it_may(name):
    importers = {}
    for path in SOURCES:
        for module in imports(path) if room(path) == name else ():
            importers.setdefault(module, path.name)
    if name != "Horology":
        importers.pop("Glibc", None)
    assert set(importers) == ROOMS[name] | LIBRARIES[name], importers


def test_the_package_has_the_same_rules():
    package = (TREE / "Package.swift").read_text()
    targets = dict(re.findall(
        r'\.(?:target|executableTarget)\(\s*name: "([\w-]+)"(.*?)\)[,\n]', package, re.DOTALL))
    for name, libraries in LIBRARIES.items():
        depends = set(re.findall(r'"(\w+)"', targets[name]))
        assert depends == ROOMS[name] | libraries, name


def test_the_page_for_contributors_has_the_same_rules():
    rows = re.findall(r"^\| ([\w-]+) \|.*\| ?([\w, ]*) \|$", (TREE / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    rooms = {name: set(re.findall(r"\w+", imports)) for name, imports in rows if name in ROOMS}
    assert rooms == ROOMS


JUDGE = sorted((TREE / "Sources/Simulation/Judge").glob("*.swift"))
# The types that decide in the product, and the functions of its value types that reckon something. The
# judge reads the values alone.
DECIDES = (
    "Agenda Announcer ClockJudge Conductor Contact CueBook Grammar IntervalRun Machine Quarters Reminders"
    " Ringing Rules Schedule Speaker SystemZone Track Vitals World Zone").split()
RECKONS = re.compile(
    r"\.(?:(?:programme|chime|speaks|strikes|phase|nextRing|date|inWords)\((?:at|after|of)|quiet\.contains"
    r"|(?:quieter|rise)\.decibels\(|decibels\((?:at|after))")


@pytest.mark.parametrize("name", DECIDES)
def test_each_type_that_decides_is_in_the_sources(name):
    declaration = re.compile(rf"\b(?:struct|class|enum|protocol) {name}\b")
    assert any(declaration.search(path.read_text()) for path in SOURCES)


@pytest.mark.parametrize("path", JUDGE, ids=lambda path: path.stem)
def test_the_judge_shares_no_code_with_what_it_judges(path):
    code = re.sub(r"//.*", "", path.read_text())
    assert imports(path) <= {"Horology", "Glibc"}, path.name
    used = set(re.findall(r"\b[A-Z]\w+", code)) & set(DECIDES)
    assert not used, f"{path.name} uses {used}"
    assert not RECKONS.findall(code), path.name


def test_nothing_that_ships_imports_foundation_or_dispatch():
    for path in SOURCES:
        assert not imports(path) & {"Foundation", "FoundationEssentials", "Dispatch"}, path.name


def test_nothing_that_ships_is_asynchronous():
    for path in SOURCES:
        code = re.sub(r"//.*", "", path.read_text())
        assert not re.search(r"\basync\b|\bawait\b|\bTask\s*[{(]", code), path.name


def test_no_mark_of_unfinished_work():
    marks = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
    for path in tracked("*.swift", "*.c", "*.py", "*.md", "deploy", "systemd", "debian"):
        try:
            assert not marks.search(path.read_text()), path
        except UnicodeDecodeError:
            continue


def test_no_path_of_one_machine_is_in_the_tree():
    path_of_a_machine = re.compile(r"(?<![\w.-])/(?:ho" + r"me|wo" + r"rk|ro" + r"ot)/\w")
    for path in tracked():
        try:
            assert not path_of_a_machine.search(path.read_text()), path
        except UnicodeDecodeError:
            continue


def test_the_package_installs_every_folder_of_sounds():
    folders = sorted(path.name for path in (TREE / "sounds").iterdir() if path.is_dir())
    assert {"bells", "signals", "tunes", "voices"} <= set(folders)
    for folder in folders:
        # The voices in other languages have their own package, but share the others' folder.
        package, place = ("voices", "voices") if folder == "languages" else ("data", folder)
        listed = (TREE / f"debian/clocksmith-{package}.install").read_text()
        assert re.search(rf"^sounds/{folder}/.* usr/share/clocksmith/{place}$", listed, re.MULTILINE), folder


def test_no_line_of_the_page_and_of_the_scripts_is_long():
    read = [path for path in tracked("face") if path.suffix in {".js", ".css", ".html"}]
    read += [path for path in tracked("deploy") if path.read_bytes().startswith((b"#!", b"# shellcheck"))]
    assert len(read) > 40
    long = [f"{path.relative_to(TREE)}:{number}" for path in read
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if len(line) > 120]
    assert not long, long


def test_every_shell_script_is_clean():
    scripts = [
        path for path in tracked("deploy", ".ci", "Tests", "debian", "systemd")
        if path.read_bytes().startswith((b"#!/usr/bin/env bash", b"#!/bin/sh", b"#!/bin/bash"))
    ]
    assert TREE / "deploy/run" in scripts
    checked = subprocess.run(
        ["shellcheck", "--external-sources", *map(str, scripts)],
        cwd=TREE, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("conf", sorted(TREE.glob("sounds/*/*/voice.conf")), ids=lambda conf: conf.parent.name)
def test_every_voice_has_its_licence_beside_it_and_in_its_package(conf):
    folder = conf.parent
    assert (folder / "LICENCE").read_text().strip(), folder
    copyright = (TREE / "debian/copyright").read_text()
    assert f"Files: {folder.relative_to(TREE)}/*\n" in copyright
    licences = re.search(
        rf"Files: {folder.relative_to(TREE)}/\*\n(?:.+\n)*?License: (.+)\n", copyright).group(1)
    for licence in licences.split(" and "):
        assert f"\nLicense: {licence}\n " in copyright, licence
