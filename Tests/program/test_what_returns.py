"""What was lost and comes back, without a watchdog. It is noticed within a minute, so this is the last
file: by now the minute has passed."""


def test_a_bus_that_returns_is_taken_back_without_a_watchdog(one_minute):
    assert one_minute.without_a_bus.matching("the system bus has gone")
    one_minute.without_a_bus.wait_for("the system bus is back", 70)
