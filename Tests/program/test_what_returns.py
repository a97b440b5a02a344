"""A bus that goes and comes back, without a watchdog. The service notices that within a minute, so
this file runs late: most of the minute has passed by now."""


def test_a_bus_that_returns_is_taken_back_without_a_watchdog(one_minute):
    assert one_minute.without_a_bus.matching("the system bus has gone")
    one_minute.without_a_bus.wait_for("the system bus is back", 120)
