"""A system bus that goes and comes back."""

import time

from sound_server import least_of_four, wait_until


def test_a_bus_that_returns_is_taken_back_at_once(door, bus, announcer):
    announcer()
    running = door().wait_for_announcer()

    def seconds():
        answers = len(running.matching("the announcer answers"))
        bus.stop()
        bus.start()
        begun = time.monotonic()
        announcer()
        wait_until(
            lambda: len(running.matching("the announcer answers")) > answers, 60, "its return")
        return time.monotonic() - begun
    assert least_of_four(seconds, 3) < 3
