"""A stand-in for Apple's push servers on the loopback that answers as a test tells it."""

import base64
import json
import socket
import ssl
import subprocess
import threading

import h2.config
import h2.connection
import h2.events
import h2.settings

from relay import free_port
from sound_server import wait_until


def make_certificate(folder, name="server", host="DNS:localhost,IP:127.0.0.1", days=30):
    """A self-signed certificate and its key. With negative days it has already expired."""
    certificate, key, request = (folder / f"{name}.{end}" for end in ("crt", "key", "csr"))
    subprocess.run(
        ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", request, "-subj", f"/CN={name}",
         "-addext", f"subjectAltName={host}"], check=True, capture_output=True)
    subprocess.run(
        ["openssl", "x509", "-req", "-in", request, "-signkey", key, "-days", str(days),
         "-copy_extensions", "copy", "-out", certificate], check=True, capture_output=True)
    return certificate, key


def make_provider_key(path):
    """Makes a key as Apple hands it out, in PEM form. Returns the path of its public half."""
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-out", path], check=True, capture_output=True)
    public = path.with_suffix(".pub")
    subprocess.run(["openssl", "pkey", "-in", path, "-pubout", "-out", public], check=True)
    return public


def is_signed(token, public, folder):
    """True if a JSON Web Token was signed by ES256 with the private half of this key."""
    signed, _, signature = token.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    assert len(raw) == 64

    def integer(number):
        number = number.lstrip(b"\0") or b"\0"
        number = b"\0" + number if number[0] & 0x80 else number
        return bytes([2, len(number)]) + number
    numbers = integer(raw[:32]) + integer(raw[32:])
    (folder / "signature").write_bytes(bytes([0x30, len(numbers)]) + numbers)
    (folder / "signed").write_text(signed)
    return subprocess.run(
        ["openssl", "dgst", "-sha256", "-verify", public, "-signature", folder / "signature",
         folder / "signed"], capture_output=True, check=False).returncode == 0


class Request:
    def __init__(self, connection, headers):
        self.connection = connection
        self.headers = headers
        self.token = headers[":path"].rpartition("/")[2]
        self.body = b""

    @property
    def payload(self):
        return json.loads(self.body)


class PretendedAPNs:
    """`answer(request)` returns a status, an object and perhaps more headers, or one of the words `hang`,
    `reset`, `goaway`, `close`, `garbage`, `empty`. With `empty` the request ends without an answer. At most
    `streams` requests may be under way. If it `is_early`, it answers before it has the whole request."""

    def __init__(self, folder, certificate=None, answer=lambda request: (200, {})):
        self.answer = answer
        self.streams = 100
        self.is_early = False
        self.requests = []
        self.connections = 0
        self.authority, key = certificate or make_certificate(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.authority, key)
        self.context.set_alpn_protocols(["h2"])
        self.port = None
        self.listen()

    def listen(self):
        """Listens; after `stop`, again at the same port."""
        self.port = self.port or free_port()
        self.server = socket.create_server(("127.0.0.1", self.port))
        self.open = []
        threading.Thread(target=self.serve, args=(self.server,), daemon=True).start()

    @property
    def host(self):
        return f"localhost:{self.port}"

    def serve(self, server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(connection)
            threading.Thread(
                target=self.talk, args=(connection, self.connections), daemon=True).start()

    def talk(self, connection, number):
        try:
            with self.context.wrap_socket(connection, server_side=True) as stream:
                self.open.append(stream)
                self.converse(stream, number)
        except (OSError, ssl.SSLError):
            pass

    def converse(self, stream, number):
        talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        talk.local_settings = h2.settings.Settings(client=False, initial_values={
            h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.streams})
        talk.initiate_connection()
        stream.sendall(talk.data_to_send())
        begun = {}
        while True:
            data = stream.recv(65536)
            if not data:
                return
            for event in talk.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    headers = {name.decode(): value.decode() for name, value in event.headers}
                    begun[event.stream_id] = Request(number, headers)
                    if self.is_early:
                        self.reply(stream, talk, event.stream_id, begun[event.stream_id])
                elif isinstance(event, h2.events.DataReceived):
                    begun[event.stream_id].body += event.data
                    talk.acknowledge_received_data(
                        event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    request = begun.pop(event.stream_id)
                    self.requests.append(request)
                    if not self.is_early and not self.reply(stream, talk, event.stream_id, request):
                        return
            stream.sendall(talk.data_to_send())

    def reply(self, stream, talk, stream_id, request):
        """Returns False at the end of the connection."""
        answer = self.answer(request)
        if answer == "hang":
            return True
        if answer == "reset":
            talk.reset_stream(stream_id, error_code=2)
            return True
        if answer == "empty":
            talk.reset_stream(stream_id, error_code=0)
            return True
        if answer == "goaway":
            talk.close_connection(
                last_stream_id=max(stream_id - 2, 0), additional_data=b'{"reason":"Shutdown"}')
        if answer in ("goaway", "close", "garbage"):
            stream.sendall(b"\xff" * 64 if answer == "garbage" else talk.data_to_send())
            # The client must get the answers: a close with unread input would reset the connection.
            stream.shutdown(socket.SHUT_WR)
            while stream.recv(65536):
                pass
            return False
        status, body, *more = answer
        body = json.dumps(body).encode() if isinstance(body, dict) else body
        headers = {":status": str(status), "apns-id": request.headers.get("apns-id", "")}
        for each in more:
            headers |= each
        talk.send_headers(stream_id, list(headers.items()))
        talk.send_data(stream_id, body, end_stream=True)
        return True

    def tokens(self):
        return [request.token for request in list(self.requests)]

    def wait_for(self, count, seconds=60):
        wait_until(
            lambda: len(self.requests) >= count, seconds,
            f"{count} requests; there were {len(self.requests)}")
        return self.requests

    def stop(self):
        """Ends every connection, and accepts no more."""
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
