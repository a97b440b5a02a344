"""The simulator as a program: what it prints, and how it ends."""

import os
import pathlib
import signal
import subprocess

import pytest

from program import PROGRAM

SIMULATE = pathlib.Path(os.environ.get("CLOCKSMITH_SIMULATE", PROGRAM.with_name("clocksmith-simulate")))
pytestmark = pytest.mark.skipif(
    not SIMULATE.is_file(), reason="SKIP: clocksmith-simulate is not built; set CLOCKSMITH_SIMULATE")


def test_every_zone_has_a_line_as_it_ends_and_sigint_tells_what_was_done():
    # Long enough that it is not over before the signal comes.
    words = ["--zone", "all", "--years", "0.1", "--faults", "none"]
    with subprocess.Popen(
            [SIMULATE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        first = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        assert running.wait(60) == 130
    assert first.startswith("zone: Africa/Abidjan, soundings ")
    assert first.endswith(", violations 0\n")
    assert "violations: 0" in rest
    assert "interrupted: " in rest


@pytest.mark.parametrize("words, told", [
    (["--years"], "'--years' needs an argument; see 'clocksmith-simulate --help'"),
    (["--year", "1", "more"], "unexpected 'more'; write words that belong together in quotes; see 'clocksmith-simulate --help'"),
    (["--seed", "-1"], "--seed '-1' is not a whole number of at least 0"),
    (["--zone", "Nowhere/Town"], "Nowhere/Town"),
])
def test_a_wrong_command_line_is_told_with_what_is_right(words, told):
    done = subprocess.run([SIMULATE, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == "" and told in done.stderr
