"""A system bus that goes and comes back."""

import signal
import time

from jeepney import DBusAddress, new_signal

from http_door import refused
from message_bus import NAME, PATH
from pretended_announcer import PretendedAnnouncer
from sound_server import least_of_four, wait_until
from standstill import stand_still


def test_until_the_clock_is_back_on_a_bus_that_is_back_it_may_run(door, bus, announcer):
    announcer()
    running = door("rate = none").wait_for_announcer()
    bus.stop()
    running.wait_for("the clock is published as offline until")
    bus.start()
    stop = {"command": "stop"}
    wait_until(
        lambda: refused(running.order(stop), 503, "absent")
        == "'stop': the announcer has not come back to the system bus yet", 60, "the bus")
    announcer()
    wait_until(lambda: running.order(stop).status == 200, 60, "the clock")


def test_a_call_that_sees_first_that_the_bus_has_gone_says_so_in_the_same_words(
        door, bus, announcer):
    clock = announcer()
    running = door("rate = none").wait_for_announcer()
    with bus.caller() as caller:
        changes = caller.listen()
        stand_still(running.process)
        clock.connection.send(new_signal(
            DBusAddress(PATH, interface="org.freedesktop.DBus.Properties"), "PropertiesChanged",
            "sa{sv}as", (NAME, {}, [])))
        caller.next_signal(changes, "PropertiesChanged")
        bus.stop()
    running.process.send_signal(signal.SIGCONT)
    bus.start()
    # It reads the change, and asks on a bus that is no longer there.
    lost = running.wait_for("the clock is published as offline until")
    assert "the system bus has gone; the clock is" in lost


def test_a_bus_that_returns_is_taken_back_at_once(door, bus):
    made = [PretendedAnnouncer(bus.address)]
    running = door("rate = none").wait_for_announcer()

    def seconds():
        answers = len(running.matching("the announcer answers"))
        bus.stop()
        bus.start()
        begun = time.monotonic()
        made.append(PretendedAnnouncer(bus.address))
        wait_until(
            lambda: len(running.matching("the announcer answers")) > answers, 60, "its return")
        return time.monotonic() - begun
    try:
        assert least_of_four(seconds, 3) < 3
    finally:
        for each in made:
            each.close()


def test_what_a_clock_has_taken_is_not_sent_to_it_again_because_the_bus_was_away(
        door, bus, announcer):
    announcer()
    running = door("rate = none").wait_for_announcer()

    def is_back_before(instant):
        """Whether the bus and the clock come back so early that the relay could send it again."""
        handed = len(running.matching("handed announce to the clock"))
        assert running.order({"command": "announce", "at": instant}).status == 200
        wait_until(
            lambda: len(running.matching("handed announce to the clock")) > handed, 60, "the call")
        bus.stop()
        wait_until(lambda: running.state().status == 503, 60, "the loss")
        bus.start()
        wait_until(
            lambda: not running.state().body["error"].startswith("the system bus"), 60, "the bus")
        back = announcer()
        wait_until(lambda: running.state().status == 200, 60, "the clock")
        is_early = time.time() < instant - 0.5
        assert "Announce" not in back.calls
        return is_early

    assert any(is_back_before(time.time() + 4.5) for _ in range(4)), "the bus came back too late"


def test_a_clock_that_was_never_on_the_bus_is_not_said_to_come_back(door, bus):
    bus.stop()
    running = door("rate = none")
    bus.start()
    words = wait_until(
        lambda: not (words := running.state().body["error"]).startswith("cannot") and words, 60,
        "the bus")
    assert words == "the announcer does not run"
