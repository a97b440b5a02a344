"""What is published to APNs, and what follows from each answer."""

import base64
import collections
import datetime
import json
import re
import ssl
import threading
import time

import pytest

import relay as parts
from pretended_apns import PretendedAPNs, is_signed, make_certificate, make_provider_key
from push import APNS, TOPIC, token
from sound_server import wait_until


@pytest.fixture
def apns(tmp_path):
    parts.need_relay()
    server = PretendedAPNs(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def relay(push_relay, tmp_path, apns):
    """Starts a relay with this many registered devices."""
    key = tmp_path / "provider.p8"
    make_provider_key(key)

    def relay(devices=0, rest="", server=apns):
        running = push_relay(APNS.format(
            topic=TOPIC, key=key, host=server.host, authority=server.authority, rest=rest))
        if devices:
            tokens = "".join(f"{token(number)}\n" for number in range(devices))
            running.command("device", "add", "-", given=tokens)
        return running
    return relay


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
        3: refuse(410, "Unregistered", timestamp=1000), 4: refuse(400, "DeviceTokenNotForTopic"),
    }
    apns.answer = lambda request: reasons[int(request.token, 16)]
    running = relay(devices=5)
    running.push()
    assert "refused, BadDeviceToken: the token is wrong" in running.wait_for("1 accepted, 4 refused")
    gone, bad, other = running.command("feedback").splitlines()
    assert token(1) in gone and "Unregistered" in gone
    assert token(2) in bad and bad.startswith("active  BadDeviceToken")
    assert token(4) in other and other.startswith("active  DeviceTokenNotForTopic")
    apns.requests.clear()
    apns.answer = lambda request: (200, {})
    running.push("again")
    running.wait_for('"again": 4 accepted')
    assert sorted(apns.tokens()) == [token(0), token(2), token(3), token(4)]
    [gone] = running.command("feedback").splitlines()
    assert token(1) in gone


def test_a_phone_whose_token_is_bad_is_named_once_and_listed_until_it_is_accepted(apns, relay):
    apns.answer = lambda request: refuse(400, "BadDeviceToken")
    running = relay()
    running.command("device", "add", "ab" * 32)
    for words in ("one", "two"):
        running.push(words)
        running.wait_for(f'"{words}": 1 refused')
    [line] = running.matching("the device abababab...")
    assert "is refused: BadDeviceToken" in line and "'clocksmith-relay feedback' lists it" in line
    running.stop()
    again = relay()
    [listed] = map(json.loads, again.command("feedback", "--json").splitlines())
    assert listed["token"] == "ab" * 32 and listed["reason"] == "BadDeviceToken"
    apns.answer = lambda request: (200, {})
    again.push("three")
    again.wait_for('"three": 1 accepted')
    assert again.command("feedback") == ""


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


@pytest.mark.parametrize("answer", [
    refuse(503, "ServiceUnavailable"), refuse(429, "TooManyRequests"), "reset", "goaway", "close", "garbage", "empty",
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


def test_a_phone_that_gets_too_many_holds_up_no_other(apns, relay):
    apns.answer = lambda request: (
        (*refuse(429, "TooManyRequests"), {"retry-after": "3600"}) if request.token == token(3)
        else (200, {}))
    running = relay(devices=8)
    running.push("one")
    assert "has to wait: TooManyRequests" in running.wait_for("the device 00000000...")
    wait_until(lambda: running.waiting() == 1, 30, "the others")
    running.push("two")
    apns.wait_for(15)
    wait_until(lambda: running.waiting() == 2, 30, "the others")
    assert apns.tokens().count(token(3)) == 1
    assert not running.matching("it is tried again")
    # What waits is sent by the next relay.
    running.stop()
    apns.answer = lambda request: (200, {})
    relay()
    words = [each.payload["aps"]["alert"]["body"] for each in apns.wait_for(17)[-2:]]
    assert words == ["one", "two"]


@pytest.mark.parametrize("answer", [
    refuse(503, "ServiceUnavailable"), refuse(429, "TooManyRequests"), "close",
], ids=["server", "phone", "connection"])
def test_each_phone_gets_its_messages_in_their_order(apns, relay, answer):
    accepted = collections.defaultdict(list)
    refused = []

    def refuse_some(request):
        if int(request.token, 16) % 3 == 0 and len(refused) < 5:
            refused.append(request)
            return answer
        accepted[request.token].append(request.payload["aps"]["alert"]["body"])
        return 200, {}
    apns.answer = refuse_some
    words = [f"message {number}" for number in range(6)]
    running = relay(devices=9)
    for each in words:
        running.push(each)
    wait_until(lambda: running.waiting() == 0, 60, "all")
    assert len(accepted) == 9 and refused
    assert all(list(dict.fromkeys(each)) == words for each in accepted.values())


def test_an_answer_that_comes_before_the_request_has_ended_is_noticed_at_once(apns, relay):
    apns.streams = 1
    apns.is_early = True
    running = relay(devices=300)
    running.push()
    # Without an end of the answer, a request ends after 30 s.
    running.wait_for("300 accepted", 25)


def test_a_token_that_has_expired_is_made_anew_at_once(apns, relay):
    first = []

    def expire(request):
        bearer = request.headers["authorization"]
        first.append(bearer)
        return refuse(403, "ExpiredProviderToken") if bearer == first[0] else (200, {})
    apns.answer = expire
    running = relay(devices=50)
    running.push()
    running.wait_for("50 accepted")
    assert len(set(first)) == 2 and max(collections.Counter(apns.tokens()).values()) == 2
    assert not running.matching("APNs refuses this clock")


def test_a_token_that_expires_at_once_is_made_anew_once(apns, relay):
    apns.answer = lambda request: refuse(403, "ExpiredProviderToken")
    running = relay(devices=3)
    running.push()
    running.wait_for("APNs refuses this clock: ExpiredProviderToken; it is tried again")
    tries = len(apns.requests)
    apns.wait_for(tries + 3)
    assert len({request.headers["authorization"] for request in apns.requests}) == 2
    assert len(running.matching("APNs refuses this clock")) == 1


@pytest.mark.parametrize("words, title", [
    ("Grüße \"um\" zehn 👩‍👩‍👧 \x01", "clocksmith"), ("a", "clocksmith"), ("ü", "\x01ä" * 2000),
], ids=["escapes", "plain", "title"])
def test_words_that_are_too_long_are_shortened(apns, relay, words, title):
    text = words * (12_000 // len(words))
    running = relay(devices=1)
    running.command("push", "--title", title, text)
    running.wait_for("1 accepted")
    [request] = apns.requests
    body = request.payload["aps"]["alert"]["body"]
    # A whole character may not fit any more.
    assert 4000 < len(request.body) <= 4096
    assert body.endswith("…") and text.startswith(body[:-1])
    assert not text[len(body) - 1:].startswith("\u200d") and not body.endswith("\u200d…")


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
    running.stop = lambda: 0
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
    running = relay(devices=3, server=server)
    running.push()
    assert told in running.wait_for("it is tried again")
    assert server.requests == []
    server.stop()


@pytest.mark.parametrize("shown, told", [
    ("client", None), ("stranger", "it is tried again")], ids=["known", "unknown"])
def test_a_certificate_says_who_comes_instead_of_a_token(
        apns, push_relay, tmp_path, shown, told):
    certificates = {name: make_certificate(tmp_path, name) for name in ("client", "stranger")}
    apns.context.load_verify_locations(certificates["client"][0])
    apns.context.verify_mode = ssl.CERT_REQUIRED
    certificate, key = certificates[shown]
    running = push_relay(
        f"[apns]\ntopic = {TOPIC}\nserver = {apns.host}\nauthority = {apns.authority}\n"
        f"certificate = {certificate}\nkey = {key}\n")
    running.command("device", "add", token(1))
    running.push()
    running.wait_for(told or "1 accepted")
    assert len(apns.requests) == (0 if told else 1)
    assert all("authorization" not in request.headers for request in apns.requests)


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


# The connection.


def test_a_server_that_takes_few_at_a_time_gets_all(apns, relay):
    apns.streams = 3
    running = relay(devices=100)
    running.push()
    running.wait_for("100 accepted", 60)
    assert apns.connections == 1 and len(set(apns.tokens())) == 100


def test_what_a_server_has_not_looked_at_is_sent_on_the_next_connection_at_once(apns, relay):
    answered = collections.Counter()

    def leave_once(request):
        if len(apns.requests) == 150:
            return "goaway"
        answered[request.token] += 1
        return 200, {}
    apns.answer = leave_once
    running = relay(devices=300)
    running.push()
    running.wait_for("300 accepted", 60)
    assert len(answered) == 300 and set(answered.values()) == {1}
    assert apns.connections == 2
    assert len(running.matching("the server ends the connection: GOAWAY, error=0")) == 1
    assert not running.matching("it is tried again")


def test_an_idle_connection_that_the_server_closes_is_replaced_in_silence(apns, relay):
    running = relay(devices=2)
    running.push()
    running.wait_for("2 accepted")
    apns.stop()
    apns.listen()
    running.push("and again")
    running.wait_for('"and again": 2 accepted', 60)
    assert apns.connections == 2 and not running.matching("it is tried again")


# Each occasion is published some seconds ahead, with its instant in the message.


# Long enough for a slow machine.
AHEAD = 20


@pytest.fixture
def expect(apns, relay, announcer):
    """Has the announcer report what comes next. The relay publishes it to a phone."""
    clock = announcer()
    running = relay(rest=f"[push]\nahead = {AHEAD}s\n")
    running.wait_for("the announcer answers")
    running.command("device", "add", token(1), "--events", "occasion")

    def expect(instant, sounds=True, playing=""):
        asked = clock.calls.count("GetAll")
        at = datetime.datetime.fromtimestamp(instant, datetime.timezone.utc)
        clock.change(Playing=("s", playing), Next=("a{sv}", {
            "at": ("s", at.isoformat()), "sounds": ("b", sounds),
            "text": ("s", "three fifteen P M"), "chime": ("s", "none")}))
        wait_until(lambda: clock.calls.count("GetAll") > asked, 60, "the question")
    return expect


def test_a_phone_is_woken_ahead_with_the_instant_and_shown_nothing(apns, expect):
    asked = []
    apns.answer = lambda request: asked.append(time.time()) or (200, {})
    instant = int(time.time()) + AHEAD + 5
    expect(instant)
    [request] = apns.wait_for(1)
    assert 2 < instant - asked[0] <= AHEAD
    assert request.headers["apns-push-type"] == "background"
    assert request.headers["apns-priority"] == "5"
    assert request.headers["apns-expiration"] == str(instant)
    payload = request.payload
    assert payload["aps"] == {"content-available": 1}
    assert payload["event"] == "occasion" and payload["TEXT"] == "three fifteen P M"
    assert payload["INSTANT"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))
    # The same occasion reported again, as after a reload, is not published again. The next one is.
    expect(instant)
    later = int(time.time()) + AHEAD + 5
    expect(later)
    assert len(apns.wait_for(2)) == 2
    second = apns.requests[1].payload["INSTANT"]
    assert second == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(later))


def test_an_hour_whose_melody_sounds_already_is_published_before_its_first_blow(apns, expect):
    instant = int(time.time()) + AHEAD + 10
    expect(instant)
    expect(instant + 900, playing="Westminster Quarters")
    [request] = apns.wait_for(1)
    assert request.payload["INSTANT"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))


def test_what_will_be_silent_or_comes_too_soon_is_not_published(apns, expect):
    silent = time.time() + AHEAD + 10
    expect(silent)
    expect(silent, sounds=False)
    wait_until(
        lambda: time.time() > silent - AHEAD + 2, 60, "the moment at which it would be published")
    expect(time.time() + 1)
    instant = time.time() + AHEAD + 5
    expect(instant)
    [request] = apns.wait_for(1)
    assert re.match(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(instant)), request.payload["INSTANT"])
