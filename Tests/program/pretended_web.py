"""A web server on the loopback that records its requests."""

import collections
import http.server
import json
import threading

from sound_server import wait_until


Request = collections.namedtuple("Request", "path headers body")


class PretendedWeb:
    """`answer(request)` returns the status and the headers of an answer."""

    def __init__(self, answer=lambda request: (200, {})):
        web = self
        self.answer = answer
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["content-length"]))
                request = Request(self.path, self.headers, body)
                web.requests.append(request)
                status, headers = web.answer(request)
                self.send_response(status)
                for name, value in {"content-length": "0", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, count):
        wait_until(lambda: len(self.requests) >= count, 60, f"{count} requests")
        return [(request, json.loads(request.body)) for request in self.requests]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
