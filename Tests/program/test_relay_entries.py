"""What is published to ntfy and to webhooks; each of them is a section of the configuration. No unsent
message is lost, whatever holds it back: a server, a secret, an end."""

import base64
import contextlib
import email.utils
import hashlib
import hmac
import json
import signal
import socket
import subprocess
import threading
import time

import pytest

import relay as parts
from pretended_announcer import notice
from sound_server import wait_until

SECRET = b"0123456789abcdef0123456789abcdef"


@pytest.fixture
def relay(push_relay, tmp_path):
    (tmp_path / "secret").write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    (tmp_path / "token").write_text("tk_school\n")
    return push_relay


def ntfy(server, folder, events="all", name="phone"):
    return (f"[ntfy {name}]\nserver = {server}\ntopic = bells\ntoken_file = {folder}/token\n"
            f"events = {events}\n")


def webhook(web, folder, events="all", name="school", path="/bell"):
    return (f"[webhook {name}]\nurl = {web.url}{path}\nsecret_file = {folder}/secret\n"
            f"events = {events}\n")


@pytest.fixture
def told(announcer):
    """Sends a notice as the announcer does."""
    made = []

    def told(running, event, words, **fields):
        if not made:
            made.append(announcer())
            running.wait_for("the announcer answers")
        made[0].connection.send(notice(event, words, fields))
    return told


def test_ntfy_is_told_with_its_token(told, web, relay, tmp_path):
    running = relay(ntfy(web.url, tmp_path))
    told(running, "alarm_rings", "alarm 1 rings", ALARM="1")
    [(request, body)] = web.wait_for(1)
    assert request.path == "/" and request.headers["authorization"] == "Bearer tk_school"
    assert body["topic"] == "bells" and body["message"] == "alarm 1 rings"
    assert body["priority"] == 5 and body["tags"] == ["alarm"]
    running.wait_for('published "alarm 1 rings": 1 accepted')
    assert not running.matching("tk_school")


def test_a_webhook_is_signed_with_its_time(told, web, relay, tmp_path):
    running = relay(webhook(web, tmp_path))
    told(running, "switch_lost", "the switch cannot be read", SWITCH="lost")
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


def test_each_entry_has_what_it_wants(told, web, relay, tmp_path):
    running = relay(
        ntfy(web.url, tmp_path, "clock", "a") + webhook(web, tmp_path, "timer,clock", "b", "/b")
        + webhook(web, tmp_path, "timer", "c", "/c"))
    told(running, "trust", "the clock is untrusted", TRUST="untrusted")
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


@pytest.mark.parametrize("status", [None, 503])
def test_what_waits_for_a_server_that_is_down_keeps_its_order(web, relay, tmp_path, status):
    is_back = threading.Event()
    accepted = []

    def answer(request):
        if not is_back.is_set():
            if status:
                return status, {}
            raise ConnectionAbortedError
        accepted.append(json.loads(request.body)["message"])
        return 200, {}
    web.answer = answer
    running = relay(ntfy(web.url, tmp_path))
    for words in ("one", "two", "three"):
        running.push(words)
    # One more attempt than there were when all of them waited.
    web.wait_for(len(web.requests) + 1)
    is_back.set()
    running.wait_for('published "three": 1 accepted', 60)
    assert accepted == ["one", "two", "three"]


@pytest.mark.parametrize("entry", [webhook, ntfy])
@pytest.mark.parametrize("status, is_date", [(503, False), (429, False), (429, True)])
def test_a_server_that_asks_for_a_longer_pause_gets_it(web, relay, tmp_path, entry, status, is_date):
    came = []

    def answer(_):
        came.append(time.monotonic())
        wish = email.utils.formatdate(time.time() + 6, usegmt=True) if is_date else "6"
        return (status if len(came) == 1 else 200), {"retry-after": wish}
    web.answer = answer
    running = relay(entry(web, tmp_path) if entry is webhook else entry(web.url, tmp_path))
    running.push()
    web.wait_for(1)
    running.push("two")
    running.wait_for('"two": 1 accepted')
    assert came[1] - came[0] == pytest.approx(6, abs=1.5)


def test_ntfy_gets_words_that_are_too_long_shortened(web, relay, tmp_path):
    running = relay(ntfy(web.url, tmp_path))
    running.push("\x01Grüße " * 1000)
    [(request, body)] = web.wait_for(1)
    assert 4000 < len(request.body) <= 4096 and body["message"].endswith("…")
    running.wait_for("1 accepted")


@pytest.mark.parametrize("entry", [webhook, ntfy])
def test_what_is_too_large_is_refused_and_holds_up_nothing(web, relay, tmp_path, entry):
    web.answer = lambda request: (413 if b"large" in request.body else 200, {})
    running = relay(entry(web, tmp_path) if entry is webhook else entry(web.url, tmp_path))
    running.push("large")
    running.wait_for("refused, status 413")
    running.push("two")
    running.wait_for('"two": 1 accepted')


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
    for words in ("one", "two"):
        running.push(words)
        running.wait_for(
            f'published "{words}": 1 accepted, 1 refused (webhook school: refused, status 410)')


@pytest.mark.parametrize("answers_later", [False, True], ids=["it waits", "it is on its way"])
def test_what_is_for_an_entry_that_is_taken_out_ends(web, relay, tmp_path, answers_later):
    is_reloaded = threading.Event()

    def refuse(_):
        if answers_later:
            is_reloaded.wait(60)
        return 500, {}
    web.answer = refuse
    running = relay(webhook(web, tmp_path) + ntfy(web.url, tmp_path))
    running.push()
    web.wait_for(2)
    running.text = ntfy(web.url, tmp_path)
    web.answer = lambda request: (200, {})
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    is_reloaded.set()
    running.wait_for("1 accepted, 1 refused", 60)


# Messages that cannot be sent at once.


@pytest.fixture
def mute_server():
    """A server that takes connections and then says nothing, not even the TLS handshake."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


def test_what_never_left_is_sent_by_the_next_relay(relay, web, mute_server, tmp_path):
    running = relay(ntfy(mute_server, tmp_path))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    assert running.stop() == 0
    running.push("and again at eleven")
    assert running.waiting() == 2
    relay(ntfy(web.url, tmp_path))
    assert {body["message"] for _, body in web.wait_for(2)} == {
        "the bell is at ten", "and again at eleven"}


def test_what_never_left_is_sent_after_a_reload(relay, web, mute_server, tmp_path):
    running = relay(ntfy(mute_server, tmp_path))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    running.text = ntfy(web.url, tmp_path)
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for('published "the bell is at ten": 1 accepted', 60)


def test_what_has_lost_its_use_is_dropped_at_the_start(relay, web, mute_server, tmp_path):
    running = relay(ntfy(mute_server, tmp_path))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    assert running.stop() == 0
    with running.register() as register:
        register.execute(
            "UPDATE deliveries SET message = json_set(message, '$.expires', '2026-01-01T00:00:00Z')")
        register.commit()
    relay(ntfy(web.url, tmp_path)).wait_for(
        'published "the bell is at ten": 1 expired (ntfy phone: expired, before it could be sent)')
    assert web.requests == []


def test_a_secret_that_is_put_right_is_taken_at_a_reload(relay, web, tmp_path):
    secret = tmp_path / "secret"
    right = secret.read_text()
    secret.write_text("none\n")
    running = relay(webhook(web, tmp_path))
    running.wait_for("it is no secret")
    running.push("the bell is at ten")
    secret.write_text(right)
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    running.push("and again at eleven")
    assert web.wait_for(1)[-1][1]["data"]["words"] == "and again at eleven"


def test_while_the_disk_is_full_messages_are_sent_all_the_same(
        told, on_the_bus, relay, web, full_disk, tmp_path):
    on_the_bus.environment |= {"STATE_DIRECTORY": str(full_disk)}
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    running = relay(ntfy(web.url, tmp_path))

    def ring(number):
        told(running, "timer_elapsed", f"timer {number} rings", TIMER=str(number))
        web.wait_for(number)
    ring(1)
    ring(2)
    running.wait_for("would not outlast a restart")
    subprocess.run(["mount", "-o", "remount,size=4m", full_disk], check=True)
    ring(3)
    running.wait_for("the register can be used again")
    assert len(running.matching("would not outlast")) == 1
    # The relay keeps its files there.
    assert running.stop() == 0


def test_what_was_lost_is_told_when_it_is_back_and_what_was_not_is_not(told, relay, web, tmp_path):
    running = relay(ntfy(web.url, tmp_path))
    told(running, "switch", "the switch is on")
    told(running, "rtc", "the RTC is valid")
    told(running, "switch_lost", "the switch cannot be read")
    told(running, "switch", "the switch is off")
    told(running, "switch", "the switch is on again")
    told(running, "lamp", "the lamp is back")
    assert {body["message"] for _, body in web.wait_for(3)} == {
        "the switch cannot be read", "the switch is off", "the lamp is back"}


# The secret lies where systemd takes credentials from.
STORE = """
secret=$(cat "$0") && mount -t tmpfs tmpfs /etc && mkdir /etc/credstore &&
echo "$secret" >/etc/credstore/clocksmith-relay.webhook-secret && exec "$@"
"""


def test_check_finds_a_secret_where_systemd_takes_it_from(relay, tmp_path):
    within = ["unshare", "--mount", "sh", "-c", STORE, tmp_path / "secret"]
    if subprocess.run([*within, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("nothing can be mounted here (not root?)")
    configuration = tmp_path / "relay.conf"
    configuration.write_text(
        f"[webhook school]\nurl = https://user:word@school.example/bell?key=1\nauthority = {tmp_path}\n")
    done = subprocess.run(
        [*within, parts.RELAY, "check", "--config", configuration], capture_output=True, text=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
    assert (done.returncode, done.stdout) == (
        0, "ok    webhook       school: school.example, timer,alarm,trouble,clock\n")
