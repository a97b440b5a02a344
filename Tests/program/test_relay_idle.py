"""A relay with nothing to do sleeps, because a processor that is woken never rests."""

import time

import pytest

import relay as parts
from relay import CLOCK, Broker

SECONDS = 12


@pytest.fixture
def broker(tmp_path):
    parts.need_relay()
    broker = Broker(tmp_path)
    yield broker
    broker.close()


def test_a_relay_at_rest_wakes_a_few_times_a_minute(broker, start, relay_to):
    heard = broker.listen(f"{CLOCK}/#")
    start()
    relay = relay_to(broker.port)
    heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
    heard.wait_for_state(lambda state: state["trust"])
    time.sleep(2)
    before = relay.wakeups()
    time.sleep(SECONDS)
    # It checks the connection every 10 s, pings every 30 s, and may see a new minute reported.
    assert relay.wakeups() - before <= 6
