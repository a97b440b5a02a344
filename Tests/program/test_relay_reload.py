"""A relay with a new configuration: what it clears away, and what goes on."""

import sqlite3

import pytest

import relay as parts
from relay import COMMAND, discovery



def retained(broker):
    """The topics whose last message the broker keeps."""
    late = broker.listen("#")
    # This comes behind everything that the broker has kept.
    broker.publish("last", "of all")
    late.wait_for("last")
    return {topic for topic, payload, is_retained in late.messages if is_retained and payload}


def own(name="hall"):
    return {discovery(), f"clocksmith/clock/{name}/availability", f"clocksmith/clock/{name}/state"}


def wait_for_only(broker, topics):
    parts.wait_until(lambda: retained(broker) == topics, 60, f"only {topics}, not {retained(broker)}")


def changed(relay, relay_to, by, port, rest="", name="hall"):
    """The relay with another configuration, after a reload or after a new start."""
    if by == "reload":
        relay.configure(port, rest, name=name)
        relay.process.send_signal(1)
        relay.wait_for("reloaded")
        return relay
    assert relay.stop() == 0
    return relay_to(port, rest, name=name)


@pytest.mark.parametrize("by", ["reload", "restart"])
@pytest.mark.parametrize("change", ["name", "prefix", "discovery"])
def test_a_clock_with_other_topics_leaves_nothing_behind(broker, relay_to, announcer, by, change):
    announcer()
    # What version 0.9.0 has left.
    broker.publish("homeassistant/device/clocksmith_hall/config", "{}", "-r")
    relay = relay_to(broker.port)
    wait_for_only(broker, own())
    options, left = {
        "name": ({"name": "gym"}, own("gym")),
        "prefix": ({"rest": "prefix = bells"}, {discovery(), "bells/clock/hall/state", "bells/clock/hall/availability"}),
        "discovery": ({"rest": "discovery = none"}, own() - {discovery()})}[change]
    changed(relay, relay_to, by, broker.port, **options)
    wait_for_only(broker, left)


@pytest.mark.parametrize("by", ["reload", "restart"])
def test_a_clock_with_another_broker_leaves_nothing_at_the_former(
        broker, relay_to, announcer, tmp_path, by):
    announcer()
    relay = relay_to(broker.port)
    wait_for_only(broker, own())
    (tmp_path / "other").mkdir()
    other = parts.Broker(tmp_path / "other")
    try:
        changed(relay, relay_to, by, other.port)
        wait_for_only(broker, set())
        wait_for_only(other, own())
    finally:
        other.close()


def test_a_former_broker_that_is_gone_is_told_of_once(broker, relay_to, announcer, tmp_path):
    announcer()
    (tmp_path / "other").mkdir()
    other = parts.Broker(tmp_path / "other")
    relay = relay_to(other.port)
    wait_for_only(other, own())
    relay.stop()
    other.close()
    told = "what this clock has left there stays"
    relay = relay_to(broker.port)
    relay.wait_for(told)
    with sqlite3.connect(relay.log.parent / "state/register.sqlite") as register:
        assert {int(port) for port, in register.execute("SELECT port FROM retained")} == {broker.port}


def test_a_broker_with_another_name_keeps_what_is_there(broker, relay_to, announcer):
    announcer()
    relay = relay_to(broker.port)
    wait_for_only(broker, own())
    assert relay.stop() == 0
    heard = broker.listen(discovery())
    relay = relay_to(broker.port, host="localhost")
    relay.wait_for("cleared what this clock had left at 127.0.0.1")
    wait_for_only(broker, own())
    assert all(heard.payloads(discovery()))


def test_what_a_clock_that_had_the_name_before_clears_is_there_again_soon(broker, relay_to, announcer):
    clock = announcer()
    relay_to(broker.port)
    wait_for_only(broker, own())
    for topic in own() - {discovery()}:
        broker.publish(topic, "", "-r")
    wait_for_only(broker, {discovery()})
    clock.change(Muted=("b", True))
    wait_for_only(broker, own())


def test_a_reload_of_what_is_not_the_brokers_leaves_its_connection(
        relay_to, announcer, pretended):
    announcer()
    broker = pretended()
    relay = relay_to(broker.port)
    relay.wait_for("connected to")
    relay.configure(broker.port, "[ntfy phone]\nserver = http://127.0.0.1:9\ntopic = bells\n[http]\nface = yes")
    relay.process.send_signal(1)
    relay.wait_for("reloaded")
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
