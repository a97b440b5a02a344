"""Tunes that can never sound: the service warns at the start. The agenda does not promise an occasion
during which the last one still sounds."""

import json

import pytest

from program import about
from service import Service

NEVER = {
    "a tune without quarters": (
        "chime_quarters = bigben",
        "chime_quarters = bigben never sounds: the tune has nothing for the other quarters; "
        "set it to none"),
    "quarters at the hours alone": (
        "chime_quarters = westminster\ninterval = 60",
        "chime_quarters = westminster never sounds: at interval = 60 no occasion is a quarter"),
}
SOUNDING = [
    "", "chime = westminster\nchime_quarters = westminster", "chime = bigben\ninterval = 60", "interval = 1",
]


def chime_line(clocksmith, configuration):
    done = clocksmith.run("check", "--config", configuration)
    line = about(done, "chime")
    return done.returncode, line


@pytest.mark.parametrize("cause", NEVER)
def test_check_finds_it(clocksmith, cause):
    announce, words = NEVER[cause]
    status, line = chime_line(clocksmith, clocksmith.configuration(announce))
    assert status == 3 and line.startswith("FOUND") and words in line


def test_the_service_tells_of_it_at_the_start(clocksmith):
    announce, words = NEVER["a tune without quarters"]
    service = Service(
        clocksmith, clocksmith.configuration(announce),
        "--output", clocksmith.folder / "played.wav", alsa="")
    service.wait_for("started:")
    service.wait_for(words.replace("(", r"\("))
    assert service.stop() == 0


def test_quiet_hours_all_week_leave_the_alarms(clocksmith):
    configuration = clocksmith.configuration(
        "quiet = 00:00-23:59", "[alarm x]\ntime = 07:00")
    done = clocksmith.run("agenda", "--json", "--zone", "UTC", "--config", configuration)
    assert (done.returncode, done.stderr) == (0, "")
    sounding = [line for line in map(json.loads, done.stdout.splitlines()) if line["sounds"]]
    assert [line["name"] for line in sounding] == ["x"]


def test_what_comes_while_a_long_tune_sounds_is_not_promised(clocksmith):
    tune = clocksmith.folder / "endless.tune"
    notes = "notes = E3 20 E3 20 E3 20 E3 20\n" * 49
    tune.write_text(f"[tune]\ndescription = 65 minutes\n[hour]\n{notes}notes = E3\n")
    announce = f"chime = {tune}\ninterval = 60"
    lines = clocksmith.agenda("UTC", "2026-11-21T00:00", "2026-11-22T00:00", announce)
    assert len(lines) == 24
    sounding = [line["sounds"] for line in lines]
    assert sum(sounding) == 12 and all(a != b for a, b in zip(sounding, sounding[1:]))


def test_what_comes_while_noon_still_rings_is_not_promised(clocksmith):
    lines = clocksmith.agenda(
        "UTC", "2026-11-21T11:58", "2026-11-21T12:04", "chime = westminster\ninterval = 1")
    assert [line["sounds"] for line in lines] == [True, True, True, False, True, True]
    assert lines[2]["strikes"] == 12 and lines[3]["reason"]


@pytest.mark.parametrize("announce", SOUNDING)
def test_what_sounds_is_found_well(clocksmith, announce):
    assert chime_line(clocksmith, clocksmith.configuration(announce))[1].startswith("ok")
