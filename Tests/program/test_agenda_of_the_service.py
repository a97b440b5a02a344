"""The service answers for its agenda, and the command prints the answer."""

import json
import time

import pytest

from message_bus import Refused, rfc3339, timestamp
from program import SILENT_ALSA, in_the_night
from service import Service

ALARM = "[alarm school]\ntime = 06:45\n"


@pytest.fixture
def caller(bus, on_the_bus, start):
    in_the_night(on_the_bus)
    service = start("interval = 1\nquiet = 12:00-13:00\nchime = westminster", ALARM)
    with bus.caller() as caller:
        caller.wait_for_service(service)
        yield caller


def printed(clocksmith, *words):
    done = clocksmith.run("agenda", "--json", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


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


def test_the_command_prints_what_the_service_answers(on_the_bus, caller):
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
    listed = printed(on_the_bus, "--from", shown[0], "--to", shown[1])
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


def test_a_longer_list_is_read_a_part_at_a_time(on_the_bus, caller):
    assert len(printed(on_the_bus, "--hours", 48)) == 48 * 60 + 2


@pytest.mark.parametrize("keys, words", [
    ({"from": "2026-06-02T00:00:00Z", "to": "2026-06-01T00:00:00Z"}, "to: it is before 'from'"),
    ({"to": "2000-06-01T00:00:00Z"}, "to: it is before 'from'"),
    ({"from": "today"}, 'from "today" is not allowed; write an instant, as 2026-12-24T18:00:00Z'),
    ({"to": 5}, "to 5 is not allowed; write an instant, as 2026-12-24T18:00:00Z"),
    ({"hours": 3}, "'hours' is not known; there are from, to"),
])
def test_what_is_no_stretch_of_time_is_refused(caller, keys, words):
    with pytest.raises(Refused) as refused:
        caller.ask("Agenda", **keys)
    assert (refused.value.name, refused.value.words) == ("org.freedesktop.DBus.Error.InvalidArgs", words)


def test_the_settings_are_the_service_s(on_the_bus, start):
    in_the_night(on_the_bus)
    start("interval = 30")
    assert [line["local"][14:16] for line in printed(on_the_bus, "--hours", 2)] == ["30", "00", "30", "00"]
    # A supposed list is the configuration's.
    assert len(printed(on_the_bus, "--hours", 2, "--config", on_the_bus.configuration())) == 8


def test_what_is_muted_in_the_running_service_is_not_promised(on_the_bus, start):
    in_the_night(on_the_bus)
    configuration = on_the_bus.configuration()
    start("")
    assert on_the_bus.run("mute", "2h").returncode == 0
    lines = printed(on_the_bus, "--hours", 4)
    assert len(lines) == 16 and {line["cause"] for line in lines} == {"occasion"}
    silent = [line["sounds"] for line in lines].index(True)
    assert silent in (8, 9)
    assert all("muted" in line["reason"] for line in lines[:silent])
    assert all(line["sounds"] for line in lines[silent:])
    assert all(line["sounds"] for line in printed(on_the_bus, "--hours", 4, "--config", configuration))


@pytest.mark.parametrize("policy", ["ask", "speak"])
def test_a_clock_that_is_not_trusted_is_noted(bus, on_the_bus, policy):
    in_the_night(on_the_bus)
    service = Service(
        on_the_bus, on_the_bus.configuration("chime = westminster"), "--untrusted", policy, alsa=SILENT_ALSA)
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
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
    finally:
        assert service.stop() == 0
