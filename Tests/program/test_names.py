"""Names of timers and alarms that look like options: they follow --, as getopt(3) has it."""

import pytest

from program import in_the_night, refusal


@pytest.mark.parametrize("kind, time", [("timer", "10m"), ("alarm", "07:00")])
def test_a_name_that_begins_with_a_dash_follows_two_dashes(on_the_bus, start, kind, time):
    in_the_night(on_the_bus)
    start()
    for name in ("-3", "-x", "--json"):
        assert on_the_bus.run(kind, time, "--name", name).returncode == 0
        told = refusal(on_the_bus.run(kind, "cancel", name), 2)
        assert name != "-3" or told == (
            f"clocksmith: '-3' is below zero, and '{kind}' takes nothing below zero; if it is a name, "
            "write -- before it")
        done = on_the_bus.run(kind, "cancel", "--", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert on_the_bus.run(kind, "list").stdout == f"no {kind}\n"
