"""A phone is registered over MQTT."""

import relay as parts
from pretended_apns import PretendedAPNs, make_provider_key
from push import APNS, TOPIC, PushRelay, token


def test_a_device_is_registered_over_mqtt(on_the_bus, tmp_path, relay_to):
    parts.need_relay()
    apns = PretendedAPNs(tmp_path)
    key = tmp_path / "mqtt.p8"
    make_provider_key(key)
    broker = parts.Broker(tmp_path)
    heard = broker.listen(f"{parts.CLOCK}/#")
    try:
        running = relay_to(broker.port, rest=APNS.format(
            topic=TOPIC, key=key, host=apns.host, authority=apns.authority, rest=""))
        # The relay subscribes to commands before it publishes its availability.
        heard.wait_for(f"{parts.CLOCK}/availability")
        order = {"command": "device_add", "token": token(7), "events": "alarm"}
        broker.publish(parts.COMMAND, order)
        running.wait_for("carried out device_add")
        broker.publish(parts.COMMAND, order | {"token": "none"})
        assert "not an APNs token" in running.wait_for("refused")
        broker.publish(parts.COMMAND, {"command": "device_remove", "token": token(8)})
        running.wait_for("no device has this token")
        assert token(7) not in running.log.read_text()
        PushRelay.command(on_the_bus, "push", "hello")
        assert [request.token for request in apns.wait_for(1)] == [token(7)]
        broker.publish(parts.COMMAND, {"command": "device_remove", "token": token(7)})
        running.wait_for("carried out device_remove")
        assert PushRelay.command(on_the_bus, "device", "list") == ""
    finally:
        broker.close()
        apns.stop()


def test_a_device_is_not_registered_where_nothing_is_pushed(tmp_path, relay_to):
    parts.need_relay()
    broker = parts.Broker(tmp_path)
    heard = broker.listen(f"{parts.CLOCK}/#")
    try:
        running = relay_to(broker.port)
        # The relay subscribes to commands before it publishes its availability.
        heard.wait_for(f"{parts.CLOCK}/availability")
        broker.publish(parts.COMMAND, {"command": "device_add", "token": token(7)})
        running.wait_for("no [apns] is configured for this clock")
    finally:
        broker.close()
