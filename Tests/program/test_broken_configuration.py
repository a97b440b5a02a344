"""A typo in the configuration, beside a service that goes on with its old settings."""

import json
import re

import pytest

from program import in_the_night, refusal

TYPO = "/etc/clocksmith/conf.d/my.conf:2: interval = 7: allowed: minutes that divide 60"


@pytest.fixture
def typo(on_the_bus, etc):
    """The folder in /etc, with a typo, for commands on the bus."""
    in_the_night(on_the_bus)
    etc.environment = on_the_bus.environment
    (etc.folder / "conf.d/my.conf").write_text("[announce]\ninterval = 7\n")
    return etc


def test_the_status_of_the_running_clock_is_shown_with_the_error(typo, start):
    start()
    done = typo.run("status")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^now +\w", done.stdout) and "\nnext     04:00" in done.stdout
    assert re.search(
        rf"^settings {re.escape(TYPO)}.*; the clock keeps the settings that it has$", done.stdout, re.MULTILINE)
    done = typo.run("status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert seen["running"] and seen["configuration_error"].startswith(TYPO)
    (typo.folder / "conf.d/my.conf").write_text("[announce]\ninterval = 6\n")
    assert json.loads(typo.run("status", "--json").stdout).get("configuration_error") is None


def test_without_a_service_there_is_no_status_to_show(typo):
    assert TYPO in refusal(typo.run("status"), 1)
    assert TYPO in refusal(typo.run("status", "--follow"), 1)


def test_the_voices_are_listed_with_a_note(typo):
    done = typo.run("voice", "list")
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert f"note: the configuration cannot be used, so no voice has a star: {TYPO}" in done.stderr
    assert "\n  rms: " in done.stdout and "*" not in done.stdout


def test_a_voice_is_tried_with_a_note(typo):
    done = typo.run("voice", "try", "rms", "15:45")
    assert (done.returncode, done.stdout) == (0, "three forty-five P M\n")
    assert f"note: the configuration cannot be used, so the speaker is 'default': {TYPO}" in done.stderr


@pytest.mark.parametrize("words", [("list",), ("try", "rms")])
def test_a_configuration_that_was_named_must_have_no_error(clocksmith, words):
    configuration = clocksmith.configuration("interval = 7")
    assert "interval = 7" in refusal(clocksmith.run("voice", *words, "--config", configuration), 1)
