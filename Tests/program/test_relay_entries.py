"""What is published to ntfy and to webhooks; each of them is a section of the configuration."""

import base64
import hashlib
import hmac
import signal
import subprocess
import threading
import time

import pytest

import pretended_announcer
import relay as parts
from pretended_announcer import PretendedAnnouncer

SECRET = b"0123456789abcdef0123456789abcdef"


@pytest.fixture
def relay(push_relay, tmp_path):
    (tmp_path / "secret").write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    (tmp_path / "token").write_text("tk_school\n")
    return push_relay


def ntfy(web, folder, events="all", name="phone"):
    return (f"[ntfy {name}]\nserver = {web.url}\ntopic = bells\ntoken_file = {folder}/token\n"
            f"events = {events}\n")


def webhook(web, folder, events="all", name="school", path="/bell"):
    return (f"[webhook {name}]\nurl = {web.url}{path}\nsecret_file = {folder}/secret\n"
            f"events = {events}\n")


def notice(bus, running, event, words, **fields):
    announcer = PretendedAnnouncer(bus.address)
    running.wait_for("the announcer answers")
    announcer.connection.send(pretended_announcer.notice(event, words, fields))
    announcer.close()


def test_ntfy_is_told_with_its_token(bus, web, relay, tmp_path):
    running = relay(ntfy(web, tmp_path))
    notice(bus, running, "alarm_rings", "alarm 1 rings", ALARM="1")
    [(request, body)] = web.wait_for(1)
    assert request.path == "/" and request.headers["authorization"] == "Bearer tk_school"
    assert body["topic"] == "bells" and body["message"] == "alarm 1 rings"
    assert body["priority"] == 5 and body["tags"] == ["alarm"]
    running.wait_for('published "alarm 1 rings": 1 accepted')
    assert not running.matching("tk_school")


def test_a_webhook_is_signed_with_its_time(bus, web, relay, tmp_path):
    running = relay(webhook(web, tmp_path))
    notice(bus, running, "switch_lost", "the switch cannot be read", SWITCH="lost")
    [(request, body)] = web.wait_for(1)
    assert request.path == "/bell"
    assert body["type"] == "switch_lost" and body["timestamp"].endswith("Z")
    assert body["data"]["kind"] == "trouble" and body["data"]["fields"] == {"SWITCH": "lost"}
    stamp = request.headers["webhook-timestamp"]
    assert abs(time.time() - int(stamp)) < 60
    signed = f"{request.headers['webhook-id']}.{stamp}.".encode() + request.body
    digest = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    assert request.headers["webhook-signature"] == f"v1,{digest}"
    running.wait_for("1 accepted")
    assert not running.matching("whsec_")


def test_each_entry_has_what_it_wants(bus, web, relay, tmp_path):
    running = relay(
        ntfy(web, tmp_path, "clock", "a") + webhook(web, tmp_path, "timer,clock", "b", "/b")
        + webhook(web, tmp_path, "timer", "c", "/c"))
    notice(bus, running, "trust", "the clock is untrusted", TRUST="untrusted")
    web.wait_for(2)
    running.wait_for("2 accepted")
    assert sorted(request.path for request in web.requests) == ["/", "/b"]
    # A message that a person publishes goes to every entry.
    running.push()
    web.wait_for(5)


def test_one_that_fails_is_tried_again_and_holds_up_no_other(web, relay, tmp_path):
    answers = [(503, {})]
    web.answer = lambda request: (
        answers.pop() if request.path == "/bell" and answers else (200, {}))
    running = relay(webhook(web, tmp_path) + webhook(web, tmp_path, name="other", path="/other"))
    running.push()
    running.wait_for("2 accepted")
    hooks = [request for request in web.requests if request.path == "/bell"]
    assert len(hooks) == 2 and len({hook.headers["webhook-id"] for hook in hooks}) == 1
    # Each attempt is signed again.
    assert len({hook.headers["webhook-timestamp"] for hook in hooks}) > 1


def test_a_server_that_asks_for_a_longer_pause_gets_it(web, relay, tmp_path):
    came = []
    web.answer = lambda request: (
        came.append(time.monotonic()) or (503 if len(came) == 1 else 200, {"retry-after": "6"}))
    running = relay(webhook(web, tmp_path))
    running.push()
    running.wait_for("1 accepted")
    assert came[1] - came[0] == pytest.approx(6, abs=1.5)


@pytest.mark.parametrize("status", [301, 404])
def test_a_wrong_address_is_told_once(web, relay, tmp_path, status):
    web.answer = lambda request: (status, {"location": "/elsewhere"})
    running = relay(webhook(web, tmp_path))
    running.push("one")
    running.wait_for(f"webhook school: the server answers status {status}; it is tried again")
    running.push("two")
    web.wait_for(2)
    web.answer = lambda request: (200, {})
    running.wait_for("webhook school is back")
    assert len(running.matching("it is tried again")) == 1


def test_a_webhook_that_has_gone_is_told_and_holds_up_no_other(web, relay, tmp_path):
    web.answer = lambda request: (410 if request.path == "/bell" else 200, {})
    running = relay(webhook(web, tmp_path) + webhook(web, tmp_path, name="other", path="/other"))
    running.push("one")
    running.wait_for(
        'published "one": 1 accepted, 1 refused (webhook school: refused, status 410)')
    running.push("two")
    running.wait_for('published "two": 1 accepted')
    assert len(running.matching("nothing more is sent there until the relay is reloaded")) == 1


@pytest.mark.parametrize("answers_later", [False, True], ids=["it waits", "it is on its way"])
def test_what_is_for_an_entry_that_is_taken_out_ends(web, relay, tmp_path, answers_later):
    is_reloaded = threading.Event()

    def refuse(_):
        if answers_later:
            is_reloaded.wait(60)
        return 500, {}
    web.answer = refuse
    running = relay(webhook(web, tmp_path) + ntfy(web, tmp_path))
    running.push()
    web.wait_for(2)
    running.text = ntfy(web, tmp_path)
    web.answer = lambda request: (200, {})
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    is_reloaded.set()
    running.wait_for("1 accepted, 1 refused", 60)


@pytest.mark.parametrize("text, told", [
    ("[webhook a]\nurl = https://x/y\n", "has no secret"),
    ("[webhook a]\nurl = https://x/y\nsecret_file = {folder}/token\n", "it is no secret: whsec_"),
    ("[webhook a]\nsecret_file = {folder}/secret\n", "[webhook a] has no address"),
    ("[ntfy a]\nserver = https://x\n", "[ntfy a] has no topic"),
    ("[push]\nahead = 4s\n", ":2: ahead = 4s: allowed: none, or 5s to 120s"),
    ("[ntfy a b]\ntopic = x\n", "unknown section [ntfy a b]; there are mqtt, push, apns, ntfy NAME"),
    ("[ntfy a]\ntopic = x\nevents = tea\n", "allowed: all, or some of timer"),
    ("[ntfy a]\ntopic = x\nauthority = /none\n", "/none"),
    ("[ntfy a]\ntopic = x\nserver = https://x/bells\n",
     ":3: server = https://x/bells: allowed: https://HOST, or http://HOST, without a path"),
    ("[apns]\nserver = x:y:z\n", "allowed: none, or HOST, or HOST:PORT"),
    ("[apns]\n", "[apns] has no topic"),
    ("[apns]\ntopic = a.b\n", "has no credentials"),
    ("[apns]\ntopic = a.b\nkey_id = ABCDEFGHIJ\nteam = ABCDEFGHIJ\n", "[apns] has no key"),
    ("[apns]\ntopic = a.b\nkey_id = ABCDEFGHIJ\nteam = ABCDEFGHIJ\nkey_file = {folder}/token\n",
     "it is no private key of P-256"),
    ("[apns]\ntopic = a.b\ncertificate = /c\n", "certificate is set and key is not"),
])
def test_check_finds_what_is_wrong(on_the_bus, tmp_path, text, told):
    parts.need_relay()
    (tmp_path / "secret").write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    (tmp_path / "token").write_text("tk\n")
    configuration = tmp_path / "relay.conf"
    configuration.write_text(text.format(folder=tmp_path))
    done = subprocess.run(
        [parts.RELAY, "check", "--config", configuration], capture_output=True, text=True,
        env=on_the_bus.environment, check=False)
    assert done.returncode == 3 and told in done.stdout
