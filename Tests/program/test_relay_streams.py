"""The connection to APNs: what is sent on it, and what follows when it ends."""

import collections

import pytest

import relay as parts
from pretended_apns import PretendedAPNs, make_provider_key
from push import APNS, TOPIC, token


@pytest.fixture
def publish(tmp_path, push_relay):
    """Starts a relay for this server, with this many devices."""
    key = tmp_path / "provider.p8"
    make_provider_key(key)

    def publish(server, devices):
        running = push_relay(APNS.format(
            topic=TOPIC, key=key, host=server.host, authority=server.authority, rest=""))
        running.command(
            "device", "add", "-", given="".join(f"{token(number)}\n" for number in range(devices)))
        running.push()
        return running
    return publish


@pytest.fixture
def apns(tmp_path):
    """Makes servers."""
    parts.need_relay()
    made = []

    def apns(**options):
        made.append(PretendedAPNs(tmp_path, **options))
        return made[-1]
    yield apns
    for server in made:
        server.stop()


def test_a_server_that_takes_few_at_a_time_gets_all(apns, publish):
    server = apns(streams=3)
    publish(server, 100).wait_for("100 accepted", 60)
    assert server.connections == 1 and len(set(server.tokens())) == 100


def test_what_a_server_has_not_looked_at_is_sent_on_the_next_connection_at_once(apns, publish):
    answered = collections.Counter()

    def leave_once(request):
        if len(server.requests) == 150:
            return "goaway"
        answered[request.token] += 1
        return 200, {}
    server = apns(answer=leave_once)
    running = publish(server, 300)
    running.wait_for("300 accepted", 60)
    assert len(answered) == 300 and set(answered.values()) == {1}
    assert server.connections == 2
    assert not running.matching("it is tried again")


def test_an_idle_connection_that_the_server_closes_is_replaced_in_silence(apns, publish):
    server = apns()
    running = publish(server, 2)
    running.wait_for("2 accepted")
    server.stop()
    server.listen()
    running.push("and again")
    running.wait_for('"and again": 2 accepted', 60)
    assert server.connections == 2 and not running.matching("it is tried again")
