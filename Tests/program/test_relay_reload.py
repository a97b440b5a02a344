"""A relay with a new configuration: what it clears away, and what goes on."""

import relay as parts
from relay import CLOCK, COMMAND

OLD = "homeassistant/device/clocksmith_hall/config"
NEW = "homeassistant/device/clocksmith_gym/config"


def test_a_clock_with_another_name_leaves_nothing_behind(broker, relay_to, announcer):
    announcer()
    heard = broker.listen("#")
    relay = relay_to(broker.port)
    heard.wait_for(OLD)
    heard.wait_for(f"{CLOCK}/availability", lambda payload: payload == "online")
    relay.configure(broker.port, name="gym")
    relay.process.send_signal(1)
    relay.wait_for("reloaded: clocksmith/clock/gym")
    heard.wait_for(NEW)
    heard.wait_for(f"{CLOCK}/state", lambda payload: not payload)
    heard.wait_for(f"{CLOCK}/availability", lambda payload: not payload)
    heard.wait_for(OLD, lambda payload: not payload)
    late = broker.listen("#")
    late.wait_for("clocksmith/clock/gym/availability")
    # This comes behind everything that the broker has kept.
    broker.publish("last", "of all")
    late.wait_for("last")
    assert not late.payloads(OLD)


def test_a_reload_of_what_is_not_the_brokers_leaves_its_connection(
        relay_to, announcer, pretended):
    announcer()
    broker = pretended()
    relay = relay_to(broker.port)
    relay.wait_for("connected to")
    relay.configure(broker.port, "[ntfy phone]\nserver = http://127.0.0.1:9\ntopic = bells\n[http]\nface = yes\nrate = 5")
    relay.process.send_signal(1)
    relay.wait_for("reloaded")
    relay.wait_for("'rate' in [http] has no effect any more; remove it")
    broker.send(COMMAND, b"{")
    relay.wait_for("it ends too early")
    assert (len(broker.clients), broker.endings) == (1, [])


def test_a_reload_of_a_wrong_file_changes_nothing(broker, relay_to, announcer):
    told = announcer()
    relay = relay_to(broker.port)
    relay.wait_for("connected to")
    relay.wait_for("the announcer answers")
    relay.configuration.write_text("[mqtt]\nbroker = a\nqos = 2\n")
    relay.process.send_signal(1)
    relay.wait_for("unknown key 'qos' in [mqtt]")
    assert relay.matching("the configuration stays as it was")
    broker.publish(COMMAND, {"command": "stop"})
    parts.wait_until(lambda: "Stop" in told.calls, 60, "the command")
