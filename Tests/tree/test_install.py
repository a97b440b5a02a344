"""The checks of deploy/install and deploy/run before they change anything, on a simulated machine."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
MACHINE = "arm64"
PATH = "/usr/bin:/bin"

# The mounts are in a namespace of their own. The scripts look for systemd in /run.
INSIDE = """
mount --bind "$0" /proc/meminfo && mount --bind "${0%/*}/os-release" /etc/os-release && mount -t tmpfs none /run && mkdir -p /run/systemd/system \
    && exec "$@"
"""
# Stand-ins: each notes its call, and then runs the commands given here.
PROGRAMS = {
    "apt-get": "",
    "df": 'echo Avail; echo "${DISK}M"',
    "dpkg": f"echo {MACHINE}",
    "dpkg-buildpackage": "exit 1",
    "dpkg-query": "echo installed",
    "swift": "",
    "systemctl": 'case $1 in is-enabled) exit 1 ;; esac; echo waiting',
    "clocksmith": "",
}


class Pi:
    """A simulated machine of a given size, on which nothing is really installed, built or started."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = folder / "programs"
        self.programs.mkdir()
        for name, answer in PROGRAMS.items():
            program = self.programs / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n{answer}\n')
            program.chmod(0o755)
        (folder / "calls").touch()
        self.is_debian(13)

    def is_debian(self, release):
        (self.folder / "os-release").write_text(f'VERSION_ID="{release}"\n')

    def command(self, memory, swap, *words):
        meminfo = self.folder / "meminfo"
        meminfo.write_text(
            f"MemTotal: {memory * 1024} kB\nMemFree: 9 kB\nSwapTotal: {swap * 1024} kB\n")
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", INSIDE, meminfo, *words]

    def install(self, *words, **machine):
        return self.deploy("install", *words, **machine)

    def deploy(self, script, *words, memory=906, swap=0, disk=8000):
        return subprocess.run(
            self.command(memory, swap, TREE / "deploy" / script, *words),
            capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
            env={"PATH": f"{self.programs}:{PATH}", "HOME": str(self.folder), "LC_ALL": "C",
                 "CLOCKSMITH_CACHE": str(self.folder / "cache"), "DISK": str(disk),
                 "CALLS": str(self.folder / "calls")})

    @property
    def called(self):
        """The calls that change something, without those that only ask."""
        calls = (self.folder / "calls").read_text().splitlines()
        return [call for call in calls if call.split()[0] not in ("df", "dpkg", "dpkg-query")]

    @property
    def builds(self):
        return any(call.startswith("dpkg-buildpackage ") for call in self.called)


@pytest.fixture
def pi(tmp_path):
    machine = Pi(tmp_path)
    tried = subprocess.run(machine.command(1, 1, "true"), stderr=subprocess.DEVNULL, check=False)
    if tried.returncode:
        pytest.skip("nothing can be mounted here, so no machine made up")
    return machine


def package(folder, **fields):
    """Makes an empty package."""
    if not shutil.which("dpkg-deb"):
        pytest.skip("no dpkg-deb here (apt install dpkg)")
    fields = {"Package": "clocksmith", "Version": "1", "Architecture": MACHINE,
              "Maintainer": "nobody <nobody@example.org>", "Description": "empty", **fields}
    (folder / "made/DEBIAN").mkdir(parents=True)
    (folder / "made/DEBIAN/control").write_text(
        "".join(f"{name}: {value}\n" for name, value in fields.items()))
    subprocess.run(["dpkg-deb", "--build", "made", "made.deb"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return "made.deb"


def refused(done, *told):
    assert done.returncode == 1, done.stderr
    [sentence] = done.stderr.splitlines()
    for words in told:
        assert words in sentence


def test_too_little_memory_is_told_before_anything_is_installed(pi):
    refused(pi.install(memory=416, swap=0), "this machine has 416 MB:", "./deploy/package arm64",
            "sudo apt-get install ./clocksmith_*.deb")
    assert pi.called == []


def test_swap_counts_as_memory(pi):
    pi.install(memory=416, swap=512)
    assert pi.builds


@pytest.mark.parametrize("release, suffix", [(12, "~bpo12+1"), (13, ""), (14, "")])
def test_what_an_older_debian_builds_gives_way_to_that_of_debian_13(pi, release, suffix):
    pi.is_debian(release)
    pi.install()
    assert pi.builds
    first, *_, last = (pi.folder / "cache/work-native/source/debian/changelog").read_text().splitlines()
    ours = (TREE / "debian/changelog").read_text().split("\n")[0]
    assert first == ours.replace(")", f"{suffix})", 1) and last.startswith(" -- ")


def test_too_little_memory_to_run_it_from_here_is_told_before_anything_is_installed(pi):
    refused(pi.deploy("run", memory=416), "run: the build needs 550 MB of memory and swap",
            "this machine has 416 MB:", "./deploy/package arm64")
    assert pi.called == []


def test_a_full_card_is_told_before_anything_is_installed(pi):
    refused(pi.install(disk=90), "MB free in /usr", "this machine has 90 MB:")
    assert pi.called == []


def test_a_package_that_is_given_is_installed_without_a_build(pi):
    done = pi.install(package(pi.folder), memory=416, disk=90)
    assert done.returncode == 0, done.stderr
    update, install, *rest = pi.called
    assert update == "apt-get -qq update", "a system that was just flashed has no lists"
    assert re.fullmatch(rf"apt-get install .* {pi.folder}/made.deb alsa-utils", install)
    assert "systemctl enable --now clocksmith.service" in rest
    assert not pi.builds and not any(re.match("swift|apt-get", call) for call in rest)


RELAY_IS_OFF = "the relay is off: to turn it on, name a broker in /etc/clocksmith/relay.conf"


def with_relay(pi):
    """The clock's package under its usual name, with the relay's beside it."""
    made = pi.folder / package(pi.folder)
    (pi.folder / "clocksmith-relay_1_arm64.deb").touch()
    return made.rename(pi.folder / "clocksmith_1_arm64.deb")


def test_the_sounds_beside_it_are_installed(pi):
    made = (pi.folder / package(pi.folder)).rename(pi.folder / "clocksmith_1-1_arm64.deb")
    (pi.folder / "clocksmith-data_1-1_all.deb").touch()
    assert pi.install(made).returncode == 0
    [install] = [call for call in pi.called if call.startswith("apt-get install")]
    assert f"{pi.folder}/clocksmith-data_1-1_all.deb" in install


def test_the_relay_beside_it_is_installed_and_off(pi):
    done = pi.install(with_relay(pi))
    assert done.returncode == 0, done.stderr
    [install] = [call for call in pi.called if call.startswith("apt-get install")]
    assert f"{pi.folder}/clocksmith-relay_1_arm64.deb ca-certificates" in install
    assert not [call for call in pi.called if re.search("enable .*relay|start.*relay", call)]
    assert RELAY_IS_OFF in done.stdout and "sudo systemctl enable --now clocksmith-relay" in done.stdout


@pytest.mark.parametrize("fields, told", [
    ({"Architecture": "amd64"}, "is for amd64"), ({"Package": "hello"}, "is the package hello")])
def test_another_package_is_refused(pi, fields, told):
    refused(pi.install(package(pi.folder, **fields)), told)
    assert pi.called == []


@pytest.mark.parametrize("content", [None, b"", b"no package\n"])
def test_what_is_no_package_is_refused(pi, content):
    if content is not None:
        (pi.folder / "made.deb").write_bytes(content)
    refused(pi.install("made.deb"), "made.deb", "name the .deb")
    assert pi.called == []


@pytest.mark.parametrize("words", [["--swift"], ["one.deb", "two.deb"]])
def test_misuse_is_told(pi, words):
    done = pi.install(*words)
    assert (done.returncode, pi.called) == (2, [])
    assert "--help" in done.stderr
