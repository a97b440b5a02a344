"""deploy/release: what it refuses, and what it makes; the list of the licences; one version everywhere."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
# Debian's copyright files, in a form for programs and as prose.
FOR_PROGRAMS = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020 Ada
License: GPL-2+

Files: debian/* swift/*
Copyright: 2021 Bob
License: Expat or GPL-2+

License: GPL-2+
 The text of License: Beerware is not here.
"""
PROSE = "It is free. See /usr/share/common-licenses/LGPL-2.1, and /usr/share/common-licenses/GPL-3.\n"
PACKAGES = {"libc6": FOR_PROGRAMS, "libgcc-s1": PROSE, "swiftlang": FOR_PROGRAMS, "tiny": "Do what you like.\n"}
MAINTAINER = "The authors <authors@clocksmith.invalid>"
CHANGELOG = f"clocksmith (0.9.0-1) unstable; urgency=medium\n\n  * New.\n\n -- {MAINTAINER}  Thu, 26 Nov 2026 00:00:00 +0000\n"
CONTROL = f"""Source: clocksmith
Maintainer: {MAINTAINER}
Standards-Version: 4.7.2

Package: clocksmith
Architecture: arm64 amd64
Description: a
"""
NEW, OLD = "## 0.9.0 - 2026-11-26\n\n- It says the time.\n\n", "## 0.8.0 - 2026-11-01\n\n- Old.\n"
# Stand-ins for the scripts that take long. Packages of an earlier version lie beside the new ones.
SCRIPTS = {
    "image": 'echo image >"$1"; echo "$1"',
    "package": """mkdir -p "$packages"; cd "$packages"
        make() {
            mkdir -p "empty/DEBIAN"
            printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: a\nDescription: a\n' "$@" >empty/DEBIAN/control
            dpkg-deb --build empty "$1_$2_$3.deb" >/dev/null
        }
        for version in 0.8.0-1 0.9.0-1; do
            for name in clocksmith clocksmith-relay clocksmith-dbgsym clocksmith-relay-dbgsym; do
                make $name $version arm64
                make $name $version amd64
            done
            make clocksmith-data $version all
            make clocksmith-voices $version all
        done
        echo "$packages/clocksmith_0.9.0-1_amd64.deb\"""",
    "device/root-tree": 'echo "$made/root"',
    "device/build-tree": 'echo "$made/root"',
    "device/kernel-tree": 'echo "$made/kernel"',
}


def system(folder):
    """A root file system with a few packages, as dpkg describes it, and a kernel."""
    (folder / "root/var/lib/dpkg").mkdir(parents=True)
    (folder / "root/var/lib/dpkg/status").write_text("\n".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: arm64\nVersion: 1.2-3\n"
        f"Maintainer: a\nDescription: a\n" for name in PACKAGES))
    (folder / "kernel/doc").mkdir(parents=True)
    (folder / "kernel/packages").write_text("linux-image-7\t7.1-1\tlinux-signed\t7.1+1\n")
    for place, copyright in [(folder / "root/usr/share/doc" / name, text) for name, text in PACKAGES.items()] + [
            (folder / "kernel/doc/linux-image-7", FOR_PROGRAMS)]:
        place.mkdir(parents=True)
        (place / "copyright").write_text(copyright)
    return folder


class Checkout:
    """A committed tree with stand-ins for what takes long."""

    def __init__(self, folder):
        self.path = folder / "clocksmith"
        self.made = system(folder / "made")
        for name in ("deploy/release", "deploy/source", "deploy/apt-folder", "deploy/licences", "deploy/prepare", "deploy/device/lib.sh",
                     "debian/copyright", "LICENSE", "sounds/tunes/pips.tune"):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / name, self.path / name)
        for name, script in SCRIPTS.items():
            program = self.path / "deploy" / name
            program.write_text(
                f"#!/bin/bash\nset -e\npackages={self.path}/.build/packages made={self.made}\n{script}\n")
            program.chmod(0o755)
        self.write("debian/changelog", CHANGELOG)
        self.write("debian/control", CONTROL)
        self.write("debian/source/format", "3.0 (quilt)\n")
        self.write("README.md", "Download it from the site where you found this page.\n")
        self.write("docs/three-o-clock.mp3", "sound")
        self.write("Sources/Basics/Program.swift", 'public let version = "0.9.0"\n')
        self.write("CHANGELOG.md", "# Changes\n\n" + NEW + OLD)
        self.write(".gitignore", "/.build/\n")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.path, check=True, capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@a.invalid", "commit", "--quiet", "--allow-empty", "-m", "a")

    def release(self, *words, **more):
        return subprocess.run(
            [self.path / "deploy/release", *words], capture_output=True, text=True, timeout=60, cwd=self.path,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": str(self.path.parent),
                 "CLOCKSMITH_CACHE": str(self.path.parent / "cache"), **more})


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def refused(done, *words):
    """It ends with one sentence, and has made nothing."""
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert all(word in line for word in words), line


def test_changes_that_are_not_committed_are_refused(checkout):
    checkout.write("LICENSE", "mine\n")
    refused(checkout.release(), "not committed")
    checkout.commit()
    checkout.write("new.txt", "")
    refused(checkout.release(), "not committed")


def test_a_tree_without_its_history_is_refused(checkout):
    shutil.rmtree(checkout.path / ".git")
    refused(checkout.release(), "no git checkout")


@pytest.mark.parametrize("text", [
    OLD, NEW.replace("- It says the time.", "") + OLD, NEW.replace("2026-11-26", "unreleased")], ids=["missing", "empty", "without a date"])
def test_a_version_of_which_the_changelog_says_nothing_is_refused(checkout, text):
    checkout.write("CHANGELOG.md", text)
    checkout.commit()
    refused(checkout.release(), "CHANGELOG.md says nothing about 0.9.0")


def test_two_versions_are_refused(checkout):
    checkout.write("Sources/Basics/Program.swift", 'public let version = "0.8.0"\n')
    checkout.commit()
    refused(checkout.release(), "debian/changelog has the version 0.9.0", "Program.swift")


def test_a_version_that_is_out_is_refused(checkout):
    checkout.git("tag", "v0.9.0")
    assert checkout.release().returncode == 0, "the tag of this commit"
    refused(checkout.release(), "is there already")
    shutil.rmtree(checkout.path / ".build")
    checkout.commit()
    refused(checkout.release(), "v0.9.0 is already the tag of another commit")


def test_a_release_has_its_files_their_sums_and_its_text(checkout):
    done = checkout.release()
    assert done.returncode == 0, done.stderr
    made = checkout.path / ".build/release-0.9.0"
    assert done.stdout == f"{made}\n"
    assert sorted(os.listdir(made)) == sorted([
        "clocksmith-0.9.0.img.xz", "LICENCES.tsv", "RELEASE.md", "SHA256SUMS",
        "apt", *(f"{name}_0.9.0-1_{machine}.deb"
                 for name in ("clocksmith", "clocksmith-relay") for machine in ("arm64", "amd64")),
        "clocksmith-data_0.9.0-1_all.deb", "clocksmith-voices_0.9.0-1_all.deb"])
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=made, capture_output=True, text=True)
    files = [path for path in made.rglob("*") if path.is_file()]
    assert checked.returncode == 0 and len(checked.stdout.splitlines()) == len(files) - 1
    text = (made / "RELEASE.md").read_text()
    assert "- It says the time.\n" in text and "Old" not in text
    assert re.match("# clocksmith 0.9.0\n", text)


def test_a_release_has_a_folder_for_apt(checkout):
    assert checkout.release().returncode == 0
    apt = checkout.path / ".build/release-0.9.0/apt"
    assert re.findall("^Package: (.*)", (apt / "Packages").read_text(), re.M).count("clocksmith") == 2
    assert "Package: clocksmith-dbgsym\n" in (apt / "Packages").read_text() and "0.8.0" not in (apt / "Packages").read_text()
    assert re.search(" Packages.xz$", (apt / "Release").read_text(), re.M)
    tarball = subprocess.run(
        ["tar", "-tf", apt / "clocksmith_0.9.0.orig.tar.xz"], capture_output=True, text=True, check=True).stdout
    assert "clocksmith-0.9.0/README.md\n" in tarball and "mp3" not in tarball and "debian" not in tarball
    assert not (apt / "clocksmith.sources").exists() and not (apt / "InRelease").exists()


def test_a_folder_for_apt_is_signed_by_the_key_that_is_named(checkout):
    # A short path: gpg's agent has its socket there.
    with tempfile.TemporaryDirectory() as ring:
        subprocess.run(["gpg", "--homedir", ring, "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "owner@a.invalid"], check=True)
        done = checkout.release("--key", "owner@a.invalid", GNUPGHOME=ring)
        assert done.returncode == 0, done.stderr
        signed = checkout.path / ".build/release-0.9.0/apt/InRelease"
        assert subprocess.run(["gpg", "--homedir", ring, "--verify", signed], capture_output=True).returncode == 0
        subprocess.run(["gpgconf", "--homedir", ring, "--kill", "all"], check=True)


def test_the_publisher_is_written_into_the_tree_once(checkout):
    words = ["--url", "https://a.invalid/clock/", "--maintainer", "Ada <ada@a.invalid>"]
    refused(checkout.release(*words), "names the publisher", "commit")
    assert "from https://a.invalid/clock." in (checkout.path / "README.md").read_text()
    assert "\nMaintainer: Ada <ada@a.invalid>\n" in (checkout.path / "debian/control").read_text()
    assert " -- Ada <ada@a.invalid>  Thu" in (checkout.path / "debian/changelog").read_text()
    checkout.commit()
    done = checkout.release(*words)
    assert done.returncode == 0, done.stderr
    assert "URIs: https://a.invalid/clock/apt\n" in (checkout.path / ".build/release-0.9.0/apt/clocksmith.sources").read_text()
    refused(checkout.release("--url", "http://b.invalid"), "commit")
    assert "from http://b.invalid." in (checkout.path / "README.md").read_text()
    assert (checkout.path / "debian/control").read_text().count("Homepage:") == 1
    checkout.commit()
    other = checkout.path / ".build/other"
    refused(checkout.release(other), "--key")
    done = checkout.release("--key", "nobody@a.invalid", other)
    assert done.returncode == 1 and "gpg cannot sign with 'nobody@a.invalid'" in done.stderr and not other.exists()


def licences(*trees):
    """The lines of the list by their part, each with its columns by name."""
    done = subprocess.run([TREE / "deploy/licences", *trees], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    heads, *lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {line[0]: dict(zip(heads, line, strict=True)) for line in lines}


def test_each_package_of_the_card_has_its_licences(tmp_path):
    made = system(tmp_path)
    listed = licences(made / "root", made / "root", made / "kernel")
    assert {name: listed[name]["licences"] for name in [*PACKAGES, "linux-image-7"]} == {
        "libc6": "Expat or GPL-2+; GPL-2+", "libgcc-s1": "see the text, which names GPL-3, LGPL-2.1",
        "swiftlang": "Expat or GPL-2+; GPL-2+", "tiny": "see the text", "linux-image-7": "Expat or GPL-2+; GPL-2+"}
    assert listed["linux-image-7"]["version"] == "7.1-1"
    assert listed["linux-image-7"]["from"] == "Debian source linux-signed 7.1+1"
    assert listed["Swift's standard library"]["licences"] == "Expat or GPL-2+"


def test_a_package_without_its_licence_ends_the_list(tmp_path):
    made = system(tmp_path)
    (made / "root/usr/share/doc/tiny/copyright").unlink()
    done = subprocess.run([TREE / "deploy/licences", made / "root", made / "root"], capture_output=True, text=True)
    assert done.returncode != 0 and "tiny" in done.stderr and done.stdout == ""


def test_each_folder_of_sounds_has_its_licence_and_its_text(tmp_path):
    made = system(tmp_path)
    listed = licences(made / "root", made / "root")
    folders = {str(path.parent.relative_to(TREE)) for path in (TREE / "sounds").rglob("*")
               if path.suffix in (".flac", ".tune")}
    assert len(folders) > 10
    assert folders == {part for part in listed if part.startswith("sounds/")}
    for folder in folders:
        assert (TREE / listed[folder]["text"]).read_text().strip(), folder
        assert listed[folder]["from"], folder
    assert listed["sounds/languages/es"]["licences"] == "CC-BY-SA-3.0"
    assert listed["sounds/bells"]["licences"] == "Expat"


def test_each_package_of_the_real_card_has_a_line():
    cache = Path(os.environ.get("CLOCKSMITH_CACHE", Path.home() / ".cache/clocksmith"))
    # As deploy/device/lib.sh names them.
    recipe = b"".join((TREE / "deploy/device" / name).read_bytes() for name in ("root-tree", "root-packages"))
    root = cache / f"root-{hashlib.sha256(recipe).hexdigest()[:12]}"
    builds = [build for build in cache.glob("build-*") if (build / "usr/share/doc/swiftlang/copyright").exists()]
    kernels = [kernel for kernel in cache.glob("kernel-*") if (kernel / "packages").exists()]
    if not root.exists() or not builds:
        pytest.skip("no card was made here (./deploy/image)")
    listed = licences(root, builds[0], *kernels)
    wanted = {line for line in (TREE / "deploy/device/root-packages").read_text().splitlines() if line[0] != "#"}
    assert wanted <= set(listed)
    for name in wanted:
        assert (root / listed[name]["text"].lstrip("/")).exists(), name


def test_the_version_is_the_same_everywhere():
    program = re.search(r'^public let version = "(.*)"', (TREE / "Sources/Basics/Program.swift").read_text(), re.M)[1]
    assert re.match(r"clocksmith \((.*?)-[^-]*\)", (TREE / "debian/changelog").read_text())[1] == program
    assert re.search(r"^## (\S+) - ", (TREE / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == program
