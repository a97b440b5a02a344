"""Calls over the bus that nobody should make, or at a moment when nobody can answer."""

import importlib.util
import os
import pwd
import signal

import pytest
from jeepney import Properties

from message_bus import ADDRESS, Refused
from program import ROOT, refusal


@pytest.fixture
def service(start):
    return start()


@pytest.fixture
def caller(bus, service):
    with bus.caller() as caller:
        caller.wait_for_service(service)
        yield caller


def test_no_message_of_whatever_form_goes_unanswered(caller, service):
    specification = importlib.util.spec_from_file_location("fuzz_bus", ROOT / "Tests/fuzz/bus.py")
    fuzzer = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(fuzzer)
    assert fuzzer.fuzz(caller.connection, 1, range(1000)) == []
    assert service.is_alive() and caller.get("Trust")
    made = [fuzzer.make(1, number) for number in range(100)]
    assert len(set(map(repr, made))) > 50 and repr(made) == repr([fuzzer.make(1, n) for n in range(100)])


def test_a_call_that_the_service_meets_at_its_end_is_left_unanswered(bus, start):
    service = start()
    with bus.caller() as caller:
        caller.wait_for_service(service)
        service.stand_still()
        caller.connection.send(Properties(ADDRESS).get_all())
        # The bus has passed the call on when it answers the next one.
        caller.wait_for_service(service)
        service.signal(signal.SIGTERM)
        service.signal(signal.SIGCONT)
        assert service.process.wait(60) == 0
        with pytest.raises(Refused, match="NoReply"):
            raise Refused(caller.connection.receive(timeout=60))


def test_what_is_refused_has_a_key(caller, service):
    for method, keys, error in [
            ("Announce", {"time": "24:00"}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("Mute", {"for": 2**63 - 1}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("StartTimer", {"seconds": "60"}, "org.freedesktop.DBus.Error.InvalidArgs"),
            ("StartTimer", {"seconds": 60, "name": "12"}, "org.clocksmith.Error.Name"),
            ("SetAlarm", {"time": "07:00", "days": "2020-01-01"}, "org.clocksmith.Error.Over"),
            ("PauseTimer", {"timer": "tea"}, "org.clocksmith.Error.UnknownTimer")]:
        with pytest.raises(Refused) as refused:
            caller.ask(method, **keys)
        assert refused.value.name == error, (method, keys)


def test_who_may_not_act_is_told_how_to_be_let(on_the_bus, announcer):
    announcer(lambda member: "org.freedesktop.DBus.Error.AccessDenied")
    user = pwd.getpwuid(os.getuid()).pw_name
    assert refusal(on_the_bus.run("mute"), 1) == (
        "clocksmith: clocksmith.service: only root and members of the group audio may do that; run 'sudo adduser "
        f"{user} audio' and log in again")
