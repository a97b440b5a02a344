"""Options as people give them: twice, by a letter, or without the option's name."""

import subprocess

import pytest

from program import PROGRAM, in_the_night, refusal
from relay import RELAY


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
