"""Phones that are paired with the clock, and who may come in without the token."""

import contextlib
import json
import socket
import subprocess
import time

import pytest

import relay as parts
from c_library import shared_library
from http_door import TOKEN, refused
from pretended_announcer import held
from pretended_apns import make_certificate
from sound_server import wait_until

HOST = "clocksmith.test"


class Browser:
    """The page of the clock in a browser, which keeps the cookie."""

    def __init__(self, running, authority=None):
        self.running = running
        self.authority = authority
        self.host = f"{HOST}:{running.port}"
        self.cookie = None

    def ask(self, method, path, body=None, **headers):
        """A header that is None is left out."""
        answer = self.running.send(method, path, body, {
            "Host": self.host, "Content-Type": None if body is None else "application/json",
            "Origin": None if method in ("GET", "HEAD") else
                      f"http{'s' if self.authority else ''}://{self.host}",
            "Cookie": self.cookie and f"theme=dark; clocksmith={self.cookie}; other=1"
        } | {name.replace("_", "-"): value for name, value in headers.items()},
            authority=self.authority)
        if cookie := answer.headers["Set-Cookie"]:
            name, _, value = cookie.split(";")[0].partition("=")
            assert name == "clocksmith"
            self.cookie = value
        return answer

    def pair(self, name="Anna's phone"):
        return self.ask("POST", "/v1/pair", {"name": name})

    def standing(self):
        answer = self.ask("GET", "/v1/pair")
        assert answer.status == 200, answer.body
        return answer.body

    def act(self, **headers):
        return self.ask("POST", "/v1/commands", {"command": "stop"}, **headers)

    def is_paired(self):
        return self.standing()["status"] == "paired"


@pytest.fixture
def announcer(announcer):
    return announcer()


FACE = f"face = yes\nnames = {HOST}"


@pytest.fixture
def running(door, announcer):
    return door(FACE).wait_for_announcer()


@pytest.fixture
def browser(running):
    return Browser(running)


def hold(announcer):
    announcer.connection.send(held())


def paired(running, announcer, name="Anna's phone"):
    browser = Browser(running)
    assert browser.pair(name).status == 202
    hold(announcer)
    wait_until(browser.is_paired, 60, "the pairing")
    return browser


def terminal(running, *words):
    """Runs `clocksmith-relay pair` with these words: the process."""
    return subprocess.Popen(
        [parts.RELAY, "pair", *words], env=running.environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# Pairing.


def test_a_phone_is_paired_by_a_button_that_is_held(browser, running, announcer):
    assert browser.standing() == {"status": "none", "look": True}
    assert "not paired" in refused(browser.act(), 401, "unpaired")
    asked = browser.pair()
    assert (asked.status, asked.body["seconds"]) == (202, 60)
    assert len(asked.body["words"].split()) == 2
    cookie = asked.headers["Set-Cookie"].split("; ")
    assert len(browser.cookie) == 64
    assert cookie[1:] == ["Path=/", "Max-Age=34560000", "HttpOnly", "SameSite=Strict"]
    standing = browser.standing()
    assert 50 < standing.pop("seconds") <= 60
    assert standing == {"status": "waiting", "words": asked.body["words"],
                        "name": "Anna's phone", "look": True}
    refused(browser.act(), 401, "unpaired")
    running.wait_for(f'asks to be paired: "Anna\'s phone" at 127.0.0.1, "{asked.body["words"]}"')
    hold(announcer)
    wait_until(browser.is_paired, 60, "the pairing")
    again = browser.ask("GET", "/v1/pair")
    assert again.body == {"status": "paired", "name": "Anna's phone", "look": True}
    # It lasts from the last visit.
    assert again.headers["Set-Cookie"].split("; ") == [f"clocksmith={browser.cookie}", *cookie[1:]]
    assert browser.act().status == 200
    running.wait_for('phone 1, "Anna\'s phone", is paired')
    assert not running.matching(browser.cookie)
    with running.register() as kept:
        assert browser.cookie not in "".join(kept.iterdump()), "the register has only digests"


def test_a_phone_stays_paired_over_a_restart_and_one_that_waits_does_not(
        browser, running, announcer, door):
    browser = paired(running, announcer)
    other = Browser(running)
    assert other.pair("Ben's").status == 202
    assert running.stop() == 0
    again = door(FACE).wait_for_announcer()
    browser.running = other.running = again
    browser.host = other.host = f"{HOST}:{again.port}"
    assert browser.act().status == 200
    assert other.standing()["status"] == "none"
    hold(announcer)
    refused(other.act(), 401, "unpaired")


def test_a_second_phone_is_refused_and_the_first_is_paired(browser, running, announcer):
    assert browser.pair().status == 202
    for _ in range(6):
        assert "another phone asks" in refused(Browser(running).pair("Ben's"), 409, "pairing")
    hold(announcer)
    wait_until(browser.is_paired, 60, "the pairing")
    # Nothing is left of the others.
    assert Browser(running).pair("Ben's").status == 202


def test_a_button_that_was_held_before_pairs_no_later_phone(browser, running, announcer):
    hold(announcer)
    assert browser.pair().status == 202
    assert not browser.is_paired()


@pytest.mark.parametrize("is_paired", [False, True])
def test_a_browser_ends_its_own_pairing_and_no_other(running, announcer, is_paired):
    other = paired(running, announcer)
    browser = paired(running, announcer, "Ben's") if is_paired else Browser(running)
    if not is_paired:
        assert browser.pair("Ben's").status == 202
    cookie = browser.cookie
    refused(browser.ask("DELETE", "/v1/pair", Origin="http://evil.test"), 403, "origin")
    assert Browser(running).ask("DELETE", "/v1/pair").status == 200
    gone = browser.ask("DELETE", "/v1/pair")
    assert gone.body == {"status": "done"} and "Max-Age=0" in gone.headers["Set-Cookie"]
    browser.cookie = cookie
    hold(announcer)
    assert browser.standing()["status"] == "none" and other.is_paired()
    if is_paired:
        running.wait_for('phone 2, "Ben\'s", is not paired any more')
    assert browser.pair().status == 202


def test_a_phone_is_paired_or_refused_at_a_terminal(browser, running):
    asking = terminal(running)
    assert "open the page" in asking.stdout.readline()
    assert browser.pair().status == 202
    assert "not paired" in asking.communicate("n\n", timeout=60)[0] and asking.returncode == 1
    wait_until(lambda: browser.standing()["status"] == "none", 60, "the refusal")
    words = browser.pair("\u202eAnna\x1b[2J").body["words"]
    asking = terminal(running)
    told, _ = asking.communicate("y\n", timeout=60)
    assert told.splitlines()[0] == (
        f'"\\u{{202E}}Anna\\u{{1B}}[2J" at 127.0.0.1 shows the words: {words}')
    assert "paired phone 1" in told and asking.returncode == 0
    assert browser.act().status == 200
    running.wait_for("phone 1, ")


@pytest.mark.parametrize("body, reason", [
    (b"{", "json"), (b"\xff", "json"), ({}, "value"), ({"name": ""}, "value"),
    ({"name": 1}, "value"), ({"name": "ö" * 41}, "value")])
def test_a_phone_without_a_name_is_not_paired(browser, body, reason):
    refused(browser.ask("POST", "/v1/pair", body), 400, reason)
    assert browser.standing()["status"] == "none"


def test_a_full_register_is_told_and_counts_for_nobody(browser, running, announcer):
    with running.register() as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(6):
            refused(browser.pair(), 503, "register")
        other.rollback()
        assert browser.pair().status == 202
        other.execute("BEGIN IMMEDIATE")
        hold(announcer)
        running.wait_for("is not paired: the register")
        assert not browser.is_paired()
        other.rollback()
    hold(announcer)
    wait_until(browser.is_paired, 60, "the pairing")


def test_a_full_disk_is_told_and_what_is_paired_goes_on(
        on_the_bus, announcer, door, full_disk):
    subprocess.run(["mount", "-o", "remount,size=1m", full_disk], check=True)
    on_the_bus.environment |= {"STATE_DIRECTORY": str(full_disk)}
    running = door(FACE).wait_for_announcer()
    browser = paired(running, announcer)
    with contextlib.suppress(OSError):
        (full_disk / "filler").write_bytes(bytes(1 << 20))
    refused(Browser(running).pair(), 503, "register")
    assert browser.act().status == 200 and browser.is_paired()
    (full_disk / "filler").unlink()
    assert browser.ask("DELETE", "/v1/phones/1").status == 200
    refused(browser.act(), 401, "unpaired")
    # The relay keeps its files there.
    assert running.stop() == 0


# The cookie.


@pytest.mark.parametrize("change", [
    lambda cookie: cookie[:-1], lambda cookie: cookie + "0", lambda cookie: "0" * 64,
    lambda cookie: cookie.upper(), lambda cookie: "", lambda cookie: "x" * 4000])
def test_another_cookie_is_none(running, announcer, change):
    browser = paired(running, announcer)
    browser.cookie = change(browser.cookie)
    refused(browser.act(), 401, "unpaired")
    assert browser.standing()["status"] == "none"


def test_the_digest_in_the_register_is_no_cookie(running, announcer):
    browser = paired(running, announcer)
    with running.register() as kept:
        [(browser.cookie,)] = kept.execute("SELECT cookie FROM phones")
    refused(browser.act(), 401, "unpaired")


# The phones.


def test_phones_are_listed_and_revoked(running, announcer):
    first, second = paired(running, announcer), paired(running, announcer, "Bens Telefon")
    listed = first.ask("GET", "/v1/phones").body["phones"]
    assert [(each["number"], each["name"], each["this"]) for each in listed] == [
        (1, "Anna's phone", True), (2, "Bens Telefon", False)]
    assert all(each["since"].endswith("Z") and each["seen"].endswith("Z") for each in listed)
    assert not any(each["this"] for each in running.ask("GET", "/v1/phones").body["phones"])
    refused(Browser(running).ask("GET", "/v1/phones"), 401, "unpaired")
    refused(Browser(running).ask("DELETE", "/v1/phones/1"), 401, "unpaired")
    for number in ("3", "0", "-1", "one", "99999999999999999999"):
        refused(first.ask("DELETE", f"/v1/phones/{number}"), 404, "unknown")
    assert first.ask("DELETE", "/v1/phones/2").body == {"status": "done"}
    running.wait_for('phone 2, "Bens Telefon", is not paired any more')
    refused(second.act(), 401, "unpaired")
    # Of oneself, too, with what is open; and no number is used again.
    connection = running.connect()
    connection.request("GET", "/v1/events", headers={
        "Host": first.host, "Cookie": f"clocksmith={first.cookie}"})
    stream = connection.getresponse()
    assert stream.readline() == b"event: state\n"
    gone = first.ask("DELETE", "/v1/phones/1")
    assert gone.status == 200 and "Max-Age=0" in gone.headers["Set-Cookie"]
    while stream.readline():
        pass
    connection.close()
    assert paired(running, announcer).ask("GET", "/v1/phones").body["phones"][0]["number"] == 3


def test_phones_are_listed_and_removed_by_command(running, announcer):
    browser = paired(running, announcer)
    [line] = running.command("pair", "list").splitlines()
    assert line.startswith("1  ") and line.endswith("Z  Anna's phone")
    [each] = running.command("pair", "list", "--json").splitlines()
    assert set(json.loads(each)) == {"number", "name", "since", "seen"}
    assert running.command("pair", "remove", "1") == "removed 1 phone\n"
    refused(browser.act(), 401, "unpaired")
    running.wait_for('phone 1, "Anna\'s phone", is not paired any more')


def came_last(running, days):
    """All phones came last so many days ago."""
    with running.register() as kept:
        kept.execute("UPDATE phones SET seen = ?", (int((time.time() - days * 86_400) * 1_000_000),))
        kept.commit()


def test_a_phone_that_has_not_come_for_400_days_is_paired_no_more(running, announcer):
    browser = paired(running, announcer)
    came_last(running, 401)
    refused(browser.act(), 401, "unpaired")
    assert running.command("pair", "list") == ""
    running.wait_for('phone 1, "Anna\'s phone", is not paired any more')


# Preloaded: the clock is off by as many seconds as the file says.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int (*get)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int code = get(clock, time);
  FILE *file = clock == CLOCK_REALTIME ? fopen(getenv("CLOCK_OFFSET"), "r") : NULL;
  long offset = 0;
  if (file) {
    if (fscanf(file, "%ld", &offset) == 1) time->tv_sec += offset;
    fclose(file);
  }
  return code;
}
"""


@pytest.fixture
def clock(on_the_bus, tmp_path):
    """Sets the relay's clock, by a year."""
    path = tmp_path / "offset"
    on_the_bus.environment = on_the_bus.environment | {
        "LD_PRELOAD": str(shared_library(tmp_path / "clock.so", CLOCK)), "CLOCK_OFFSET": str(path)}

    def clock(year=None):
        written = path.with_suffix(".new")
        written.write_text(str(year and int((year - 1970) * 365.2425 * 86_400 - time.time()) or 0))
        written.rename(path)
    return clock


@pytest.mark.parametrize("year", [1970, 2020, 2025])
def test_a_phone_that_was_paired_under_a_wrong_clock_stays_paired(clock, announcer, door, year):
    clock(year)
    announcer.properties |= {"Trust": ("s", "untrusted")}
    running = door(FACE).wait_for_announcer()
    browser = paired(running, announcer)
    clock()
    assert browser.is_paired()
    announcer.change(Trust=("s", "synchronised"))
    wait_until(lambda: running.state().body["trust"] == "synchronised", 60, "trust")
    assert browser.act().status == 200 and browser.is_paired()
    assert len(running.command("pair", "list").splitlines()) == 1
    assert not running.matching("is not paired any more")
    # From then on its 400 days run.
    came_last(running, 401)
    assert not browser.is_paired()


def test_a_clock_that_is_wrong_for_a_while_ends_no_pairing(clock, announcer, door):
    clock()
    running = door(FACE).wait_for_announcer()
    browser = paired(running, announcer)
    assert browser.is_paired()
    announcer.change(Trust=("s", "untrusted"))
    wait_until(lambda: running.state().body["trust"] == "untrusted", 60, "its end")
    clock(2099)
    assert browser.act().status == 200
    assert len(running.command("pair", "list").splitlines()) == 1
    clock()
    announcer.change(Trust=("s", "synchronised"))
    assert browser.act().status == 200
    assert not running.matching("is not paired any more")


@pytest.mark.parametrize("words, status, told", [
    (["remove", "7"], 1, "no phone has the number 7: see 'pair list'"),
    (["now"], 2, "write 'pair' alone, 'pair list' or 'pair remove NUMBER'")])
def test_a_wrong_pair_command_is_told_with_a_right_one(running, words, status, told):
    asking = terminal(running, *words)
    _, line = asking.communicate(timeout=60)
    assert asking.returncode == status and told in line and len(line.splitlines()) == 1


# Who may come in.


def test_under_paired_others_may_only_ask_to_be_paired(door, announcer):
    running = door(f"face = paired\nnames = {HOST}").wait_for_announcer()
    browser = Browser(running)
    pages = [f"/v1/{page}" for page in ("state", "time", "notices", "agenda", "settings", "events")]
    for page in pages:
        refused(browser.ask("GET", page), 401, "unpaired")
    assert browser.standing() == {"status": "none", "look": False}
    assert running.ask("GET", "/v1/pair").body == {"status": "none", "look": True}
    browser = paired(running, announcer)
    for page in pages[:3]:
        assert browser.ask("GET", page).status == 200
    assert browser.standing()["look"] is True


def test_the_token_goes_on_to_count_and_a_wrong_one_counts_before_the_cookie(running, announcer):
    browser = paired(running, announcer)
    assert running.order({"command": "stop"}).status == 200
    refused(browser.act(Authorization="Bearer none"), 401, "token")
    # No browser sends a token by itself, so nothing else is asked of a program that does.
    assert browser.act(Authorization=f"Bearer {TOKEN}", Origin="http://evil.test",
                       Host="evil.test").status == 200


@pytest.mark.parametrize("host", [
    "127.0.0.1", "127.0.0.1:{port}", "[::1]:{port}", "[fe80::1]", "localhost:{port}", "LOCALHOST",
    f"{HOST}:{{port}}", f"{HOST.upper()}:80", f"{HOST}.", "{machine}", "{machine}.local:{port}",
    "{machine}-2.local", "kitchen.local", "{machine}.fritz.box", "{machine}.lan:{port}",
    "{machine}.home.arpa", "{machine}.INTERNAL", "{machine}.home.", "{machine}.iot.home",
    "{machine}.localdomain", "{machine}.speedport.ip"])
def test_the_clock_is_reached_by_its_names(browser, running, host):
    host = host.format(port=running.port, machine=socket.gethostname().partition(".")[0])
    assert browser.ask("GET", "/v1/state", Host=host).status == 200


@pytest.mark.parametrize("host", [
    None, "", "evil.test", "evil.test:{port}", f"{HOST}.evil.test", f"evil{HOST}", "local.test",
    "{machine}.evil.test", "{machine}.local.evil.test", "127.0.0.1.evil.test", "evillocal.test",
    "[evil.test]", "evil.test:80:{port}", f"evil.test#{HOST}", f"{HOST}@evil.test",
    "x" * 2000 + ".test", "2130706433.evil", f"{HOST} evil.test", "evil.fritz.box", "evil.lan",
    "{machine}.lan.evil.test", "{machine}x.lan", "{machine}.evil.box", "{machine}.evillan"])
def test_another_name_may_be_that_of_a_page_from_elsewhere(browser, running, announcer, host):
    machine = socket.gethostname().partition(".")[0]
    host = host and host.format(port=running.port, machine=machine)
    if host is None:
        # HTTP/1.1 needs one: libmicrohttpd itself refuses.
        with socket.create_connection(("127.0.0.1", running.port), 60) as plain:
            plain.sendall(b"GET /v1/state HTTP/1.0\r\n\r\n")
            assert b" 421 " in plain.recv(4096)
        return
    refused(browser.ask("GET", "/v1/state", Host=host), 421, "host")
    refused(browser.ask("GET", "/v1/pair", Host=host), 421, "host")
    browser.host = host
    refused(browser.pair(), 421, "host")


RESOLVED = 'printf "nameserver 127.0.0.1\\nsearch school.test Hall.test\\n" >"$0" && '
MOUNTED = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'


def test_the_domain_that_the_network_gives_is_of_the_house(door, announcer, tmp_path, on_the_bus):
    within = ["unshare", "--mount", "sh", "-c", RESOLVED + MOUNTED, tmp_path / "resolv.conf"]
    if subprocess.run([*within, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("nothing can be mounted here (not root?)")
    browser = Browser(door("face = yes", within=within).wait_for_announcer())
    machine = socket.gethostname().partition(".")[0]
    for host in (f"{machine}.school.test", f"{machine}.hall.test"):
        assert browser.ask("GET", "/v1/state", Host=host).status == 200
    for host in ("evil.school.test", f"{machine}.test", f"{machine}.evil.school.test"):
        refused(browser.ask("GET", "/v1/state", Host=host), 421, "host")


def test_a_person_with_a_wrong_name_gets_a_page_that_says_what_to_write(browser, running):
    answer, page = running.get("/", Host="Clock.example<b>", Accept="text/html,*/*;q=0.8")
    assert answer.status == 421 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert b"<b>" not in page and b"this clock is not called 'Clock.example&lt;b&gt;'" in page
    name = "clock-with-a-name-of-more-than-forty-letters.example"
    _, page = running.get("/", Host=f"{name}:8080", Accept="text/html")
    assert f"write 'names = {name}' under [http]" in page.decode()
    # It listens on this machine alone, so the machine's name leads nowhere.
    assert b"href" not in page


@pytest.mark.parametrize("headers", [
    {"Origin": None}, {"Origin": "null"}, {"Origin": "http://evil.test"},
    {"Origin": f"http://{HOST}"}, {"Origin": f"http://{HOST}:1"}, {"Origin": ""},
    {"Origin": f"http://{HOST}.evil.test:{{port}}"}, {"Origin": f"ftp://{HOST}:{{port}}"},
    {"Origin": None, "Sec_Fetch_Site": "cross-site"},
    {"Origin": None, "Sec_Fetch_Site": "same-site"}, {"Origin": None, "Sec_Fetch_Site": "none"}])
def test_a_page_from_elsewhere_may_not_act_with_the_cookie(running, announcer, headers):
    browser = paired(running, announcer)
    headers = {name: value and value.format(port=running.port) for name, value in headers.items()}
    announcer.calls.clear()
    refused(browser.act(**headers), 403, "origin")
    refused(browser.ask("DELETE", "/v1/phones/1", **headers), 403, "origin")
    refused(Browser(running).ask("POST", "/v1/pair", {"name": "x"}, **headers), 403, "origin")
    refused(browser.ask("OPTIONS", "/v1/commands", **headers), 403, "origin")
    assert "Stop" not in announcer.calls and browser.is_paired()


def test_the_page_of_the_clock_may_act_also_behind_a_proxy(running, announcer):
    browser = paired(running, announcer)
    assert browser.act(Origin=None, Sec_Fetch_Site="same-origin").status == 200
    # Something in front of the relay adds TLS.
    assert browser.act(Host=HOST, Origin=f"https://{HOST}").status == 200


def test_with_tls_the_cookie_never_goes_without(door, announcer, tmp_path):
    certificate, key = make_certificate(tmp_path)
    running = door(f"{FACE}\ncertificate = {certificate}\nkey = {key}").wait_for_announcer()
    browser = Browser(running, certificate)
    assert browser.pair().headers["Set-Cookie"].endswith("; SameSite=Strict; Secure")
    hold(announcer)
    wait_until(browser.is_paired, 60, "the pairing")
    assert browser.act().status == 200
    # Anybody in the network can make a page without TLS under the name of the clock.
    refused(browser.act(Origin=f"http://{browser.host}"), 403, "origin")


PANEL = "http://panel.test:8123"


def test_every_answer_has_the_rules_for_browsers(door, announcer):
    running = door(f"{FACE}\norigins = {PANEL}").wait_for_announcer()
    browser = Browser(running)
    for answer in (browser.ask("GET", "/v1/state"), browser.ask("HEAD", "/v1/pair"),
                   browser.act(), browser.ask("GET", "/v1/state", Host="evil.test"),
                   browser.ask("GET", "/none"), browser.act(Origin="http://evil.test")):
        headers = answer.headers
        rules = headers["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in rules and "frame-ancestors 'none'" in rules
        assert not any(word in rule for rule in rules for word in ("unsafe", "*", "data:"))
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Access-Control-Allow-Origin"] is None
        assert headers["Access-Control-Allow-Credentials"] is None
    panel = browser.ask("GET", "/v1/state", Origin=PANEL)
    assert panel.headers["Access-Control-Allow-Origin"] == PANEL
    assert panel.headers["Cross-Origin-Resource-Policy"] is None
    # A named page acts with the token alone.
    refused(paired(running, announcer).act(Origin=PANEL), 403, "origin")


# The page.
