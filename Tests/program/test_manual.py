"""The manual pages and the bash completion say the same as the program, no less and no more."""

import json
import os
import re
import subprocess

import pytest

from program import PROGRAM, ROOT

MANUAL = (ROOT / "debian/clocksmith.1").read_text(encoding="utf-8")
FORMATS = (ROOT / "debian/clocksmith.conf.5").read_text(encoding="utf-8")


def told(*words):
    """The standard output of the program."""
    return subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, check=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


SUBCOMMANDS = re.findall(r"^  ([a-z]+) +\w", told("--help"), re.MULTILINE)


def options_of(subcommand):
    """(option, name of its argument), without --help, which all of them have."""
    listed = re.findall(
        r"^  --([a-z-]+)(?: ([^ \n]+))?", told(subcommand, "--help"), re.MULTILINE)
    return {pair for pair in listed if pair[0] != "help"}


def section(page, kind, name):
    """The text between the heading of that name and the next heading."""
    found = re.search(rf'^\.{kind} "?{re.escape(name)}\b[^\n]*\n(.*?)(?=^\.S[SH] |\Z)', page,
                      re.MULTILINE | re.DOTALL)
    assert found, f"'{name}' is not in the manual page"
    return found[1].replace("\\-", "-")


def headings(page, within):
    whole = re.search(rf"^\.SH {within}\n(.*?)(?=^\.SH |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    return re.findall(r'^\.SS "?([^" \n]+)', whole, re.MULTILINE)


def test_the_manual_has_every_subcommand_and_no_other():
    assert sorted(headings(MANUAL, "SUBCOMMANDS")) == sorted(SUBCOMMANDS)


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_the_manual_has_every_option_with_its_argument_and_no_other(subcommand):
    listed = re.findall(
        r'^\.BI? --([a-z-]+)(?: " ([^"]+)")?$', section(MANUAL, "SS", subcommand), re.MULTILINE)
    assert sorted(listed) == sorted(options_of(subcommand))


def test_the_manual_or_the_page_of_the_bus_has_every_key_of_the_status():
    keys = json.loads(told("status", "--json", "--config", ROOT / "deploy/clocksmith.conf"))
    own = re.findall(r"^\.BR? (.*)", section(MANUAL, "SS", "status"), re.MULTILINE)
    bus = (ROOT / "docs/dbus.md").read_text(encoding="utf-8").split("## Properties")[1].split("The signals are")[0]
    properties = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", "".join(re.findall(r"^- (.*?):", bus, re.MULTILINE)))
    told_of = re.findall(r"\w+", " ".join(own) + properties.lower())
    assert [key for key in keys if key not in told_of] == []


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_the_manual_has_the_operands(subcommand):
    operands = told(subcommand, "--help").splitlines()[0].partition("[options]")[2].strip()
    heading = re.search(rf'^\.SS "?({subcommand}\b[^"\n]*)', MANUAL, re.MULTILINE)[1]
    assert heading == f"{subcommand} {operands}".strip()


def test_the_manual_has_every_key_of_an_alarm_and_no_other():
    body = re.search(r"^\.SS \[alarm NAME\]\n(.*?)(?=^\.S[SH] )", FORMATS, re.MULTILINE | re.DOTALL)
    source = (ROOT / "Sources/Service/Configuration/ConfiguredAlarms.swift").read_text()
    assert re.findall(r"^\.B (\w+)", body[1], re.MULTILINE) == re.findall(
        r'^    "(\w+)": SettingKey', source, re.MULTILINE)


# MARK: Completion

COMPLETE = r"""
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { :; }
_clocksmith
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def offered(*words, folder=None, **environment):
    """The words that bash offers for the last of these words."""
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", ROOT / "debian/clocksmith.bash-completion", PROGRAM,
         *words], capture_output=True, text=True, check=True, cwd=folder,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")} | environment)
    assert done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


def test_every_subcommand_is_offered():
    assert offered("") == sorted([*SUBCOMMANDS, "--help", "--version"])
    assert offered("ag") == ["agenda"]


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_every_option_is_offered(subcommand):
    wanted = {f"--{name}" for name, _ in options_of(subcommand)} | {"--help"}
    assert offered(subcommand, "--") == sorted(wanted)


@pytest.mark.parametrize("words, kinds", [
    (["agenda", "--config"], "conf flac svg wav"), (["agenda", "--picture"], "svg"), (["voice", "--output"], ""),
    (["render", "--output"], "flac wav"), (["run", "--output"], "wav")])
def test_an_option_that_wants_a_file_is_offered_files_of_its_kind(words, kinds, tmp_path):
    for kind in ("wav", "flac", "svg", "conf"):
        (tmp_path / f"eve.{kind}").touch()
    (tmp_path / "evening").mkdir()
    assert set(offered(*words, "eve", folder=tmp_path)) == {f"eve.{kind}" for kind in kinds.split()} | {"evening"}


@pytest.mark.parametrize("words", [["--zone", "Europe/Ber"], ["--zone", "=", "Europe/Ber"]])
def test_zones_are_offered(words):
    if not os.path.exists("/usr/share/zoneinfo/tzdata.zi"):
        pytest.skip("no tzdata.zi here (apt install tzdata)")
    assert offered("agenda", *words) == ["Europe/Berlin"]


@pytest.mark.parametrize("words, wanted", [
    (["voice", "verify", "rm"], ["rms"]), (["voice", "try", ""], ["heart", "rms", "slt"]),
    (["voice", "try", "rms", "--style", "natural-"], ["natural-day"]),
    (["voice", ""], ["export", "import", "list", "record", "try", "verify"]), (["mute", ""], ["next", "until"]),
    (["timer", ""], ["add", "left", "list", "pause", "remove", "resume", "stop"]), (["say", ""], []),
    (["timer", "10m", "--name", ""], []), (["alarm", "07:00", "--days", "t"], ["thu", "tue"]),
    (["alarm", "07:00", "--days", "sat,su"], ["sat,sun"]),
])
def test_what_can_follow_is_offered(words, wanted):
    assert offered(*words) == wanted


def test_tunes_are_offered_by_their_names_and_as_files(tmp_path):
    shipped = {path.stem for path in (ROOT / "sounds/tunes").glob("*.tune")}
    assert shipped
    assert set(offered("alarm", "07:00", "--tune", "", folder=tmp_path)) == {"none"} | shipped
    (tmp_path / "mine.tune").touch()
    (tmp_path / "mine.txt").touch()
    assert offered("alarm", "07:00", "--tune", "mi", folder=tmp_path) == ["mine.tune"]


def test_timers_and_alarms_are_offered_by_their_names(on_the_bus, start):
    on_the_bus.environment |= {"TZ": "UTC"}
    reach = {"DBUS_SYSTEM_BUS_ADDRESS": on_the_bus.environment["DBUS_SYSTEM_BUS_ADDRESS"]}
    # Without a service nothing is offered, and nothing is said.
    assert offered("timer", "remove", "", **reach) == []
    start()
    for words in (["--name", "tea"], [], ["--name", 'the "big" roast'], ["--name", "--wait"],
                  ["--name", "ro\u200bll"]):
        assert on_the_bus.run("timer", "1h", *words).returncode == 0
    for name in ("school", "mum"):
        assert on_the_bus.run("alarm", "07:00", "--days", "sun", "--name", name).returncode == 0
    for words in (["remove"], ["stop"], ["pause"], ["resume"], ["left"], ["add", "5m"]):
        assert offered("timer", *words, "", **reach) == ["2", "tea", r"the\ \"big\"\ roast"]
        assert offered("timer", *words, "te", **reach) == ["tea"]
    for word in ("remove", "snooze", "stop"):
        assert offered("alarm", word, "", **reach) == ["mum", "school"]
    assert offered("alarm", "list", "", **reach) == offered("timer", "add", "", **reach) == []
