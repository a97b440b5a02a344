"""The agenda does not promise an occasion during which the last one still sounds."""

import json


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
