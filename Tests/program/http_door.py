"""A relay that serves apps over HTTP, and requests as an app sends them."""

import collections
import http.client
import json
import ssl

from push import PushRelay
from relay import free_port

TOKEN = "0123456789abcdef0123456789abcdef"
PHONE = "ab" * 32
APNS = "[apns]\ntopic = org.example.clock\nkey_id = ABC123DEFG\nteam = DEF123GHIJ\n"

Answer = collections.namedtuple("Answer", "status headers body")


class Door(PushRelay):
    """A `clocksmith-relay run` without a broker, unless the rest of its configuration names one."""

    def __init__(self, environment, folder, section="", rest="", port=None):
        self.port = port or free_port()
        self.secret = folder / "http-token"
        self.secret.write_text(f"{TOKEN}\n")
        super().__init__(environment, folder, self.written(section, rest))

    def written(self, section="", rest=""):
        return (f"{rest}\n[http]\nlisten = 127.0.0.1:{self.port}\ntoken_file = {self.secret}\n"
                f"{section}\n")

    def wait_until_open(self):
        self.wait_for("apps are served at")
        return self

    def connect(self, authority=None, source=None):
        source = source and (source, 0)
        if authority is None:
            return http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=60, source_address=source)
        context = ssl.create_default_context(cafile=authority)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)

    def ask(self, method, path, body=None, token=TOKEN, kind="application/json", on=None,
            origin=None, **where):
        """Sends one request, over a new connection if none is given. Every answer must be JSON."""
        connection = on or self.connect(**where)
        headers = []
        if origin is not None:
            headers.append(("Origin", origin))
        if token is not None:
            headers.append(("Authorization", f"Bearer {token}"))
        if body is not None and kind is not None:
            headers.append(("Content-Type", kind))
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        try:
            connection.putrequest(method, path)
            for name, value in headers:
                connection.putheader(name, value)
            if body is not None:
                body = body.encode() if isinstance(body, str) else body
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            if on is None:
                connection.close()
        assert answer.headers["Content-Type"] == "application/json", text
        return Answer(answer.status, answer.headers, json.loads(text))

    def state(self, **where):
        return self.ask("GET", "/v1/state", **where)

    def order(self, command, **where):
        return self.ask("POST", "/v1/commands", command, **where)

    def wait_for_announcer(self):
        self.wait_for("the announcer answers")
        return self


def refused(answer, status, reason):
    """Checks that an answer is this refusal, and returns its sentence."""
    assert (answer.status, answer.body.get("reason")) == (status, reason), answer.body
    assert set(answer.body) == {"error", "reason"}
    assert answer.body["error"].isprintable() and len(answer.body["error"]) < 400
    return answer.body["error"]
