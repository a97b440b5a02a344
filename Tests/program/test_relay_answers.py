"""Answers of ntfy and webhooks that do not end as they should: a message that was accepted stays so."""

import contextlib
import http.server
import sys
import threading
import time

import pytest



class Stream:
    """A web server whose answers have this status and a body of these pieces, after which the connection
    ends. Without a length, only that end ends the body."""

    def __init__(self, status, pieces, length=None):
        stream = self
        self.requests = 0
        self.sent = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                self.rfile.read(int(self.headers["content-length"]))
                stream.requests += 1
                self.send_response(status)
                if length is not None:
                    self.send_header("content-length", str(length))
                self.end_headers()
                with contextlib.suppress(OSError):
                    for piece in pieces():
                        self.wfile.write(piece)
                        stream.sent += len(piece)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def stream():
    made = []

    def stream(*words, **options):
        made.append(Stream(*words, **options))
        return made[-1]
    yield stream
    for each in made:
        each.stop()


def endless():
    while True:
        yield b"x" * 65536


def cut():
    yield b"x"


def dripping():
    # Longer than the relay waits.
    for _ in range(40):
        time.sleep(1)
        yield b"x"


def publish(push_relay, server):
    running = push_relay(f"[ntfy phone]\nserver = {server.url}\ntopic = bells\n")
    running.push("the bell is at ten")
    return running


@pytest.mark.parametrize("pieces, length", [(endless, None), (cut, 1000), (dripping, None)],
                         ids=["endless", "cut", "dripping"])
def test_what_was_accepted_is_not_sent_again_however_its_answer_ends(stream, push_relay, pieces, length):
    server = stream(200, pieces, length=length)
    running = publish(push_relay, server)
    running.wait_for('published "the bell is at ten": 1 accepted')
    assert server.requests == 1 and not running.matching("it is tried again")
    assert server.sent < 20_000_000


def test_an_endless_refusal_is_judged_by_its_status(stream, push_relay):
    server = stream(400, endless)
    running = publish(push_relay, server)
    running.wait_for("1 refused (ntfy phone: refused, status 400)")
    assert server.requests == 1 and server.sent < 20_000_000


def test_a_status_of_the_request_before_is_not_that_of_the_next(web, push_relay):
    running = publish(push_relay, web)
    running.wait_for("1 accepted")
    web.answer = lambda request: sys.exit()
    running.push("and again at eleven")
    running.wait_for("it is tried again")
    assert running.waiting() == 1
