"""The command line, configurations and output paths: what is bad is told in one sentence, without debris."""

import os
import random
import resource
import subprocess

import pytest

from program import PROGRAM, VOICE, in_the_night, refusal
from relay import RELAY

RENDER = ["render", "--at", "2026-11-21T15:15", "--output"]


# MARK: The command line


@pytest.mark.parametrize(
    "words, named",
    [([], "no subcommand"),
     (["sing"], "'sing'"), (["--version", "extra"], "'extra'"),
     (["\x1b[31msing"], r"'\u{1B}[31msing'"),
     (["agenda", "--loud"], "'--loud'"),
     (["agenda", "-é"], "'-é'"),
     (["agenda", "--json=yes"], "--json"),
     (["agenda", "--zone"], "'--zone'"),
     (["agenda", "tomorrow"], "'tomorrow'"),
     (["say", "15:15", "15:30"], "'15:15 15:30'"),
     (["sya"], "unknown subcommand 'sya'; the nearest is 'say'; see"),
     (["version"], "; the nearest is '--version'; see"),
     (["timer", "--nmae", "tea", "4m"], "unknown option '--nmae'; the nearest is '--name'; see"),
     (["render", "--at", "2026-11-21", "18:00", "--output", "x.wav"],
      "unexpected '18:00'; write words that belong together in quotes; see"),
     (["mute", "off"], "'off' is no length; write one from 1s to 744h, as 45min or 8h30m, or 'until 07:00', or next; "
                       "'clocksmith unmute' ends a mute"),
     (["volume", "50%"], "'50%' is no volume; write one from -60dB to 0dB: 0dB is the loudest"),
     (["interval", "30s", "--rounds", "8"], "--rounds is for rounds; write --work '30s' instead of '30s'"),
     (["interval", "--rest", "10s"], "--rest is for rounds; add --work, as in --work 20s"),
     (["say", "24:00"], "'24:00'"),
     (["say", "3:1"], "'3:1' is no time of day; write HH:MM, as in 07:00"),
     (["render", "--output", "x.wav"], "--at"),
     (["render", "--at", "2026-11-21T15:15"], "--output"),
     (["render", "--at", "2026-11-21T15:15:30", "--output", "x.wav"], "2026-11-21T15:15:30"),
     (["agenda", "--hours", "-1"], "'-1'"),
     (["agenda", "--hours", "99999999999999999999"], "'99999999999999999999'"),
     (["agenda", "--hours", "1", "--to", "2026-11-21T15:15"], "--hours"),
     (["agenda", "--from", "2026-11-21T15:15", "--to", "2026-11-21T15:00"], "--to"),
     (["run", "--untrusted", "shout"], "'shout'")])
def test_a_misused_command_line_is_told_what_is_wrong_with_it(clocksmith, words, named):
    assert named in refusal(clocksmith.run(*words), 2)


@pytest.mark.parametrize(
    "words",
    ["LONG", "--LONG", "timer 10m LONG", "agenda --from LONG", "agenda --zone LONG", "agenda --config LONG", "mute LONG"])
def test_a_long_word_is_cut_in_the_message(clocksmith, words):
    done = clocksmith.run(*words.replace("LONG", "x" * 10_000).split())
    sentence = refusal(done, 1 if "--config" in words else 2)
    assert "xxx..." in sentence and len(sentence) < 250


@pytest.mark.parametrize(
    "time",
    ["2026-02-30T12:00", "2026-13-01T12:00", "1969-12-31T23:45", "2201-01-01T00:00", "2026-11-21T24:00", "25:15",
     "2026-11-21T15:15Z", ""])
def test_an_impossible_date_is_misuse(clocksmith, time):
    assert f"'{time}'" in refusal(clocksmith.run("agenda", "--from", time), 2)


@pytest.mark.parametrize(
    "zone, time",
    [("Europe/Berlin", "2026-03-29T02:30"), ("Australia/Lord_Howe", "2026-10-04T02:15"),
     ("Pacific/Apia", "2011-12-30T12:00")])
def test_a_time_that_the_clocks_skip_is_misuse_and_named_with_its_zone(clocksmith, zone, time):
    sentence = refusal(clocksmith.run("agenda", "--zone", zone, "--from", time), 2)
    assert zone in sentence and time in sentence


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "", "../../../etc/passwd", "Europe"])
def test_an_unknown_zone_is_misuse(clocksmith, zone):
    assert f"'{zone}'" in refusal(clocksmith.run("agenda", "--zone", zone), 2)


def test_an_unknown_zone_in_the_environment_is_not_taken_for_utc(clocksmith):
    done = clocksmith.run("agenda", environment={"TZ": "Mars/Olympus"})
    assert "TZ=Mars/Olympus" in refusal(done, 1)


@pytest.mark.parametrize("words", [
    "alarm 07:00 --days mon --days tue", "alarm 07:00 --date 2099-01-01 --date=2099-01-02",
    "agenda --json --hours 1 --json --hours 2", "timer 10m --name tea --name soup"])
def test_an_option_that_is_given_twice_is_refused(clocksmith, words):
    option = next(word for word in words.split() if word.startswith("--") and word != "--json")
    assert f"{option} is given twice; give it once" in refusal(clocksmith.run(*words.split()), 2)


@pytest.mark.parametrize("program", [PROGRAM, RELAY])
def test_h_prints_the_help_of_the_program_and_of_each_subcommand(clocksmith, program):
    def run(*words):
        done = subprocess.run(
            [program, *words], env=clocksmith.environment, capture_output=True, text=True, check=True)
        return done.stdout

    overview = run("-h")
    assert overview == run("--help")
    subcommands = [line.split()[0] for line in overview.splitlines() if line.startswith("  ")]
    assert "run" in subcommands
    for subcommand in subcommands:
        assert run(subcommand, "-h") == run(subcommand, "--help")


@pytest.mark.parametrize("kind, time", [("timer", "10m"), ("alarm", "07:00")])
def test_a_name_that_begins_with_a_dash_follows_two_dashes(on_the_bus, start, kind, time):
    in_the_night(on_the_bus)
    start()
    for name in ("-x", "--json"):
        assert on_the_bus.run(kind, time, "--name", name).returncode == 0
        refusal(on_the_bus.run(kind, "cancel", name), 2)
        done = on_the_bus.run(kind, "cancel", "--", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert on_the_bus.run(kind, "list").stdout == f"no {kind}\n"
    # No option is a number.
    assert on_the_bus.run(kind, time, "--name", "-3").returncode == 0
    assert on_the_bus.run(kind, "cancel", "-3").returncode == 0


# MARK: The configuration


@pytest.mark.parametrize(
    "text, line, named",
    [("[announce]\ninterval = 7\n", 2, "interval = 7"),
     ("[announce]\ninterval 15\n", 2, "key = value"),
     ("[announce\ninterval = 15\n", 1, "key = value"),
     ("[announce]\nquiet = someday 22:00-07:00\n", 2, "someday"),
     ("[announce]\nquiet = 22:00-07:00,\n", 2, "quiet"),
     ("[announce]\nquiet = " + "mon 10:00-10:30 " * 11 + "\n", 2, "mon 10:00-10:30"),
     ("[announce]\nvoice = /nowhere/caruso\n", 2, "/nowhere/caruso"),
     ("[speaker]\nlead_in = -9223372036854775808s\n", 2, "lead_in"),
     ("[clock]\nuntrusted = \x1b[31m\n", 2, r"\u{1B}[31m"),
     ("[announce] interval = 30\n", 1, "after ']'"),
     ("[announce]\ninterval = 30 ; half hours\n", 2, "comment"),
     ("[announce]\nquiet = none\rinterval = 30\n", 2, "quiet"),
     ("[announce]\nquiet = mon-fri 22:00-07:00\n  and more\n", 3, "key = value"),
     ("[announce]\nvoice = " + "x" * 5000 + "\n", 2, "longer than 198 characters; shorten it"),
     ("[announce]\nclock = 12\0nonsense\n", 2, "")])
def test_a_bad_line_is_named_with_file_line_and_reason(clocksmith, tmp_path, text, line, named):
    path = tmp_path / "bad.conf"
    path.write_text(text)
    sentence = refusal(clocksmith.run("agenda", "--config", path), 1)
    assert f"{path}:{line}:" in sentence and named in sentence
    assert len(sentence) < len(str(path)) + 250


@pytest.mark.parametrize("text, words", [
    ("notes = B3 -1 E4", ":4: '-1' is no gap: allowed are seconds from 0.02 to 20, for example 0.86"),
    (None, "No such file or directory")])
def test_a_bad_tune_is_named_once(clocksmith, tmp_path, text, words):
    tune = tmp_path / "mine.tune"
    if text:
        tune.write_text(f"[tune]\ndescription = mine\n[hour]\n{text}\n")
    done = clocksmith.run("agenda", "--config", clocksmith.configuration(f"chime = {tune}"))
    sentence = refusal(done, 1)
    assert sentence.count(str(tune)) == 1 and sentence.endswith(words)


@pytest.mark.parametrize(
    "text",
    ["\ufeff[announce]\ninterval = 5\n", "[announce]\r\ninterval = 5\r\n", " [announce]\n\tinterval = 5\n",
     "[announce] \n ; a comment\n\n  # another ; one\n \ninterval = 5", "[announce]\ninterval: 5\n",
     "[announce]\ninterval = \"5\"\n", "[announce]\ninterval = \u201c5\u201d\n", "[announce]\ninterval = '5'\n"])
def test_what_an_editor_adds_changes_nothing(clocksmith, tmp_path, text):
    path = tmp_path / "good.conf"
    path.write_text(text, newline="")
    done = clocksmith.run("agenda", "--from", "2026-11-28T01:00", "--hours", 1, "--config", path)
    assert (done.stderr, len(done.stdout.splitlines())) == ("", 13)


UNREADABLE = {
    "a folder": lambda path: path.mkdir(), "a pipe": os.mkfifo, "nothing": lambda path: None,
    "a hundred megabytes": lambda path: path.touch() or os.truncate(path, 100_000_000),
    "random bytes": lambda path: path.write_bytes(random.Random(3).randbytes(4000)),
    "zeros, as a power cut leaves them": lambda path: path.write_bytes(bytes(2000)),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_configuration_that_is_no_such_file_is_named(clocksmith, tmp_path, kind):
    path = tmp_path / "strange.conf"
    UNREADABLE[kind](path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = clocksmith.run("agenda", "--config", path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5, "seconds of CPU"
    assert str(path) in refusal(done, 1)


@pytest.mark.parametrize(
    "words", [["run"], ["say", "15:15"], RENDER + ["x.wav"], ["agenda"], ["status"]])
def test_every_subcommand_refuses_a_bad_configuration(clocksmith, tmp_path, words):
    path = tmp_path / "bad.conf"
    path.write_text("[announce]\ninterval = 7\n")
    assert f"{path}:2:" in refusal(clocksmith.run(*words, "--config", path, cwd=tmp_path), 1)


# MARK: Where it writes


@pytest.mark.parametrize(
    "path", ["/proc/clock.wav", "missing/clock.wav", "."])
def test_an_output_that_cannot_be_written_is_named(clocksmith, tmp_path, path):
    done = clocksmith.run(*RENDER, path, "--config", clocksmith.configuration(), cwd=tmp_path)
    assert f"write {path}" in refusal(done, 1)


def test_a_disk_that_fills_up_is_told_of_and_left_as_it_was(clocksmith, full_disk):
    path = full_disk / "clock.wav"
    path.write_bytes(b"the old announcement")
    done = clocksmith.run(*RENDER, path, "--config", clocksmith.configuration())
    sentence = refusal(done, 1)
    assert str(path) in sentence and "No space left" in sentence
    assert path.read_bytes() == b"the old announcement"
    assert list(full_disk.iterdir()) == [path]


@pytest.mark.parametrize("words", [["agenda"], ["status"], ["--help"]])
def test_a_full_standard_output_is_a_failure(clocksmith, words):
    if words[0] in ("agenda", "status"):
        words = [*words, "--config", clocksmith.configuration()]
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert "No space left" in refusal(clocksmith.run(*words, stdout=full), 1)


@pytest.mark.parametrize("words", [["say", "15:15"], ["voice", "try", VOICE, "15:15"]])
def test_what_is_said_and_cannot_be_printed_is_said_all_the_same(clocksmith, words):
    words = [*words, "--config", clocksmith.configuration()]
    with open("/dev/full", "w", encoding="utf-8") as full:
        told = refusal(clocksmith.run(*words, stdout=full), 1)
    assert told.endswith("No space left on device; it was done all the same")
