"""Networks and brokers that are slow or silent: nothing waits for them, and nothing spins."""

import socket
import subprocess
import threading
import time

import pytest

import relay as parts
from relay import COMMAND


class FullDoor:
    """A port where connections begin and are never made, as on a network that loses packets."""

    def __init__(self, host="127.0.0.1", port=None):
        self.server = socket.socket()
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.server.bind((host, port or parts.free_port()))
        self.server.listen(0)
        self.port = self.server.getsockname()[1]
        self.waiting = [socket.socket() for _ in range(3)]
        for each in self.waiting:
            each.setblocking(False)
            each.connect_ex((host, self.port))
        time.sleep(0.1)
        self.knocking = self.count()

    def count(self):
        """The number of connections to it that are begun and not made (SYN_SENT is 02)."""
        lines = open("/proc/net/tcp", encoding="ascii").read().splitlines()[1:]
        return sum(line.split()[2].endswith(f":{self.port:04X}") and line.split()[3] == "02"
                   for line in lines)

    def is_knocked_at(self):
        return self.count() > self.knocking

    def open(self):
        """Accepts everybody who waits. The others get in when their SYN is repeated."""
        self.server.settimeout(60)

        def accept():
            try:
                while True:
                    self.accepted.append(self.server.accept()[0])
            except OSError:
                pass
        self.accepted = []
        threading.Thread(target=accept, daemon=True).start()

    def close(self):
        for each in [*self.waiting, self.server, *getattr(self, "accepted", [])]:
            each.close()


def spent(relay, seconds):
    before = relay.cpu()
    time.sleep(seconds)
    return relay.cpu() - before


@pytest.mark.parametrize("rest", ["", "tls = yes"], ids=["plain", "TLS"])
@pytest.mark.parametrize("opens", [True, False], ids=["silent", "not reached"])
def test_a_peer_that_says_nothing_costs_no_time(relay_to, rest, opens):
    parts.need_relay()
    door = FullDoor()
    try:
        relay = relay_to(door.port, rest)
        parts.wait_until(door.is_knocked_at, 60, "the beginning of a connection")
        if opens:
            door.open()
            time.sleep(2)
        assert spent(relay, 4) < 0.2, "in seconds of CPU"
        assert "it does not answer" in relay.wait_for("it is tried again", 60)
    finally:
        door.close()


# A name has two addresses, and the first one is dead.
ALONE = 'mount --bind "$0" /etc/hosts && exec "$@"'


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "TLS"])
def test_a_dead_address_hides_no_good_one(relay_to, tmp_path, is_secure):
    parts.need_relay()
    (tmp_path / "hosts").write_text("127.0.0.66 clock.example\n127.0.0.1 clock.example\n")
    within = ["unshare", "--mount", "sh", "-c", ALONE, tmp_path / "hosts"]
    if subprocess.run([*within, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("nothing can be mounted here (not root?)")
    live = socket.create_server(("127.0.0.1", parts.free_port()))
    dead = FullDoor("127.0.0.66", live.getsockname()[1])
    try:
        relay_to(dead.port, "tls = yes" if is_secure else "", host="clock.example", within=within)
        live.settimeout(60)
        hello = live.accept()[0].recv(2000)
        if is_secure:
            assert b"clock.example" in hello, "the name that is asked for"
        else:
            assert b"MQTT" in hello
    finally:
        dead.close()
        live.close()


def test_a_subscription_that_is_refused_is_told_once(relay_to, announcer, pretended):
    announcer()
    broker = pretended(denied=[b"group"])
    relay = relay_to(broker.port)
    relay.wait_for("does not let this clock hear clocksmith/group/school/command/#")
    broker.connections[0].shutdown(socket.SHUT_RDWR)
    parts.wait_until(lambda: len(broker.clients) > 1, 60, "another connection")
    parts.wait_until(lambda: len(broker.published) > 4, 60, "what is published to it")
    assert len(relay.matching("does not let this clock hear")) == 1


def test_a_flood_of_messages_does_not_hide_the_answers(relay_to, announcer, pretended):
    told = announcer()
    broker = pretended()
    relay = relay_to(broker.port)
    relay.wait_for("the announcer answers")
    relay.wait_for("connected to")
    over = threading.Event()

    def flood():
        while not over.is_set():
            broker.send(COMMAND, b'{"command":"unmute"}', times=200)
    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        relay.wait_for("carried out unmute", 60)
        parts.wait_until(lambda: told.calls.count("Unmute") > 500, 60, "more of them")
    finally:
        over.set()
        flooding.join()

    def stopped():
        broker.send(COMMAND, b'{"command":"stop"}')
        return "Stop" in told.calls
    parts.wait_until(stopped, 60, "what comes after it")


def test_of_many_commands_at_once_none_is_lost(relay_to, announcer, broker):
    told = announcer(lambda member: time.sleep(0.01) or True)
    relay = relay_to(broker.port)
    relay.wait_for("the announcer answers")
    relay.wait_for("connected to")
    subprocess.run(
        ["mosquitto_pub", *broker.client, "-t", COMMAND, "-q", "1", "-l"],
        input=b'{"command":"unmute"}\n' * 200, check=True, timeout=60)
    parts.wait_until(lambda: told.calls.count("Unmute") == 200, 60, "all of them")
    relay.wait_for("carried out")
    assert not relay.matching("refused")
