"""What is published to APNs, and what follows from each answer."""

import base64
import collections
import json
import signal
import ssl
import threading
import time

import pytest

import relay as parts
from pretended_apns import PretendedAPNs, is_signed, make_certificate, make_provider_key
from push import APNS, TOPIC, PushRelay, token
from sound_server import wait_until


@pytest.fixture
def apns(tmp_path):
    parts.need_relay()
    server = PretendedAPNs(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def relay(on_the_bus, tmp_path, apns):
    """Starts a relay with this many registered devices."""
    started = []
    key = tmp_path / "provider.p8"
    make_provider_key(key)

    def relay(devices=0, rest="", host=None, authority=None, words=()):
        text = APNS.format(
            topic=TOPIC, key=key, host=host or apns.host, authority=authority or apns.authority,
            rest=rest)
        relay = PushRelay(on_the_bus.environment, tmp_path, text)
        started.append(relay)
        relay.wait_for("started")
        if devices:
            tokens = "".join(f"{token(number)}\n" for number in range(devices))
            relay.command("device", "add", "-", *words, given=tokens)
        return relay

    yield relay
    for each in started:
        assert each.stop() in (0, -signal.SIGKILL)


def refuse(status, reason, **more):
    return status, {"reason": reason, **more}


def test_words_are_sent_to_every_device_over_one_connection(apns, relay, tmp_path):
    running = relay(devices=300)
    running.push("the bell is at ten")
    running.wait_for('published "the bell is at ten": 300 accepted', 60)
    assert sorted(apns.tokens()) == [token(number) for number in range(300)]
    assert apns.connections == 1
    request = apns.requests[0]
    assert request.headers[":path"] == f"/3/device/{request.token}"
    assert request.headers["apns-topic"] == TOPIC
    assert request.headers["apns-push-type"] == "alert"
    assert request.headers["apns-priority"] == "10"
    assert 86_000 < int(request.headers["apns-expiration"]) - time.time() < 87_000
    assert len({request.headers["apns-id"] for request in apns.requests}) == 300
    assert request.payload["aps"]["alert"] == {
        "title": "clocksmith", "body": "the bell is at ten"}
    bearer, _, web_token = request.headers["authorization"].partition(" ")
    assert bearer == "bearer"
    assert is_signed(web_token, tmp_path / "provider.pub", tmp_path)
    header, claims = (json.loads(base64.urlsafe_b64decode(part + "=="))
                      for part in web_token.split(".")[:2])
    assert header["kid"] == "ABC123DEFG" and claims["iss"] == "DEF123GHIJ"
    assert abs(claims["iat"] - time.time()) < 600


def test_only_a_phone_that_has_gone_gets_no_more(apns, relay):
    reasons = {
        0: (200, {}), 1: refuse(410, "Unregistered"), 2: refuse(400, "BadDeviceToken"),
        # It was registered after this timestamp.
        3: refuse(410, "Unregistered", timestamp=1000),
    }
    apns.answer = lambda request: reasons[int(request.token, 16)]
    running = relay(devices=4)
    running.push()
    assert "refused, BadDeviceToken: the token is wrong" in running.wait_for("1 accepted, 3 refused")
    [gone] = running.command("feedback").splitlines()
    assert token(1) in gone and "Unregistered" in gone
    apns.requests.clear()
    apns.answer = lambda request: (200, {})
    running.push("again")
    running.wait_for('"again": 3 accepted')
    assert sorted(apns.tokens()) == [token(0), token(2), token(3)]


@pytest.mark.parametrize("refusal", [
    refuse(400, "TopicDisallowed"), refuse(403, "InvalidProviderToken"),
], ids=["wrong topic", "wrong key"])
def test_a_fault_of_this_clock_is_told_once_and_holds_up_all(apns, relay, refusal):
    apns.answer = lambda request: refusal
    running = relay(devices=50)
    running.push()
    running.wait_for(f"APNs refuses this clock: {refusal[1]['reason']}")
    # Sixteen are on their way at once.
    apns.wait_for(32)
    apns.answer = lambda request: (200, {})
    running.wait_for("50 accepted", 60)
    assert len(running.matching("APNs refuses this clock")) == 1
    assert running.command("feedback") == ""


def test_a_phone_of_another_app_is_refused_and_holds_up_no_other(apns, relay):
    apns.answer = lambda request: (
        refuse(400, "DeviceTokenNotForTopic") if request.token == token(1) else (200, {}))
    running = relay(devices=3)
    running.push()
    running.wait_for(
        "2 accepted, 1 refused (apns production: refused, DeviceTokenNotForTopic)")
    assert running.command("feedback") == ""
    assert not running.matching("it is tried again")


@pytest.mark.parametrize("answer", [
    refuse(503, "ServiceUnavailable"), "reset", "goaway", "close", "garbage", "empty",
], ids=lambda answer: answer if isinstance(answer, str) else answer[1]["reason"])
def test_what_may_be_accepted_later_is_tried_again(apns, relay, answer):
    tries = collections.Counter()

    def once(request):
        tries[request.token] += 1
        return answer if tries[request.token] == 1 and int(request.token, 16) == 3 else (200, {})
    apns.answer = once
    running = relay(devices=8)
    running.push()
    running.wait_for("8 accepted", 60)
    assert tries[token(3)] == 2
    first, second = (request for request in apns.requests if request.token == token(3))
    assert first.headers["apns-id"] == second.headers["apns-id"]


def test_a_server_that_is_not_there_is_told_once_and_waited_for(apns, relay):
    apns.stop()
    running = relay(devices=20)
    running.push()
    running.wait_for("it is tried again")
    # Time for two more attempts.
    time.sleep(4)
    apns.listen()
    running.wait_for("is back", 60)
    running.wait_for("20 accepted", 60)
    assert len(running.matching("it is tried again")) == 1


def test_after_a_kill_the_rest_is_sent_and_what_was_not_noted_is_sent_again_with_its_id(apns, relay):
    is_killed = threading.Event()

    def hold_up(_):
        """After 600 of them, nothing is answered until the kill."""
        if len(apns.requests) > 600:
            is_killed.wait(60)
        return 200, {}
    apns.answer = hold_up
    running = relay(devices=2000)
    running.push()
    apns.wait_for(600)
    running.process.kill()
    running.process.wait(60)
    is_killed.set()
    again = relay()
    wait_until(lambda: again.waiting() == 0, 60, "the rest")
    counts = collections.Counter(apns.tokens())
    assert len(counts) == 2000
    twice = [each for each, count in counts.items() if count > 1]
    # Those that were in flight.
    assert len(twice) <= 20
    ids = {(each.token, each.headers["apns-id"]) for each in apns.requests}
    assert len(ids) == 2000


@pytest.mark.parametrize("host, days, told", [
    ("DNS:elsewhere", 30, "no alternative certificate subject name matches"),
    ("DNS:localhost", -1, "certificate has expired"),
], ids=["of another name", "expired"])
def test_a_certificate_that_does_not_fit_is_told_once(tmp_path, relay, host, days, told):
    server = PretendedAPNs(tmp_path, make_certificate(tmp_path, "bad", host, days))
    running = relay(devices=3, host=server.host, authority=server.authority)
    running.push()
    assert told in running.wait_for("it is tried again")
    assert server.requests == []
    server.stop()


@pytest.mark.parametrize("shown, told", [
    ("client", None), ("stranger", "it is tried again")], ids=["known", "unknown"])
def test_a_certificate_says_who_comes_instead_of_a_token(
        apns, on_the_bus, tmp_path, shown, told):
    certificates = {name: make_certificate(tmp_path, name) for name in ("client", "stranger")}
    apns.context.load_verify_locations(certificates["client"][0])
    apns.context.verify_mode = ssl.CERT_REQUIRED
    certificate, key = certificates[shown]
    running = PushRelay(on_the_bus.environment, tmp_path, (
        f"[apns]\ntopic = {TOPIC}\nserver = {apns.host}\nauthority = {apns.authority}\n"
        f"certificate = {certificate}\nkey = {key}\n"))
    try:
        running.wait_for("started")
        running.command("device", "add", token(1))
        running.push()
        running.wait_for(told or "1 accepted")
        assert len(apns.requests) == (0 if told else 1)
        assert all("authorization" not in request.headers for request in apns.requests)
    finally:
        assert running.stop() == 0


def test_a_device_that_hangs_holds_up_no_other(apns, relay):
    hung = []

    def hang_once(request):
        if int(request.token, 16) == 5 and not hung:
            hung.append(request)
            return "hang"
        return 200, {}
    apns.answer = hang_once
    running = relay(devices=200)
    running.push()
    wait_until(lambda: running.waiting() == 1, 60, "the others")
    running.wait_for("200 accepted", 60)


def test_a_register_that_is_torn_is_set_aside_and_told_once(apns, relay, on_the_bus):
    register = on_the_bus.folder / "state/register.sqlite"
    register.write_text("no database" * 500)
    running = relay()
    running.wait_for("it is now")
    running.command("device", "add", token(1))
    running.push()
    running.wait_for("1 accepted")
    assert len(running.matching("it is now")) == 1
    assert register.with_name("register.sqlite.set-aside").read_text().startswith("no database")
