"""The relay's manual pages, sample configuration and completion say the same as the program."""

import re
import subprocess

import pytest

import relay as parts
from program import ROOT

MANUAL = (ROOT / "debian/clocksmith-relay.1").read_text(encoding="utf-8")
FORMATS = (ROOT / "debian/relay.conf.5").read_text(encoding="utf-8")
SHIPPED = (ROOT / "deploy/relay.conf").read_text(encoding="utf-8")
ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
SUBCOMMANDS = ["check", "device", "feedback", "pair", "push", "run"]


@pytest.fixture
def told():
    if not parts.RELAY.exists():
        pytest.skip(f"no {parts.RELAY} (swift build -c release --product clocksmith-relay)")

    def told(*words):
        return subprocess.run(
            [parts.RELAY, *words], capture_output=True, text=True, check=True,
            env=ENVIRONMENT).stdout
    return told


def section(name):
    """The text between the heading of that name and the next heading."""
    return re.search(
        rf"^\.S[SH] {name}\n(.*?)(?=^\.S[SH] |\Z)", MANUAL, re.M | re.S)[1].replace("\\-", "-")


def test_the_manual_has_every_subcommand_with_its_options(told):
    listed = re.findall(r"^  ([a-z]+) +\w", told("--help"), re.M)
    assert sorted(listed) == SUBCOMMANDS
    for name in listed:
        options = re.findall(r"^  --([a-z-]+)(?: ([A-Z]+))?", told(name, "--help"), re.M)
        assert options == [
            *re.findall(r'^\.BI? --([a-z-]+)(?: " (\w+)")?$', section(name), re.M), ("help", "")]


def test_the_manual_has_every_key_with_its_default_and_no_other():
    source = "".join(
        (ROOT / "Sources/Relay" / name).read_text()
        for name in ("RelayConfiguration.swift", "Push/PushConfiguration.swift",
                     "HTTP/HTTPConfiguration.swift"))
    told = re.findall(r"^\.B (\w+ = .*)", FORMATS, re.M)
    # What an entry for ntfy has and one for a webhook as well stands there once.
    shared = re.findall(r'"(\w+)": ', re.search(r"entryKeys: .*?\n  \]\n", source, re.S)[0])
    assert sorted(key.split()[0] for key in told) == sorted(
        re.findall(r'^    "(\w+)": ', source, re.M) + shared)


def test_the_sample_has_fifteen_keys_with_the_defaults_of_the_manual():
    def values(text, key):
        return [line if line.startswith("[") else line.replace("\\-", "-")
                for line in re.findall(key, text, re.M)]
    page = values(FORMATS, r"^\.(?:SS|B) (\[\w+|\w+ = .*)")
    shown = values(SHIPPED, r"^;?(\[\w+|\w+ = .*)")
    assert len([line for line in shown if " = " in line]) == 15
    left = iter(page)
    # Each of them stands in the page, in the same section, in the same order.
    assert all(line in left for line in shown)


def test_the_sample_is_taken_when_a_broker_is_set_and_every_default_is_one(told, tmp_path):
    path = tmp_path / "relay.conf"
    path.write_text(SHIPPED.replace(";broker = none", "broker = box"))
    with_defaults = told("check", "--config", path)
    mqtt = SHIPPED[:SHIPPED.index(";[ntfy")]
    path.write_text(re.sub(r"^;(\w+ =)", r"\1", mqtt, flags=re.M).replace("broker = none", "broker = box"))
    assert told("check", "--config", path) == with_defaults


COMPLETE = r"""
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { :; }
_clocksmith_relay
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def offered(*words, folder=None):
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", ROOT / "debian/clocksmith-relay.bash-completion",
         parts.RELAY, *words], capture_output=True, text=True, check=True, cwd=folder,
        env=ENVIRONMENT)
    assert done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


def test_subcommands_options_and_files_are_offered(told, tmp_path):
    assert offered("") == ["--help", "--version", *SUBCOMMANDS]
    assert offered("ch") == ["check"]
    assert offered("run", "--") == ["--config", "--help"]
    assert offered("device", "") == ["add", "list", "remove"]
    assert offered("pair", "") == ["list", "remove"]
    assert offered("device", "add", "--platform", "wa") == ["watchos"]
    assert offered("device", "add", "--environment", "") == ["production", "sandbox"]
    (tmp_path / "mine.conf").touch()
    assert offered("run", "--config", "mi", folder=tmp_path) == ["mine.conf"]
    assert offered("run", "--config", "=", "mi", folder=tmp_path) == ["mine.conf"]
