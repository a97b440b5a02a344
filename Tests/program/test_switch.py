"""A switch on a machine that has no GPIO: what is missing is said, and nothing is made up."""

import glob

import pytest

from program import refusal

pytestmark = pytest.mark.skipif(
    bool(glob.glob("/dev/gpiochip*")), reason="SKIP: this machine has GPIO chips of its own")


@pytest.mark.parametrize("line", ["none", "GPIO17"])
def test_there_is_nothing_to_show_live(clocksmith, line):
    configuration = clocksmith.configuration(rest=f"[switch]\nline = {line}")
    done = clocksmith.run("check", "--switch", "--config", configuration)
    assert "this machine has no GPIO chip" in refusal(done, 1)
    assert done.stdout == ""


@pytest.mark.parametrize("section", ["switch", "button", "led"])
def test_check_finds_what_is_set_and_not_there(clocksmith, section):
    configuration = clocksmith.configuration(rest=f"[{section}]\nline = GPIO17")
    done = clocksmith.run("check", "--config", configuration)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith(f"FOUND {section} ")]
    others = {"switch", "button", "led"} - {section}
    assert all([line for line in lines if line.split() == ["ok", other, "none"]] for other in others)


@pytest.mark.parametrize("silences, told", [("everything", False), ("announcements", True)])
def test_check_says_that_there_are_no_timers_to_let_through(clocksmith, silences, told):
    configuration = clocksmith.configuration(rest=f"[switch]\nsilences = {silences}")
    done = clocksmith.run("check", "--config", configuration)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("ok    switch ")]
    assert ("'silences = announcements' does nothing yet" in line) is told
