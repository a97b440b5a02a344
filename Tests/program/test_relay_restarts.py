"""A broker that is killed and started many times: nothing is lost, and nothing is done twice.

CLOCKSMITH_BROKER_RESTARTS=100 takes 18 minutes.
"""

import os
import random

from program import SILENT_ALSA
from relay import CLOCK, COMMAND
from service import Service
from sound_server import wait_until

RESTARTS = int(os.environ.get("CLOCKSMITH_BROKER_RESTARTS") or 2)


def test_a_broker_that_is_restarted_loses_and_doubles_nothing(broker, bus, on_the_bus, relay_to):
    announcer = Service(
        on_the_bus, on_the_bus.configuration("interval = 60\nvoice_at_hour = none"),
        alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(announcer)
    relay = relay_to(broker.port)
    relay.wait_for("connected to")
    chance = random.Random(1)
    losses = 0
    for number in range(RESTARTS):
        if chance.random() < 0.5:
            broker.kill()
        else:
            broker.daemon.terminate()
            broker.daemon.wait(60)
        wait_until(lambda: len(relay.matching("it is tried again")) > losses, 60, "the loss")
        broker.start()
        heard = broker.listen("clocksmith/#", "homeassistant/#")
        # This broker has kept nothing, so everything is published again.
        heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online", 150)
        heard.wait_for_state(lambda state: len(state["timers"]) == number)
        wait_until(
            lambda: any("/config" in topic for topic, _, _ in heard.messages), 60, "the discovery")
        order = {"command": "timer", "seconds": 80_000, "name": f"t{number}", "id": f"id{number}"}
        broker.publish(COMMAND, order)
        broker.publish(COMMAND, order)
        heard.wait_for_state(lambda state: len(state["timers"]) == number + 1)
        # Only after this line does the relay count the connection as a good one.
        wait_until(
            lambda: len(relay.matching("is back")) == number + 1, 150, "the broker to be back")
        losses = len(relay.matching("it is tried again"))
        heard.close()
    listed = on_the_bus.run("timer", "list").stdout.splitlines()
    assert [line.split('"')[1] for line in listed] == [f"t{number}" for number in range(RESTARTS)]
    assert announcer.stop() == 0
