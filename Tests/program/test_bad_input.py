"""Each bad word, configuration and output path: one sentence, the right exit status, no debris."""

import os
import pathlib
import random
import subprocess

import pytest

from program import PROGRAM, refusal

RENDER = ["render", "--at", "2026-11-21T15:15", "--output"]


# MARK: The command line


@pytest.mark.parametrize(
    "words, named",
    [([], "no subcommand"),
     (["sing"], "'sing'"),
     (["--loud"], "'--loud'"),
     (["\x1b[31msing"], r"'\u{1B}[31msing'"),
     (["agenda", "--loud"], "'--loud'"),
     (["agenda", "-l"], "'-l'"),
     (["agenda", "-é"], "'-é'"),
     (["agenda", "--json=yes"], "--json"),
     (["agenda", "--zone"], "'--zone'"),
     (["agenda", "tomorrow"], "'tomorrow'"),
     (["say", "15:15", "15:30"], "'15:30'"),
     (["say", "24:00"], "'24:00'"),
     (["say", "15:60"], "'15:60'"),
     (["say", "3:15"], "'3:15'"),
     (["say", "15:15:00"], "'15:15:00'"),
     (["render", "--output", "x.wav"], "--at"),
     (["render", "--at", "2026-11-21T15:15"], "--output"),
     (["render", "--at", "2026-11-21T15:15:30", "--output", "x.wav"], "2026-11-21T15:15:30"),
     (["agenda", "--hours", "0"], "'0'"),
     (["agenda", "--hours", "-1"], "'-1'"),
     (["agenda", "--hours", "1e3"], "'1e3'"),
     (["agenda", "--hours", "99999999999999999999"], "'99999999999999999999'"),
     (["agenda", "--hours", "1", "--to", "2026-11-21T15:15"], "--hours"),
     (["agenda", "--from", "2026-11-21T15:15", "--to", "2026-11-21T15:00"], "--to"),
     (["run", "--untrusted", "shout"], "'shout'")])
def test_a_misused_command_line_is_told_what_is_wrong_with_it(clocksmith, words, named):
    assert named in refusal(clocksmith.run(*words), 2)


@pytest.mark.parametrize(
    "time",
    ["2026-02-30T12:00", "2026-13-01T12:00", "2026-00-10T12:00", "2025-02-29T12:00",
     "1969-12-31T23:45", "2201-01-01T00:00", "2026-11-21T24:00", "2026-11-21", "15:15", "now",
     "2026-11-21 15:15", "2026-11-21T15:15Z", "2026-11-21T15:15:00.5", "-026-11-21T15:15",
     "２０２６-11-21T15:15", ""])
@pytest.mark.parametrize("option", [["agenda", "--from"], ["render", "--output", "x", "--at"]])
def test_an_impossible_date_is_misuse(clocksmith, option, time):
    assert f"'{time}'" in refusal(clocksmith.run(*option, time), 2)


@pytest.mark.parametrize(
    "zone, time",
    [("Europe/Berlin", "2026-03-29T02:30"), ("Australia/Lord_Howe", "2026-10-04T02:15"),
     ("Pacific/Apia", "2011-12-30T12:00")])
def test_a_time_that_the_clocks_skip_is_misuse_and_named_with_its_zone(clocksmith, zone, time):
    sentence = refusal(clocksmith.run("agenda", "--zone", zone, "--from", time), 2)
    assert zone in sentence and time in sentence


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "", "../../../etc/passwd", "/etc/passwd", "Europe", "GMT+25"])
def test_an_unknown_zone_is_misuse(clocksmith, zone):
    assert f"'{zone}'" in refusal(clocksmith.run("agenda", "--zone", zone), 2)


def test_a_pipe_in_place_of_a_zone_is_misuse_and_not_waited_for(clocksmith, tmp_path):
    os.mkfifo(tmp_path / "zone")
    done = clocksmith.run("agenda", "--zone", tmp_path / "zone", timeout=5)
    assert "zone" in refusal(done, 2)


def test_an_unknown_zone_in_the_environment_is_not_taken_for_utc(clocksmith):
    done = clocksmith.run("agenda", environment={"TZ": "Mars/Olympus"})
    assert "TZ=Mars/Olympus" in refusal(done, 1)


# MARK: The configuration


@pytest.mark.parametrize(
    "text, line, named",
    [("[announce]\ninterval = 7\n", 2, "interval = 7"),
     ("[announce]\n\ninterval = 0\n", 3, "interval = 0"),
     ("[announce]\ninterval = 99999999999999999999\n", 2, "interval"),
     ("[announce]\ninterval =\n", 2, "interval"),
     ("[announce]\nvolume = 11\n", 2, "'volume'"),
     ("; a comment\n[announcement]\ninterval = 15\n", 3, "[announcement]"),
     ("interval = 15\n", 1, "section"),
     ("[announce]\ninterval 15\n", 2, "key = value"),
     ("[announce\ninterval = 15\n", 1, "key = value"),
     ("[announce]\nclock = 12\nclock = 24\n", 3, "'clock'"),
     ("[announce]\nclock = 13\n", 2, "12, 24"),
     ("[announce]\nquiet = 00:00-24:00\n", 2, "whole week"),
     ("[announce]\nquiet = sat-sun 00:00-24:00, mon-fri 00:00-23:50\n", 2, "whole week"),
     ("[announce]\ninterval = 60\nquiet = 23:59-23:30\n", 3, "whole week"),
     ("[announce]\nquiet = 22:00\n", 2, "22:00"),
     ("[announce]\nquiet = 25:00-07:00\n", 2, "25:00"),
     ("[announce]\nquiet = someday 22:00-07:00\n", 2, "someday"),
     ("[announce]\nquiet = 07:00-07:00\n", 2, "07:00-07:00"),
     ("[announce]\nquiet = 22:00-07:00,\n", 2, "quiet"),
     ("[announce]\nlate_limit = 10\n", 2, "late_limit"),
     ("[announce]\nlate_limit = -1s\n", 2, "late_limit"),
     ("[announce]\nvoice = caruso\n", None, "caruso"),
     ("[announce]\nvoice = /nowhere/caruso\n", None, "/nowhere/caruso"),
     ("[announce]\nlate_limit = -9223372036854775808s\n", 2, "late_limit"),
     ("[clock]\nuntrusted = shout\n", 2, "shout"),
     ("[clock]\nuntrusted = \x1b[31m\n", 2, r"\u{1B}[31m"),
     ("[announce]\nvoice = " + "x" * 5000 + "\n", 2, "long"),
     ("[announce]\nclock = 12\0nonsense\n", 2, "")])
def test_a_bad_line_is_named_with_file_line_and_reason(clocksmith, tmp_path, text, line, named):
    path = tmp_path / "bad.conf"
    path.write_text(text)
    sentence = refusal(clocksmith.run("agenda", "--config", path), 1)
    assert (f"{path}:{line}:" if line else "voice") in sentence and named in sentence


def test_the_order_of_the_keys_does_not_matter_to_the_quiet_hours(clocksmith, tmp_path):
    path = tmp_path / "good.conf"
    path.write_text("[announce]\nquiet = 00:00-23:50\ninterval = 5\n")
    done = clocksmith.run("agenda", "--hours", 1, "--config", path)
    assert (done.returncode, done.stderr) == (0, "")


def a_folder(path):
    path.mkdir()


def a_hundred_megabytes(path):
    with path.open("wb") as file:
        file.truncate(100_000_000)


def a_hundred_megabytes_of_comments(path):
    path.write_bytes(b"; clocksmith\n" * 8_000_000)


def a_pipe(path):
    os.mkfifo(path)


def nothing(path):
    pass


def random_bytes(path):
    path.write_bytes(random.Random(3).randbytes(4000))


def random_short_lines(path):
    path.write_bytes(random.Random(4).randbytes(4000).replace(b"e", b"\n").replace(b"o", b"\n"))


def zeros_as_a_power_cut_leaves_them(path):
    path.write_bytes(bytes(2000))


UNREADABLE = [
    a_folder, a_hundred_megabytes, a_hundred_megabytes_of_comments, a_pipe, nothing, random_bytes,
    random_short_lines, zeros_as_a_power_cut_leaves_them]


@pytest.mark.parametrize("make", UNREADABLE, ids=lambda make: make.__name__)
def test_a_configuration_that_is_no_such_file_is_named(clocksmith, tmp_path, make):
    path = tmp_path / "strange.conf"
    make(path)
    done = clocksmith.run("agenda", "--config", path, timeout=5)
    if path.is_file():
        path.unlink()
    assert str(path) in refusal(done, 1)


@pytest.mark.parametrize(
    "words", [["run"], ["say", "15:15"], RENDER + ["x.wav"], ["agenda"], ["status"]])
def test_every_subcommand_refuses_a_bad_configuration(clocksmith, tmp_path, words):
    path = tmp_path / "bad.conf"
    path.write_text("[announce]\ninterval = 7\n")
    assert f"{path}:2:" in refusal(clocksmith.run(*words, "--config", path, cwd=tmp_path), 1)


def test_check_finds_a_bad_configuration(clocksmith, tmp_path):
    path = tmp_path / "bad.conf"
    path.write_text("[announce]\ninterval = 7\n")
    done = clocksmith.run("check", "--config", path)
    assert done.returncode == 3 and f"{path}:2:" in done.stdout


# MARK: Where it writes


@pytest.mark.parametrize(
    "path", ["/proc/clock.wav", "/sys/clock.wav", "missing/clock.wav", ".", ""])
def test_an_output_that_cannot_be_written_is_named(clocksmith, tmp_path, path):
    if path == "/sys/clock.wav" and not os.path.ismount("/sys"):
        pytest.skip("/sys is an ordinary folder here, which takes files")
    done = clocksmith.run(*RENDER, path, "--config", clocksmith.configuration(), cwd=tmp_path)
    assert f"write {path}" in refusal(done, 1)


@pytest.mark.parametrize("words", [RENDER, ["say", "15:15", "--output"]])
def test_a_device_that_is_full_is_named(clocksmith, words):
    done = clocksmith.run(*words, "/dev/full", "--config", clocksmith.configuration())
    sentence = refusal(done, 1)
    assert "/dev/full" in sentence and "No space left" in sentence


def test_a_disk_that_fills_up_is_told_of(clocksmith, full_disk):
    path = full_disk / "clock.wav"
    done = clocksmith.run(*RENDER, path, "--config", clocksmith.configuration())
    sentence = refusal(done, 1)
    assert str(path) in sentence and "No space left" in sentence


def test_a_disk_that_fills_up_is_left_as_it_was(clocksmith, full_disk):
    clocksmith.run(*RENDER, full_disk / "clock.wav", "--config", clocksmith.configuration())
    assert list(full_disk.iterdir()) == []


def test_a_file_that_was_there_survives_a_failure_to_replace_it(clocksmith, full_disk):
    path = full_disk / "clock.wav"
    path.write_bytes(b"the old announcement")
    clocksmith.run(*RENDER, path, "--config", clocksmith.configuration())
    assert path.read_bytes() == b"the old announcement"


@pytest.mark.parametrize("words", [["agenda"], ["status"], ["--help"], ["--version"]])
def test_a_full_standard_output_is_a_failure(clocksmith, words):
    if words[0] in ("agenda", "status"):
        words = [*words, "--config", clocksmith.configuration()]
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert "No space left" in refusal(clocksmith.run(*words, stdout=full), 1)


@pytest.mark.parametrize("words", [["agenda"], ["status"], RENDER + ["clock.wav"]])
def test_a_closed_standard_output_is_a_failure(clocksmith, tmp_path, words):
    command = [PROGRAM, *words, "--config", clocksmith.configuration()]
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" >&-', *command], env=clocksmith.environment, cwd=tmp_path,
        stderr=subprocess.PIPE, text=True, check=False)
    assert "standard output" in refusal(done, 1)


def test_a_reader_who_has_had_enough_is_no_failure(clocksmith):
    done = subprocess.run(
        ["bash", "-c", '"$0" agenda --hours 9000 --config "$1" | head -n 1; echo ${PIPESTATUS[0]}',
         PROGRAM, clocksmith.configuration()],
        env=clocksmith.environment, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines()[1:], done.stderr) == (["0"], "")


def test_a_rendering_that_is_killed_leaves_nothing_under_the_final_name(clocksmith, tmp_path):
    # strace ends it at its third write into the file.
    strace = pathlib.Path("/usr/bin/strace")
    if not strace.exists():
        pytest.skip("no strace here")
    path = tmp_path / "clock.wav"
    subprocess.run(
        [strace, "-o", "/dev/null", "-e", "inject=write:signal=KILL:when=3", PROGRAM, *RENDER, path,
         "--config", clocksmith.configuration()],
        env=clocksmith.environment, stderr=subprocess.DEVNULL, check=False)
    assert not path.exists()
