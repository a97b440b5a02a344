"""The face: what browsers get from the relay, and how long they may listen."""

import contextlib
import datetime
import gzip
import http.client
import json
import shutil
import signal
import socket
import subprocess
import time

import pytest

from http_door import refused
from pretended_announcer import held, notice
from program import ROOT
from relay import free_port
from sound_server import wait_until

ZONE = {"Zone": ("s", "Asia/Kathmandu")}
NEXT = {"Next": ("a{sv}", {
    "at": ("s", "2026-12-24T18:00:00Z"), "local": ("s", "2026-12-24T23:45:00+05:45"),
    "text": ("s", "eleven <fifty> & five"), "chime": ("s", "none"), "sounds": ("b", True)})}


@pytest.fixture
def running(door, announcer):
    announcer(**ZONE, **NEXT)
    return door("face = yes").wait_for_announcer()


class Listener:
    """A browser that listens to the events."""

    def __init__(self, running, source="127.0.0.1", buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(60)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", running.port))
        self.socket.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.chunks = self.read()
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.socket.recv(1)
            if not byte:
                break
            head += byte
        self.head = head.decode()
        self.status = int(head.split()[1]) if head else None
        self.text = b""

    def read(self):
        """The chunks of the body, each without its length."""
        file = self.socket.makefile("rb")
        while length := int(file.readline() or b"0", 16):
            yield file.read(length + 2)[:-2]

    def next(self):
        """The next event, as its name and its data; the name of a comment is empty."""
        while b"\n\n" not in self.text:
            self.text += next(self.chunks)
        event, self.text = self.text.split(b"\n\n", 1)
        if event.startswith(b":"):
            return "", None
        name, data = event.decode().split("\n")
        assert name.startswith("event: ") and data.startswith("data: ")
        return name[7:], json.loads(data[6:])

    def is_ended(self):
        """Whether the relay has ended it, however much there is to read before."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(65_536):
                pass
            return True
        except BlockingIOError:
            return False
        except ConnectionError:
            return True

    def close(self):
        self.socket.close()


@pytest.fixture
def listen():
    with contextlib.ExitStack() as stack:
        yield lambda *words, **options: stack.enter_context(
            contextlib.closing(Listener(*words, **options)))


# The page.


def test_the_page_says_time_next_and_trust_without_javascript(running):
    now = datetime.datetime.now(datetime.UTC)
    answer, page = running.get("/")
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    times = [(now + datetime.timedelta(hours=5, minutes=45, seconds=late)).strftime("%H:%M")
             for late in (0, 60)]
    page = page.decode()
    assert any(time in page for time in times), page
    assert "23:45: eleven &lt;fifty&gt; &amp; five" in page and "synchronised" in page
    assert "{" not in page


def test_every_file_of_the_page_is_served_with_its_type(running):
    types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript",
             ".svg": "image/svg+xml", ".png": "image/png",
             ".webmanifest": "application/manifest+json", ".json": "application/json"}
    for path in (ROOT / "face").iterdir():
        if path.name == "index.html" or path.suffix not in types:
            continue
        answer, body = running.get(f"/{path.name}")
        assert answer.status == 200
        if path.suffix == ".webmanifest":
            named = {"name": socket.gethostname(), "short_name": socket.gethostname()}
            assert json.loads(body) == json.loads(path.read_bytes()) | named
        else:
            assert body == path.read_bytes()
        assert answer.headers["Content-Type"].split(";")[0] == types[path.suffix]


def test_texts_are_packed_for_who_takes_that(running):
    for path in ("/timers.js", "/v1/commands"):
        plain = running.get(path)[1]
        answer, body = running.get(path, **{"Accept-Encoding": "gzip, br"})
        assert (answer.headers["Content-Encoding"], answer.headers["Vary"]) == ("gzip", "Accept-Encoding")
        assert gzip.decompress(body) == plain and len(body) < len(plain) / 2
    for path in ("/apple-touch-icon.png", "/v1/time"):
        assert "Content-Encoding" not in running.get(path, **{"Accept-Encoding": "gzip"})[0].headers


def test_what_a_browser_has_kept_is_not_sent_again(running):
    tag = running.get("/face.css")[0].headers["ETag"]
    answer, body = running.get("/face.css", **{"If-None-Match": tag})
    assert (answer.status, body, answer.headers["Cache-Control"]) == (304, b"", "no-cache")
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert running.get("/main.js", **{"If-None-Match": tag})[0].status == 200


@pytest.mark.parametrize("path", [
    "/none.js", "/index.html", "/../face/index.html", "/..%2Findex.html", "/%2e%2e/etc/passwd", "/./", "//",
    "/index.html/", "/.", "/..", "/%00", "/v1", "/face/", "/etc/passwd"])
def test_what_is_no_file_of_the_page_is_not_there(running, path):
    answer, body = running.get(path)
    assert answer.status == 404 and json.loads(body)["reason"] == "path"


def test_without_a_face_there_is_no_page_and_the_token_is_needed(door, announcer):
    announcer()
    running = door().wait_for_announcer()
    for path in "/", "/v1/time", "/v1/events":
        refused(running.ask("GET", path, token=None), 401, "token")
    refused(running.ask("GET", "/"), 404, "path")
    assert running.ask("GET", "/v1/time").status == 200


def test_a_face_needs_no_token_but_a_wrong_one_is_refused(running):
    refused(running.ask("GET", "/v1/time", token="x" * 32), 401, "token")
    running.text = running.text.replace(f"token_file = {running.secret}\n", "")
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    assert running.ask("GET", "/v1/time", token=None).status == 200
    refused(running.ask("GET", "/v1/time"), 401, "token")


# What is asked.


def test_the_time_is_that_of_the_clock_in_its_zone(running):
    before = time.time()
    answer = running.ask("GET", "/v1/time", token=None)
    assert set(answer.body) == {"instant", "local", "zone"}
    instant, local = (datetime.datetime.fromisoformat(answer.body[key])
                      for key in ("instant", "local"))
    assert before - 1e-3 <= instant.timestamp() <= time.time()
    assert local == instant.replace(microsecond=0)
    assert answer.body["local"].endswith("+05:45") and answer.body["zone"] == "Asia/Kathmandu"


def test_the_time_has_how_far_the_clock_may_be_off_now(door, announcer):
    pretended = announcer(**ZONE, ClockUncertainty=("d", 1.25), ClockWords=("s", "holdover"))
    running = door("face = yes").wait_for_announcer()
    assert running.ask("GET", "/v1/time").body["clock_uncertainty"] == 1.25
    # No signal tells of a change, as on a real clock.
    pretended.properties |= {"ClockUncertainty": ("d", 1.5)}
    wait_until(lambda: running.ask("GET", "/v1/time").body.get("clock_uncertainty") == 1.5, 60, "the newer value")
    # A state with it would be published all the time.
    assert not {"clock_uncertainty", "clock_words"} & set(running.state().body)
    pretended.close()
    running.wait_for("the announcer does not run")
    assert set(running.ask("GET", "/v1/time").body) == {"instant", "local", "zone"}


def line(instant, cause="occasion", **more):
    texts = {"instant": instant, "cause": cause, **more}
    return {key: ("s", value) for key, value in texts.items()}


def test_the_agenda_comes_whole_though_the_clock_tells_it_in_parts(door, announcer):
    start = time.time()
    middle, end = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + hours * 3600))
                   for hours in (12, 25))
    parts = [
        {"lines": ("aa{sv}", [line(middle), line(middle, "interval", signal="cue")]),
         "until": ("s", middle)},
        {"lines": ("aa{sv}", [line(middle, "interval", signal="cue"),
                              line(end, "interval", signal="end")]), "until": ("s", end)}]
    announcer(lambda member: parts.pop(0) if member == "Agenda" else True)
    answer = door("face = yes").wait_for_announcer().ask("GET", "/v1/agenda", token=None)
    assert answer.status == 200
    assert [(each["cause"], each.get("signal")) for each in answer.body["lines"]] == [
        ("occasion", None), ("interval", "cue"), ("interval", "end")]


def test_the_settings_are_those_of_the_clock(door, announcer):
    settings = {"settings": ("aa{sv}", [
        {"key": ("s", "announce.voice"), "value": ("s", "heart")}])}
    announcer(lambda member: settings if member == "Settings" else True)
    running = door("face = yes").wait_for_announcer()
    assert running.ask("GET", "/v1/settings", token=None).body == {
        "settings": [{"key": "announce.voice", "value": "heart"}]}


# Events.


def test_a_listener_hears_the_state_each_change_and_each_notice_and_the_last_300_are_kept(
        door, announcer, listen):
    clock = announcer()
    running = door("face = yes").wait_for_announcer()
    listener = listen(running)
    assert listener.status == 200 and "Content-Type: text/event-stream" in listener.head
    assert "X-Accel-Buffering: no" in listener.head
    assert listener.next() == ("state", running.state().body)
    clock.change(Muted=("b", True))
    name, state = listener.next()
    assert name == "state" and state["muted"]
    assert notices(running) == []
    begun = time.time()
    for number in range(301):
        clock.connection.send(notice("switch", f"notice {number}", {"SWITCH": "off"}))
    told = {"text": ""}
    while told["text"] != "notice 300":
        name, told = listener.next()
        assert name == "notice" and told["event"] == "switch" and told["priority"] == 5
        assert told["fields"] == {"SWITCH": "off"}
        assert datetime.datetime.fromisoformat(told["at"]).timestamp() >= begun - 1e-3
    assert [each["text"] for each in notices(running)] == [
        f"notice {number}" for number in range(1, 301)]


def notices(running):
    return running.ask("GET", "/v1/notices", token=None).body["notices"]


def test_a_clock_that_goes_and_comes_back_is_told(door, announcer, listen):
    first = announcer()
    running = door("face = yes").wait_for_announcer()
    listener = listen(running)
    assert listener.next()[0] == "state"
    first.close()
    name, told = listener.next()
    assert name == "absent" and told["reason"] == "absent" and "does not run" in told["error"]
    late = listen(running)
    assert late.next() == (name, told)
    announcer()
    for each in listener, late:
        assert each.next()[0] == "state"


def test_a_silent_stream_has_a_heartbeat_and_costs_nothing(running, listen):
    listener = listen(running)
    listener.next()
    spent, begun, woken = running.cpu(), time.monotonic(), running.wakeups()
    assert listener.next() == ("", None)
    assert time.monotonic() - begun < 25
    assert running.cpu() - spent < 0.2 and running.wakeups() - woken < 40


def test_a_browser_that_leaves_makes_room_at_once(running, listen):
    for _ in range(10):
        listeners = [listen(running, source=f"127.0.0.{2 + number // 12}") for number in range(32)]
        assert {each.status for each in listeners} == {200}
        refusal = listen(running)
        assert refusal.status == 503 and "Retry-After: " in refusal.head
        assert len(running.matching("the page of this clock is open too often")) == 1
        for each in listeners:
            each.close()
        wait_until(lambda: count_of_sockets(running) <= 1, 10, "their end")


def count_of_sockets(running):
    """The connections that the relay has at its port, also those that only the other side has ended."""
    lines = open("/proc/net/tcp", encoding="ascii").read().splitlines()[1:]
    local = f":{running.port:04X}"
    return sum(line.split()[1].endswith(local) and line.split()[3] in ("01", "08") for line in lines)


def test_32_pages_cost_little(running, listen):
    before = running.memory("Rss")
    listeners = [listen(running, source=f"127.0.0.{2 + number // 12}") for number in range(32)]
    for each in listeners:
        each.next()
    begun = time.monotonic()
    assert running.state(source="127.0.0.9").status == 200
    assert time.monotonic() - begun < 2
    assert running.memory("Rss") - before < 3072


def test_a_slow_reader_costs_little_and_is_ended(door, announcer, listen):
    clock = announcer()
    running = door("face = yes").wait_for_announcer()
    slow, quick = listen(running, buffer=2048), listen(running)
    quick.next()
    before = running.memory("Rss")
    words = "x" * 1000
    for number in range(1000):
        clock.connection.send(notice("switch", f"{number} {words}", {}))
        told = {"text": ""}
        while not told["text"].startswith(f"{number} "):
            told = quick.next()[1] or told
    assert running.memory("Rss") - before < 2048
    wait_until(lambda: count_of_sockets(running) <= 1, 30, "its end")
    assert slow.is_ended() and not quick.is_ended()


def test_a_reload_that_changes_the_door_ends_the_streams(running, listen):
    listener = listen(running)
    listener.next()
    running.text = running.text.replace("face = yes", "face = paired")
    running.configure()
    running.process.send_signal(signal.SIGHUP)
    running.wait_for("reloaded")
    wait_until(listener.is_ended, 20, "its end")


def test_streams_end_when_the_relay_stops(running, listen):
    listeners = [listen(running, source=f"127.0.0.{number + 2}") for number in range(10)]
    for each in listeners[:5]:
        each.next()
    begun = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - begun < 5
    for each in listeners:
        wait_until(each.is_ended, 10, "its end")


NGINX = """daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; location /clock/ {{
{block}
  }} }}
}}
"""


def described_block():
    """What docs/pairing.md has inside of its `location`."""
    text = (ROOT / "docs/pairing.md").read_text(encoding="utf-8")
    return text.split("location /clock/ {\n")[1].split("}")[0]


@pytest.fixture
def proxy(tmp_path):
    if not shutil.which("nginx", path="/usr/sbin:/usr/bin"):
        pytest.skip("no nginx here (apt install nginx)")
    started = []

    def proxy(running, block):
        port = free_port()
        block = block.replace("http://clocksmith.local", f"http://127.0.0.1:{running.port}")
        (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path, port=port, block=block))
        started.append(subprocess.Popen(
            ["/usr/sbin/nginx", "-c", tmp_path / "nginx.conf", "-p", tmp_path],
            stderr=subprocess.DEVNULL))

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        wait_until(listens, 60, "nginx")
        return port

    yield proxy
    for each in started:
        each.terminate()
        each.wait(60)


@pytest.mark.parametrize("block", ["proxy_pass http://clocksmith.local/;", None], ids=["alone", "described"])
def test_events_come_through_nginx_at_once(door, announcer, proxy, block):
    clock = announcer()
    running = door("face = yes").wait_for_announcer()
    port = proxy(running, block or described_block())
    with contextlib.ExitStack() as stack:
        for number in range(20):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            stack.enter_context(contextlib.closing(connection))
            connection.request("GET", "/clock/v1/events")
            answer = connection.getresponse()
            assert (number, answer.status) == (number, 200)
            assert answer.readline() == b"event: state\n"
        while answer.readline() != b"\n":
            pass
        clock.change(Muted=("b", True))
        assert answer.readline() == b"event: state\n"


def test_a_phone_is_paired_through_nginx_below_a_path(door, announcer, proxy):
    clock = announcer()
    running = door("face = paired").wait_for_announcer()
    port = proxy(running, described_block())

    def ask(method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.closing(connection):
            origin = {} if method == "GET" else {"Origin": f"http://127.0.0.1:{port}"}
            connection.request(method, f"/clock{path}", body and json.dumps(body), origin | headers)
            answer = connection.getresponse()
            return answer, answer.read()
    answer, _ = ask("POST", "/v1/pair", {"name": "Anna's phone"})
    assert answer.status == 202
    cookie, path = answer.headers["Set-Cookie"].split("; ")[:2]
    assert path == "Path=/clock/"
    clock.connection.send(held())
    wait_until(lambda: b'"paired"' in ask("GET", "/v1/pair", Cookie=cookie)[1], 60, "the pairing")
    assert ask("POST", "/v1/commands", {"command": "stop"}, Cookie=cookie)[0].status == 200
    assert ask("GET", "/", Cookie=cookie)[1].startswith(b"<!doctype html>")
