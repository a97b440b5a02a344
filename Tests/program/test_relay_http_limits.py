"""How little a stranger, or a faulty app, can take from the relay over HTTP."""

import contextlib
import http.client
import socket
import subprocess
import time

import pytest

from http_door import TOKEN, refused
from sound_server import least_of_four, wait_until

HEAD = (f"POST /v1/commands HTTP/1.1\r\nHost: clock\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\n").encode()


@pytest.fixture
def running(door, announcer):
    announcer()
    return door().wait_for_announcer()


def test_a_body_may_be_as_long_as_a_command_and_no_longer(running):
    def order(size):
        command = '{"command":"stop"}'
        return running.ask("POST", "/v1/commands", command + " " * (size - len(command)))
    assert order(16_384).status == 200
    assert "at most 16384 bytes" in refused(order(16_385), 413, "large")
    refused(order(1_000_000), 413, "large")


def curl(running, *words, given):
    done = subprocess.run(
        ["curl", "-sS", "-m", "20", "-w", "%{http_code}", "-o", "-", *words, "--data-binary", "@-",
         "-H", f"Authorization: Bearer {TOKEN}", "-H", "Content-Type: application/json",
         f"http://127.0.0.1:{running.port}/v1/commands"],
        input=given, capture_output=True, timeout=60, check=False)
    return done.stdout.decode()[-3:]


def test_a_huge_body_is_not_taken(running):
    before = running.memory("Anonymous")
    huge = b" " * 30_000_000
    assert curl(running, given=huge) == "413", "without sending it"
    # Without "Expect: 100-continue", a client may be cut off before it has read the answer.
    assert curl(running, "-H", "Expect:", given=huge) in ("413", "000")
    assert curl(running, "-H", "Transfer-Encoding: chunked", "-H", "Expect:", given=huge) == "000"
    chunked = curl(running, "-H", "Transfer-Encoding: chunked", "-H", "Expect:",
                   given=b" " * 100_000)
    assert chunked == "413"
    assert curl(running, "-H", "Transfer-Encoding: chunked", given=b'{"command":"stop"}') == "200"
    assert running.memory("Anonymous") - before < 1024
    assert running.state().status == 200


@pytest.mark.parametrize("start", [HEAD + b"Content-Length: 1000\r\n\r\n", HEAD[:-2] + b"\r\nX: ", b""],
                         ids=["body", "head", "nothing"])
def test_who_sends_a_byte_a_second_does_not_shut_others_out(running, start):
    """On all connections that there may be, from several addresses."""
    with contextlib.ExitStack() as stack:
        many = []
        for number in range(130):
            many.append(stack.enter_context(socket.create_connection(
                ("127.0.0.1", running.port), 60, source_address=(f"127.0.0.{2 + number // 16}", 0))))
            many[-1].sendall(start)
        begun = time.monotonic()
        while not answers(running, 1):
            assert time.monotonic() - begun < 20
            for each in many:
                with contextlib.suppress(OSError):
                    each.sendall(b"x")


def test_who_is_refused_for_want_of_a_connection_is_told(door, announcer):
    announcer()
    running = door("face = yes").wait_for_announcer()
    with contextlib.ExitStack() as stack:
        for _ in range(48):
            stack.enter_context(socket.create_connection(("127.0.0.1", running.port)))
        answer = running.send("GET", "/v1/state")
        assert refused(answer, 503, "full").startswith("too many connections are open")
        assert answer.headers["Connection"] == "close" and answer.headers["Retry-After"]
        # With the token, and from elsewhere, all is as ever.
        assert running.state().status == 200
        assert running.send("GET", "/v1/state", source="127.0.0.2").status == 200
        for _ in range(3):
            running.send("GET", "/v1/state")
        assert len(running.matching("too many connections are open")) == 1


@pytest.mark.parametrize("start", [HEAD + b"Content-Length: 1000\r\n\r\n", HEAD[:-2] + b"\r\nX: ", b""],
                         ids=["body", "head", "nothing"])
def test_a_silent_app_is_not_waited_for(running, start):
    def seconds():
        begun, spent = time.monotonic(), running.cpu()
        with socket.create_connection(("127.0.0.1", running.port), 60) as silent:
            silent.sendall(start)
            while silent.recv(4096):
                pass
        assert running.cpu() - spent < 1, "nor does it turn round and round meanwhile"
        return time.monotonic() - begun

    assert 8 < least_of_four(seconds, 15) < 15
    assert running.state().status == 200


def test_an_idle_connection_ends_and_an_idle_door_wakes_nobody(running):
    connection = running.connect()
    assert running.state(on=connection).status == 200
    connection.sock.settimeout(60)
    assert connection.sock.recv(1) == b""
    connection.close()
    # Anything that is due every few seconds has been due by then.
    def wakeups():
        before = running.wakeups()
        time.sleep(3)
        return running.wakeups() - before

    # On a busy machine, what the end of the connection brings may come late.
    assert least_of_four(wakeups, 2) <= 1


def test_many_connections_of_one_address_leave_room_for_others(running):
    # Silent connections are ended after ten seconds in any case: on a busy machine, that may be
    # before all of them were made.
    for _ in range(4):
        begun = time.monotonic()
        with contextlib.ExitStack() as stack:
            many = [stack.enter_context(socket.create_connection(("127.0.0.1", running.port)))
                    for _ in range(80)]
            ended = []

            def are_ended():
                for each in many:
                    each.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        if each not in ended and is_at_its_end(each):
                            ended.append(each)
                return len(ended) >= 16
            wait_until(are_ended, 60, "the end of all but 64")
            count = len(ended)
            assert running.state(source="127.0.0.2").status == 200
        wait_until(lambda: answers(running), 60, "room for the first address")
        if time.monotonic() - begun < 9:
            break
    assert count == 16


def is_at_its_end(connection):
    try:
        return not connection.recv(1)
    except ConnectionError:
        return True


def answers(running, seconds=60):
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=seconds)
    with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
        return running.state(on=connection).status == 200


@pytest.mark.parametrize("garbage", [
    b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    HEAD + b"Content-Length: -1\r\n\r\n", HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
    b"PUT /v1/phones/1 HTTP/1.0\r\n\r\n"])
def test_garbage_harms_nothing(running, garbage):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.settimeout(60)
        with contextlib.suppress(ConnectionError):
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
    assert running.state().status == 200


@pytest.mark.parametrize("lengths", [
    b"Content-Length: 18\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nContent-Length: 18\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 18\r\n",
    b"Content-Length: 18\r\nTransfer-Encoding: chunked\r\n"])
def test_a_body_with_two_ends_is_not_taken(running, lengths):
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.settimeout(60)
        order = b'{"command":"stop"}'
        is_coded = b"chunked" in lengths
        answer = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(
                HEAD + lengths + b"\r\n" + (b"12\r\n%s\r\n0\r\n\r\n" % order if is_coded else order))
            while more := connection.recv(4096):
                answer += more
    assert answer == b"", "neither as one request nor as two"
    assert not running.matching("carried out")
