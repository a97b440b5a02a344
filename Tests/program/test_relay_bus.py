"""A system bus that goes and comes back."""

import signal
import time

from jeepney import DBusAddress, new_signal

from message_bus import NAME, PATH
from pretended_announcer import PretendedAnnouncer
from sound_server import least_of_four, wait_until
from standstill import stand_still


def test_a_call_that_sees_first_that_the_bus_has_gone_says_so_in_the_same_words(
        door, bus, announcer):
    clock = announcer()
    running = door().wait_for_announcer()
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
    running = door().wait_for_announcer()

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
