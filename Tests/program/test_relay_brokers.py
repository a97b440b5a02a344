"""Brokers that ask for credentials, and servers that are no broker: each fault is reported once, in
a sentence, and the connection is tried again."""

import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

import pytest

import relay as parts
from relay import CLOCK, Broker


@pytest.fixture
def broker_with(tmp_path):
    parts.need_relay()
    brokers = []

    def broker_with(settings, client=()):
        brokers.append(Broker(tmp_path, settings, client))
        return brokers[-1]

    yield broker_with
    for broker in brokers:
        broker.close()


class Impostor:
    """A server in a broker's place that answers each connection in its own way."""

    def __init__(self, answer, first=lambda message: None):
        self.first = first
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.connections = []
        self.answer = answer
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.connections.append(connection)
            self.first(connection.recv(1024))
            self.answer(connection)

    def close(self):
        self.server.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture
def impostor():
    parts.need_relay()
    impostors = []

    def impostor(answer, **rest):
        impostors.append(Impostor(answer, **rest))
        return impostors[-1]

    yield impostor
    for each in impostors:
        each.close()


def online(broker):
    broker.listen(f"{CLOCK}/#").wait_for(f"{CLOCK}/state", lambda payload: '"trust"' in payload)


# Credentials and certificates.


@pytest.fixture
def guarded(broker_with, tmp_path):
    """A broker that lets in the user hall with the password sesame."""
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "hall", "sesame"], check=True)
    passwords.chmod(0o644)
    return broker_with(
        f"allow_anonymous false\npassword_file {passwords}\n", ["-u", "hall", "-P", "sesame"])


def test_user_and_password_are_given(guarded, start, relay_to, tmp_path):
    password = tmp_path / "password"
    start()
    password.write_text("abracadabra\n")
    relay = relay_to(guarded.port, f"user = hall\npassword_file = {password}")
    relay.wait_for("it refuses the connection: not authorised; see [mqtt]")
    # The right password is used without a restart.
    password.write_text("sesame\n")
    online(guarded)


def test_check_connects_if_it_is_asked_to(guarded, surroundings, tmp_path):
    password = tmp_path / "password"
    path = tmp_path / "check.conf"

    def check(word, port=guarded.port):
        password.write_text(word)
        path.write_text(f"[mqtt]\nbroker = 127.0.0.1\nport = {port}\nuser = hall\npassword_file = {password}\n")
        done = subprocess.run(
            [parts.RELAY, "check", "--connect", "--config", path], env=surroundings, timeout=30,
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    assert check("sesame") == (0, "ok    connection    the broker has let it in")
    assert check("abracadabra") == (
        3, f"FOUND 127.0.0.1:{guarded.port}: it refuses the connection: not authorised; "
        "see [mqtt] in the configuration")
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    assert check("sesame", port) == (3, f"FOUND 127.0.0.1:{port}: Connection refused")


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, stderr=subprocess.DEVNULL)


def authority(folder, name):
    """Makes a certificate authority."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt", "-days", "2",
            "-subj", f"/CN={name}")


def certificate(folder, name, by, names):
    """Makes a certificate for these names."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr", "-subj", f"/CN={name}")
    (folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{by}.crt",
            "-CAkey", folder / f"{by}.key", "-CAcreateserial", "-days", "2",
            "-extfile", folder / f"{name}.ext", "-out", folder / f"{name}.crt")


@pytest.fixture
def secure(broker_with, tmp_path):
    """A broker with TLS that requires a certificate from every client."""
    if not shutil.which("openssl"):
        pytest.skip("no openssl here (apt install openssl)")
    authority(tmp_path, "ours")
    authority(tmp_path, "theirs")
    certificate(tmp_path, "broker", "ours", "DNS:localhost")
    certificate(tmp_path, "hall", "ours", "DNS:hall")
    return broker_with(
        "allow_anonymous true\nrequire_certificate true\n"
        f"cafile {tmp_path}/ours.crt\ncertfile {tmp_path}/broker.crt\nkeyfile {tmp_path}/broker.key\n",
        ["-h", "localhost", "--cafile", tmp_path / "ours.crt", "--cert", tmp_path / "hall.crt",
         "--key", tmp_path / "hall.key"])


def tls(folder, authority="ours"):
    return (f"tls = yes\nauthority = {folder}/{authority}.crt\n"
            f"certificate = {folder}/hall.crt\nkey = {folder}/hall.key")


def test_tls_with_a_certificate_of_the_clock(secure, start, relay_to, tmp_path):
    start()
    relay_to(secure.port, tls(tmp_path), host="localhost")
    online(secure)


@pytest.mark.parametrize("authority, host, told", [
    ("theirs", "localhost", "self-signed certificate in certificate chain"),
    ("ours", "127.0.0.1", "IP address mismatch"),
    # An address for the resolver, but not for OpenSSL.
    ("ours", "127.1", "hostname mismatch"),
])
def test_a_broker_that_is_another_than_it_says_is_refused(
        secure, relay_to, tmp_path, authority, host, told):
    relay = relay_to(secure.port, tls(tmp_path, authority), host=host)
    line = relay.wait_for("it is tried again")
    assert f"its certificate is not accepted: {told}" in line


def encrypted_records(flight):
    """The number of whole TLS records of type 23 (RFC 8446, 5.2)."""
    count = at = 0
    while at + 5 <= len(flight):
        encrypted, at = flight[at] == 23, at + 5 + int.from_bytes(flight[at + 3:at + 5], "big")
        count += encrypted and at <= len(flight)
    return count


@pytest.mark.parametrize("resets", [False, True])
def test_a_broker_that_wants_a_certificate_is_told_with_what_to_set(secure, impostor, relay_to, tmp_path, resets):
    """With TLS 1.3 the broker reads the client's certificate, its Finished and, perhaps, its first message,
    and only then refuses."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tmp_path / "ours.crt")
    context.load_cert_chain(tmp_path / "broker.crt", tmp_path / "broker.key")
    context.verify_mode = ssl.CERT_REQUIRED

    def refuses(connection):
        received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        conversation = context.wrap_bio(received, sent, server_side=True)
        received.write(hello.pop())
        with pytest.raises(ssl.SSLWantReadError):
            conversation.do_handshake()
        connection.sendall(sent.read())
        flight = b""
        while encrypted_records(flight) < 3:
            flight += connection.recv(65536)
        received.write(flight)
        with pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
            conversation.do_handshake()
        connection.sendall(sent.read())
        if resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    hello = []
    server = impostor(refuses, first=hello.append)
    relay = relay_to(
        server.port, f"tls = yes\nauthority = {tmp_path}/ours.crt", host="localhost")
    line = relay.wait_for("it is tried again")
    assert "certificate required; see 'port', 'certificate' and 'key'" in line


def test_a_broker_with_tls_that_does_not_listen_is_told_to_be_away(secure, relay_to, tmp_path):
    relay = relay_to(parts.free_port(), tls(tmp_path), host="localhost")
    assert "it takes no connection" in relay.wait_for("it is tried again")


# Servers that are no broker.


WEB = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n" + b"<p>Bad Request</p>" * 9


def closes(connection):
    connection.sendall(b"\x20\x02\0\0")
    time.sleep(0.1)
    connection.close()


@pytest.mark.parametrize("answer, told", [
    (lambda connection: connection.close(), "it takes no connection, or closes it at once; is it a broker"),
    (lambda connection: connection.sendall(WEB), "is not MQTT"),
    (lambda connection: connection.sendall(b"\x20\x02\0\0" + b"\xff" * 5000), "is not MQTT"),
    (closes, "it has closed the connection"),
], ids=["closes", "speaks HTTP", "speaks garbage later", "drops every second"])
def test_what_is_no_broker_is_told_once(impostor, relay_to, answer, told):
    server = impostor(answer)
    relay = relay_to(server.port)
    assert told in relay.wait_for("it is tried again")
    parts.wait_until(lambda: len(server.connections) >= 3, 60, "three attempts")
    assert len(relay.matching("it is tried again")) == 1
    assert relay.matching(f"{server.port} is back") == []


def test_a_broker_that_hangs_holds_nothing_up_and_is_told(impostor, relay_to):
    server = impostor(lambda connection: None)
    relay = relay_to(server.port)
    parts.wait_until(lambda: server.connections, 60, "the connection")
    relay.process.send_signal(signal.SIGHUP)
    relay.wait_for("reloaded: ")
    assert not relay.matching("it is tried again"), "it was reloaded only after the broker's time"
    assert "it does not answer" in relay.wait_for("it is tried again", 60)


# The program looks up names only at a server that the test runs.
ALONE = """
mount --bind "$0" /etc/resolv.conf && mount --bind "$0.nss" /etc/nsswitch.conf && exec "$@"
"""


@pytest.fixture
def own_server(tmp_path):
    """The command prefix with which a program asks 127.0.0.77 for names."""
    parts.need_relay()
    (tmp_path / "resolv").write_text("nameserver 127.0.0.77\noptions timeout:30\n")
    (tmp_path / "resolv.nss").write_text("hosts: dns\n")
    within = ["unshare", "--mount", "sh", "-c", ALONE, tmp_path / "resolv"]
    if subprocess.run([*within, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("nothing can be mounted here (not root?)")
    return within


@pytest.mark.xdist_group("names")
def test_a_name_that_nobody_has_is_told_once(relay_to, own_server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.77", 53))
        server.settimeout(60)
        relay = relay_to(1883, host="clock.example", within=own_server)
        ids = set()
        # Each attempt asks twice: once for each kind of address.
        while len(ids) < 6:
            query, client = server.recvfrom(512)
            ids.add(query[:2])
            # NXDOMAIN: there is no such name.
            server.sendto(query[:2] + b"\x81\x83" + query[4:], client)
    relay.wait_for("cannot find clock.example")
    assert len(relay.matching("it is tried again")) == 1


@pytest.mark.xdist_group("names")
def test_a_name_server_that_hangs_holds_nothing_up(relay_to, own_server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.77", 53))
        server.settimeout(60)
        relay = relay_to(1883, host="clock.example", within=own_server)
        assert b"clock" in server.recv(512), "it asks"
        # Less than two questions of 30 s.
        relay.wait_for("the announcer does not run", 40)
        before = relay.wakeups()
        time.sleep(4)
        assert relay.wakeups() - before <= 15, "nor does it ask again and again"
        # The name server would hold it up for 30 s more.
        begin = time.monotonic()
        assert relay.stop() == 0 and time.monotonic() - begin < 20
