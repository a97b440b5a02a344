"""The recipes of Debian's packages: what they need is the same everywhere, and each place knows every package."""

import re
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
CONTROL = (TREE / "debian/control").read_text()
PACKAGES = re.findall(r"^Package: (.*)", CONTROL, re.MULTILINE)


def test_the_libraries_are_the_same_for_debian_for_the_build_tree_and_for_a_pi():
    [needed] = re.findall(r"^Build-Depends-Arch:(.*(?:\n .*)*)", CONTROL, re.MULTILINE)
    libraries = set(re.findall(r"\bz?lib[\w.-]+-dev", needed))
    tree = (TREE / "deploy/device/build-packages").read_text()
    assert len(libraries) > 10 and libraries <= set(re.findall(r"^([\w.-]+):\*$", tree, re.MULTILINE))
    [pi] = re.findall(r"build_packages=\((.*?)\)", (TREE / "deploy/prepare").read_text(), re.DOTALL)
    assert libraries == {name for name in pi.split() if re.match("z?lib", name) and name != "libc6-dev"}
    for compiler in ("swiftlang", "swiftlang-dev"):
        assert f" {compiler}:native" in needed and f"\n{compiler}\n" in tree


def test_a_release_has_each_package():
    release = (TREE / "deploy/release").read_text()
    assert PACKAGES == ["clocksmith", "clocksmith-data", "clocksmith-relay", "clocksmith-voices"]
    assert "clocksmith{,-relay}_" in release and "clocksmith-{data,voices}_" in release
    for script in ("deploy/install", "deploy/device/card", "Tests/device/check-package"):
        assert "clocksmith-data_" in (TREE / script).read_text(), script


def test_debian_runs_each_of_its_tests():
    folder = TREE / "debian/tests"
    named = re.findall(r"^Tests: (\w+)$", (folder / "control").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in folder.iterdir() if path.name != "control")
    assert all((folder / name).stat().st_mode & 0o111 for name in named)
