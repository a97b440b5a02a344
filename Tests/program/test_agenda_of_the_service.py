"""The service answers for its agenda, and the command prints the answer."""

import json
import time

import pytest

from message_bus import Refused, rfc3339, timestamp
from program import in_the_night

ALARM = "[alarm school]\ntime = 06:45\n"


@pytest.fixture
def service(on_the_bus, start):
    in_the_night(on_the_bus)
    return start("interval = 1\nquiet = 12:00-13:00\nchime = westminster", ALARM)


def every_part(caller, start, end):
    """The lines of all answers, and how many answers there were."""
    lines, count = [], 0
    while start < end:
        part = caller.ask("Agenda", **{"from": start, "to": end})
        assert start < part["until"] <= end and len(part["lines"]) < 120
        assert all(start <= line["instant"] < part["until"] for line in part["lines"])
        lines += part["lines"]
        start, count = part["until"], count + 1
    return lines, count


@pytest.mark.rule("silence-foretold")
def test_the_command_prints_what_the_service_answers(on_the_bus, service, caller):
    for words in [
        ("timer", "2h", "--name", "tea"), ("timer", "3h"), ("alarm", "04:44", "--tune", "westminster"),
        ("mute", "90m"), ("interval", "--work", "50m", "--rest", "10m", "--rounds", "3", "--countdown", "0"),
    ]:
        assert on_the_bus.run(*words).returncode == 0
    # Both are asked for a list from the same whole minute on.
    begin = int(time.time()) // 60 * 60 + 120
    local = int(timestamp(caller.ask("Agenda", **{"from": rfc3339(begin)})["lines"][0]["local"][:19] + "Z"))
    shown = [rfc3339(local + hours * 3600)[:16] for hours in (0, 14)]
    lines, count = every_part(caller, rfc3339(begin), rfc3339(begin + 14 * 3600))
    assert count > 5
    listed = on_the_bus.agenda("--from", shown[0], "--to", shown[1])
    # Each answer has the next signal of the interval, and the list only the first.
    signals = [line for line in listed if line["cause"] == "interval"]
    assert [line["signal"] for line in signals] == ["half", "end"] and signals[0]["work"] == 3000
    assert listed == [line for line in lines if line["cause"] != "interval" or line in signals]
    by_cause = {line["cause"]: line for line in listed}
    assert set(by_cause) == {"occasion", "alarm", "timer", "interval"}
    silent = [line["reason_key"] for line in listed if not line["sounds"]]
    assert silent.count("muted") > 60 and silent.count("quiet_hours") > 30
    names = [line.get("name") or line.get("tune") for line in listed if line["cause"] in ("alarm", "timer")]
    assert names == ["westminster", "tea", None, "school"]


def test_a_longer_list_is_read_a_part_at_a_time(on_the_bus, service):
    assert len(on_the_bus.agenda("--hours", 48)) == 48 * 60 + 2


@pytest.mark.parametrize("keys, words", [
    ({"from": "2026-06-02T00:00:00Z", "to": "2026-06-01T00:00:00Z"}, "to: it is before 'from'"),
    ({"to": "2000-06-01T00:00:00Z"}, "to: it is before 'from'"),
    ({"from": "today"}, 'from "today" is not allowed; write an instant, as 2026-12-24T18:00:00Z'),
    ({"to": 5}, "to 5 is not allowed; write an instant, as 2026-12-24T18:00:00Z"),
    ({"hours": 3}, "'hours' is not known; there are from, to"),
])
def test_what_is_no_stretch_of_time_is_refused(service, caller, keys, words):
    with pytest.raises(Refused) as refused:
        caller.ask("Agenda", **keys)
    assert (refused.value.name, refused.value.words) == ("org.freedesktop.DBus.Error.InvalidArgs", words)


def test_the_settings_are_the_service_s(on_the_bus, start):
    in_the_night(on_the_bus)
    start("interval = 30")
    assert [line["local"][14:16] for line in on_the_bus.agenda("--hours", 2)] == ["30", "00", "30", "00"]
    # A supposed list is the configuration's.
    assert len(on_the_bus.agenda("--hours", 2, "--config", on_the_bus.configuration())) == 8


@pytest.mark.parametrize("policy", ["ask", "speak"])
@pytest.mark.rule("silence-foretold")
def test_a_clock_that_is_not_trusted_is_noted(on_the_bus, start, policy):
    in_the_night(on_the_bus)
    service = start("chime = westminster", words=("--untrusted", policy))
    if json.loads(on_the_bus.run("status", "--json").stdout)["trust"] != "untrusted":
        pytest.skip("the clock of this machine is synchronised")
    done = on_the_bus.run("agenda", "--json", "--hours", "2")
    told = [line for line in done.stderr.splitlines() if "now silent" in line]
    assert told == ([] if policy == "speak" else [
        "clocksmith: note: now silent: the clock is not trusted; until it is, no time in this list is said, and "
        "no alarm rings"])
    assert all(json.loads(line)["sounds"] for line in done.stdout.splitlines())
    words = {"ask": "no time is said by itself", "speak": "it speaks all the same"}
    line, = service.matching("the clock is not synchronised: ")
    assert words[policy] in line and ("set 'untrusted = speak' in [clock]" in line) == (policy != "speak")
