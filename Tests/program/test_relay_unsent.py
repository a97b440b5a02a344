"""No unsent message is lost, whatever holds it back: a server, a name, a key, an end."""

import base64
import contextlib
import signal
import socket
import sqlite3
import subprocess

import pytest

import relay as parts
from pretended_announcer import PretendedAnnouncer, notice
from sound_server import wait_until


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text(f"whsec_{base64.b64encode(bytes(32)).decode()}\n")
    return path


@pytest.fixture
def mute_server():
    """A server that takes connections and then says nothing, not even the TLS handshake."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


def ntfy(server):
    return f"[ntfy phone]\nserver = {server}\ntopic = bells\n"


def test_what_never_left_is_sent_by_the_next_relay(push_relay, web, mute_server):
    running = push_relay(ntfy(mute_server))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    assert running.stop() == 0
    running.push("and again at eleven")
    assert running.waiting() == 2
    push_relay(ntfy(web.url))
    assert {body["message"] for _, body in web.wait_for(2)} == {
        "the bell is at ten", "and again at eleven"}


def test_what_never_left_is_sent_after_a_reload(push_relay, web, mute_server):
    running = push_relay(ntfy(mute_server))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    running.text = ntfy(web.url)
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for('published "the bell is at ten": 1 accepted', 60)


def test_what_has_lost_its_use_is_dropped_at_the_start(push_relay, web, mute_server, tmp_path):
    running = push_relay(ntfy(mute_server))
    running.push("the bell is at ten")
    wait_until(lambda: running.waiting() == 1, 60, "the attempt")
    assert running.stop() == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "state/register.sqlite")) as register:
        register.execute(
            "UPDATE deliveries SET message = json_set(message, '$.expires', '2026-01-01T00:00:00Z')")
        register.commit()
    push_relay(ntfy(web.url)).wait_for(
        'published "the bell is at ten": 1 expired (ntfy phone: expired, before it could be sent)')
    assert web.requests == []


def test_a_secret_that_is_put_right_is_taken_at_a_reload(push_relay, web, secret):
    right = secret.read_text()
    secret.write_text("none\n")
    running = push_relay(f"[webhook school]\nurl = {web.url}/bell\nsecret_file = {secret}\n")
    running.wait_for("it is no secret")
    running.push("the bell is at ten")
    secret.write_text(right)
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    running.push("and again at eleven")
    assert web.wait_for(1)[-1][1]["data"]["words"] == "and again at eleven"


# The program looks up names at a server that never answers.


@pytest.fixture
def noticed(bus, push_relay, web):
    """Sends a notice as the announcer does."""
    running = push_relay(f"{ntfy(web.url)}events = all\n")
    announcer = PretendedAnnouncer(bus.address)
    running.wait_for("the announcer answers")

    def noticed(event, words, **fields):
        announcer.connection.send(notice(event, words, fields))
    yield noticed
    announcer.close()


def test_while_the_disk_is_full_messages_are_sent_all_the_same(
        bus, on_the_bus, push_relay, web, full_disk):
    on_the_bus.environment |= {"STATE_DIRECTORY": str(full_disk)}
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    running = push_relay(ntfy(web.url))
    announcer = PretendedAnnouncer(bus.address)
    running.wait_for("the announcer answers")

    def ring(number):
        announcer.connection.send(
            notice("timer_elapsed", f"timer {number} rings", {"TIMER": str(number)}))
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
    announcer.close()


def test_what_was_lost_is_told_when_it_is_back_and_what_was_not_is_not(noticed, web):
    noticed("switch", "the switch is on")
    noticed("rtc", "the RTC is valid")
    noticed("switch_lost", "the switch cannot be read")
    noticed("switch", "the switch is off")
    noticed("switch", "the switch is on again")
    noticed("lamp", "the lamp is back")
    told = {body["message"] for _, body in web.wait_for(3)}
    assert told == {
        "the switch cannot be read", "the switch is off", "the lamp is back"}


# The secret lies where systemd takes credentials from.
STORE = """
secret=$(cat "$0") && mount -t tmpfs tmpfs /etc && mkdir /etc/credstore &&
echo "$secret" >/etc/credstore/clocksmith-relay.webhook-secret && exec "$@"
"""


def test_check_finds_a_secret_where_systemd_takes_it_from(tmp_path, secret):
    parts.need_relay()
    within = ["unshare", "--mount", "sh", "-c", STORE, secret]
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


def test_a_register_whose_folder_is_not_there_is_told_with_what_to_do(tmp_path):
    parts.need_relay()
    done = subprocess.run(
        [parts.RELAY, "device", "add", "ab" * 32], capture_output=True, text=True, check=False,
        env={"LC_ALL": "C", "STATE_DIRECTORY": str(tmp_path / "none")})
    assert done.returncode == 1 and "systemctl restart clocksmith-relay" in done.stderr
