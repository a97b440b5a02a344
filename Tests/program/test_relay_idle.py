"""A relay with nothing to do sleeps, because a processor that is woken never rests."""

import time

from relay import CLOCK
from sound_server import least_of_four

SECONDS = 12


def test_a_relay_at_rest_wakes_a_few_times_a_minute(broker, start, relay_to):
    heard = broker.listen(f"{CLOCK}/#")
    start()
    relay = relay_to(broker.port)
    heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
    heard.wait_for_state(lambda state: state["trust"])

    def wakeups():
        time.sleep(2)
        before = relay.wakeups()
        time.sleep(SECONDS)
        return relay.wakeups() - before

    # It checks the connection every 10 s, pings every 30 s, and may see a new minute reported. On a
    # busy machine, what it did at first may come late.
    assert least_of_four(wakeups, 7) <= 6
