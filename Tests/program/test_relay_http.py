"""The HTTP door for apps: their questions and their commands."""

import json
import signal
import socket
import subprocess
import threading
import time

import pytest

from c_library import shared_library
from http_door import APNS, DESCRIPTION, PHONE, TOKEN, refused, resolved
from relay import CLOCK, COMMAND, RELAY, free_port
from sound_server import wait_until


@pytest.fixture
def announcer(announcer):
    return announcer()


# Requests of an app.


def test_the_state_is_the_one_of_the_broker(door, announcer, broker):
    heard = broker.listen(f"{CLOCK}/#")
    running = door(rest=f"[mqtt]\nbroker = 127.0.0.1\nport = {broker.port}\nname = hall\n")
    state = heard.wait_for_state(lambda state: state["trust"])
    answer = running.state()
    assert answer.status == 200 and answer.body == state
    assert answer.headers["Cache-Control"] == "no-store"
    # MQTT and HTTP share the memory of ids: a repetition is refused on either.
    broker.publish(COMMAND, {"command": "stop", "id": "a1"})
    running.wait_for('carried out stop "a1"')
    assert "come before" in refused(
        running.order({"command": "stop", "id": "a1"}), 409, "repeated")


def test_a_command_waits_for_its_instant_until_a_stop(door, announcer):
    running = door().wait_for_announcer()
    answer = running.order({"command": "announce", "at": time.time() + 700, "id": "bell"})
    assert "too far ahead" in refused(answer, 400, "future")
    answer = running.order({"command": "announce", "at": time.time() + 500, "id": "bell"})
    assert (answer.status, answer.body["status"]) == (202, "waiting")
    assert [each["id"] for each in running.state().body["waiting"]] == ["bell"]
    assert running.order({"command": "stop"}).body == {"status": "done"}
    assert running.state().body["waiting"] == []


def test_a_device_is_registered_and_forgotten(door):
    running = door(rest=APNS)
    for _ in range(2):
        answer = running.ask(
            "PUT", f"/v1/devices/{PHONE}", {"platform": "watchos", "events": "alarm,hour"})
        assert (answer.status, answer.body) == (200, {"status": "done"})
    assert f"watchos production  alarm,hour  {PHONE}" in running.command("device", "list")
    assert running.ask("PUT", f"/v1/devices/{'cd' * 32}").status == 200
    assert running.ask("DELETE", f"/v1/devices/{PHONE.upper()}").status == 200
    assert PHONE not in running.command("device", "list")
    refused(running.ask("DELETE", f"/v1/devices/{PHONE}"), 404, "unknown")
    assert not running.matching(PHONE)


def test_a_registration_that_cannot_be_kept_is_refused(door):
    running = door(rest=APNS)
    device = f"/v1/devices/{PHONE}"
    refused(running.ask("PUT", device, {"platform": "amiga"}), 400, "value")
    refused(running.ask("DELETE", "/v1/devices/zz"), 400, "value")
    refused(running.order({"command": "device_remove", "token": PHONE}), 404, "unknown")
    with running.register() as other:
        other.execute("BEGIN IMMEDIATE")
        for method in ("PUT", "DELETE"):
            refused(running.ask(method, device), 503, "register")
    assert running.stop() == 0
    refused(door().ask("PUT", device), 409, "refused")


def test_each_command_is_served_with_what_the_network_may_give(door):
    # Also while the clock does not run.
    commands = door().ask("GET", "/v1/commands").body["commands"]
    described = resolved(DESCRIPTION["components"]["schemas"]["Command"])["oneOf"]
    fields = {each["command"]: {field["key"]: field for field in each["fields"]} for each in commands}
    for name in fields:
        [schema] = [each for each in described
                    if name in each["properties"]["command"].get("enum", [each["properties"]["command"].get("const")])]
        assert fields[name].keys() == schema["properties"].keys() - {"command", "id", "expires"}
        required = {key for key, field in fields[name].items() if field["required"]}
        assert required == set(schema["required"]) - {"command"}
    assert fields["alarm"]["rise"] == {
        "key": "rise", "allowed": "none, or a length as 5min, or a level and a length as -30dB 5min",
        "required": False, "argument": "LENGTH",
        "help": "begin 24 dB quieter, and reach the full volume after this time, as 5min"}
    # Only a file may name the line of a light.
    assert "light" not in fields["alarm"]
    assert fields["interval"]["words"].keys() == {"key", "allowed", "required", "help"}


# The announcer.


def asks(running, announcer):
    """Has an interval stopped, as the announcer knows by now: the thread that waits for the answer,
    and a list that gets it."""
    late = []
    announcer.calls.clear()
    thread = threading.Thread(
        target=lambda: late.append(running.order({"command": "interval_stop"})))
    thread.start()
    wait_until(lambda: "StopInterval" in announcer.calls, 60, "the call")
    return thread, late


def test_an_announcer_that_refuses_or_is_silent_is_told_of_and_holds_up_nobody(door, announcer):
    announcer.answer = lambda member: {
        "StopInterval": False, "CancelTimer": "org.clocksmith.Error.Refused"}.get(member, True)
    running = door().wait_for_announcer()
    # The announcer has five seconds. On a busy machine they may be over before the others are.
    is_seen = False
    for _ in range(4):
        thread, late = asks(running, announcer)
        refused(running.order({"command": "timer_cancel", "timer": "tea"}), 409, "refused")
        assert running.state().status == 200
        is_seen = is_seen or late == []
        thread.join(60)
        assert "does not answer" in refused(late[0], 504, "timeout")
        if is_seen:
            break
    assert is_seen, "the others had to wait"


def test_while_the_announcer_is_busy_and_the_broker_held_back_a_stop_gets_through(door, announcer, broker):
    announcer.answer = lambda member: member == "GetAll"
    running = door(rest=f"[mqtt]\nbroker = 127.0.0.1\nport = {broker.port}\nname = hall\n")
    running.wait_for_announcer().wait_for("connected to")
    subprocess.run(
        ["mosquitto_pub", *broker.client, "-t", COMMAND, "-q", "1", "-l"],
        input=b'{"command":"interval_stop"}\n' * 100, check=True, timeout=60)
    wait_until(lambda: announcer.calls.count("StopInterval") == 64, 60, "as many as may be called")
    connection = running.connect()
    connection.request("POST", "/v1/commands", json.dumps({"command": "stop"}), {
        "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
    wait_until(lambda: "Stop" in announcer.calls, 60, "the stop")
    assert announcer.calls.count("StopInterval") == 64
    connection.close()


def test_who_waits_when_the_relay_ends_is_told_that_it_may_be_done(door, announcer):
    announcer.answer = lambda member: member != "StopInterval"
    for _ in range(4):
        running = door().wait_for_announcer()
        thread, late = asks(running, announcer)
        assert running.stop() == 0
        thread.join(60)
        words = refused(late[0], 504, "timeout")
        # On a busy machine, the announcer's five seconds may be over before the stop.
        if "the relay is stopping" in words:
            break
    assert "the relay is stopping" in words and "may still carry" in words
    assert "Retry-After" not in late[0].headers


# Requests that are refused.


@pytest.mark.parametrize("token", [None, TOKEN[:-1], "x" * 4000])
def test_nothing_is_done_without_the_token(door, announcer, token):
    running = door().wait_for_announcer()
    for method, path in [("GET", "/v1/state"), ("GET", "/v1/commands"), ("POST", "/v1/commands"), ("GET", "/v1/none"),
                         ("PUT", f"/v1/devices/{PHONE}"), ("DELETE", f"/v1/devices/{PHONE}")]:
        answer = running.ask(method, path, {"command": "stop"}, token=token)
        refused(answer, 401, "token")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "Stop" not in announcer.calls
    assert len(running.matching("came with a wrong token")) == (token is not None), "once"
    log = running.log.read_text()
    assert TOKEN not in log and PHONE not in log and (not token or token not in log)


@pytest.mark.parametrize("method, path", [
    ("GET", "/"), ("GET", "/v1"), ("GET", "/v1/states"), ("GET", "/v1/devices/"),
    ("GET", f"/{'x' * 5000}"), ("GET", "/v1/%00"), ("GET", "/v1/state%00"), ("GET", "/v1/../v1/state"),
    ("POST", "/v1/state"), ("PATCH", "/v1/commands"), ("GET", f"/v1/devices/{PHONE}"),
])
def test_what_is_not_there_is_told(door, method, path):
    told = refused(door().ask(method, path, {} if method != "GET" else None), 404, "path")
    assert "POST /v1/commands" in told


# Pages in a browser.


PANEL = "http://panel.local:8123"


def test_a_page_of_a_named_origin_may_ask(door, announcer):
    running = door(f"origins = https://hall.local, {PANEL}").wait_for_announcer()
    connection = running.connect()
    # A browser asks first whether the page may, and has no token then.
    connection.request("OPTIONS", "/v1/commands", headers={
        "Origin": PANEL, "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type"})
    answer = connection.getresponse()
    assert answer.status == 204 and answer.read() == b""
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert answer.headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type"
    answers = [answer]
    for token, status in (TOKEN, 200), (None, 401):
        answers.append(running.order({"command": "stop"}, on=connection, token=token, origin=PANEL))
        assert answers[-1].status == status
    for answer in answers:
        assert answer.headers["Access-Control-Allow-Origin"] == PANEL
        assert answer.headers["Vary"] == "Origin"
    connection.close()


@pytest.mark.parametrize("section, origins", [
    (f"origins = {PANEL}", [None, "null", "http://panel.local", "https://panel.local:8123"]),
    ("", [PANEL])])
def test_a_page_of_another_origin_may_not(door, announcer, section, origins):
    running = door(section).wait_for_announcer()
    for origin in origins:
        asked = running.ask("OPTIONS", "/v1/state", token=None, origin=origin)
        refused(asked, 401, "token")
        for answer in asked, running.state(origin=origin):
            assert not [name for name in answer.headers if name.startswith("Access-Control")]


# Reloads.


def test_a_reload_changes_the_token_and_closes_the_door(door, announcer):
    running = door().wait_for_announcer()
    other = TOKEN[::-1]
    running.secret.write_text(other)
    assert running.state().status == 200, "not before it is told to"
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    refused(running.state(), 401, "token")
    assert running.state(token=other).status == 200
    running.text = "[ntfy a]\ntopic = b\n"
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    wait_until(lambda: len(running.matching("reloaded")) == 2, 60, "the reload")
    with pytest.raises(ConnectionRefusedError):
        running.state()


def test_a_port_that_is_taken_is_told_once_and_taken_when_it_is_free(door):
    port = free_port()
    taken = socket.create_server(("127.0.0.1", port))
    running = door(port=port, waits=False)
    told = running.wait_for("apps are not served until that is put right")
    assert f"cannot listen at 127.0.0.1:{port}: Address already in use" in told
    for count in (1, 2):
        running.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(running.matching("reloaded")) == count, 60, "another attempt")
    taken.close()
    running.wait_until_open()
    assert len(running.matching("Address already in use")) == 1
    refused(running.state(), 503, "absent")


NO_IPV6 = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int socket(int family, int type, int protocol) {
  int (*make)(int, int, int) = dlsym(RTLD_NEXT, "socket");
  if (family != AF_INET6) return make(family, type, protocol);
  errno = EAFNOSUPPORT;
  return -1;
}
"""


def test_a_machine_without_ipv6_serves_over_ipv4(door, on_the_bus, tmp_path):
    on_the_bus.environment = on_the_bus.environment | {
        "LD_PRELOAD": str(shared_library(tmp_path / "no-ipv6.so", NO_IPV6))}
    running = door(port=free_port(), host="[::]")
    assert running.matching(f"apps are served at http://0.0.0.0:{running.port}")
    refused(running.state(), 503, "absent")
    done = subprocess.run(
        [RELAY, "check", "--config", running.configuration], capture_output=True, text=True,
        env=running.environment, check=False, timeout=60)
    assert done.returncode == 0 and f"ok    http          http://0.0.0.0:{running.port}" in done.stdout
    assert "this machine has no IPv6" in done.stdout


def test_a_mark_before_json_is_skipped(door, announcer):
    running = door().wait_for_announcer()
    assert running.ask("POST", "/v1/commands", '\ufeff{"command":"stop"}').status == 200
