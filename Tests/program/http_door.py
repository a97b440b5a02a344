"""A relay that serves apps over HTTP, and requests as an app sends them."""

import collections
import contextlib
import http.client
import json
import re
import ssl

import jsonschema

from program import ROOT
from push import PushRelay
from relay import free_port

TOKEN = "0123456789abcdef0123456789abcdef"
PHONE = "ab" * 32
APNS = "[apns]\ntopic = org.example.clock\nkey_id = ABC123DEFG\nteam = DEF123GHIJ\n"

Answer = collections.namedtuple("Answer", "status headers body")

DESCRIPTION = json.loads(
    (ROOT / "docs/clocksmith-relay.openapi.json").read_text(encoding="utf-8"))
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
OPERATIONS = {
    (method.upper(), path): operation for path, item in DESCRIPTION["paths"].items()
    for method, operation in item.items() if method in METHODS}


def resolved(part):
    """The part that a `$ref` refers to, or the part itself."""
    while "$ref" in part:
        names = part["$ref"].removeprefix("#/").split("/")
        part = DESCRIPTION
        for name in names:
            part = part[name]
    return part


def validate(value, schema):
    """Checks a value against a schema, which may refer to others of the description."""
    jsonschema.Draft202012Validator(
        {**schema, "components": DESCRIPTION["components"]}).validate(value)


def check_described(method, path, body, answer):
    """Checks that the description for apps (OpenAPI) has this answer, in this form."""
    for (described, template), operation in OPERATIONS.items():
        if described != method or not re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            continue
        if answer.status in (403, 421):
            # Pages in browsers are refused in more ways.
            continue
        assert str(answer.status) in operation["responses"], answer
        response = resolved(operation["responses"][str(answer.status)])
        validate(answer.body, response["content"]["application/json"]["schema"])
        for header, form in response.get("headers", {}).items():
            validate(answer.headers[header], form["schema"])
        if answer.status < 300 and isinstance(body, dict) and "requestBody" in operation:
            validate(body, operation["requestBody"]["content"]["application/json"]["schema"])


class Door(PushRelay):
    """A `clocksmith-relay run` without a broker, unless the rest of its configuration names one."""

    def __init__(self, environment, folder, section="", rest="", port=None, within=(), host="127.0.0.1"):
        self.host = host
        self.port = port or free_port()
        self.secret = folder / "http-token"
        self.secret.write_text(f"{TOKEN}\n")
        super().__init__(environment, folder, self.written(section, rest), within=within)

    def written(self, section="", rest=""):
        return (f"{rest}\n[http]\nlisten = {self.host}:{self.port}\ntoken_file = {self.secret}\n"
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

    def get(self, path, source=None, **headers):
        """An answer of any type, and its body."""
        with contextlib.closing(self.connect(source=source)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer, answer.read()

    def send(self, method, path, body=None, headers=(), on=None, **where):
        """One request, over a new connection if none is given. A header that is None is left out.
        An answer with a body must be JSON, as it is described."""
        connection = on or self.connect(**where)
        sent = json.dumps(body) if isinstance(body, (dict, list)) else body
        try:
            connection.request(
                method, path, sent.encode() if isinstance(sent, str) else sent,
                {name: value for name, value in dict(headers).items() if value is not None})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            if on is None:
                connection.close()
        assert not text or answer.headers["Content-Type"] == "application/json", text
        answer = Answer(answer.status, answer.headers, json.loads(text) if text else None)
        check_described(method, path, body, answer)
        return answer

    def ask(self, method, path, body=None, token=TOKEN, origin=None, **where):
        """Sends a request of an app. Every answer has a body."""
        answer = self.send(method, path, body, {
            "Authorization": token and f"Bearer {token}", "Origin": origin,
            "Content-Type": None if body is None else "application/json"}, **where)
        assert answer.body is not None
        return answer

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
