"""A reverse proxy as people put before the page: below a path, or one that holds back what does not end."""

import http.client
import http.server
import threading


class Proxy:
    """Serves what a relay serves, at `address`."""

    def __init__(self, running, path="/", holds_events=False):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                if holds_events and self.path.endswith("/v1/events"):
                    return self.server.over.wait()
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                there = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
                headers = {key: value for key, value in self.headers.items() if key.lower() not in ("host", "connection")}
                there.request(self.command, "/" + self.path.removeprefix(path), body, headers)
                answer = there.getresponse()
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in ("connection", "transfer-encoding", "date", "content-length"):
                        self.send_header(key, value)
                self.send_header("Connection", "close")
                self.end_headers()
                while part := answer.read1(65_536):
                    self.wfile.write(part)
                    self.wfile.flush()
                self.close_connection = True

            do_GET = do_POST = do_DELETE = answer

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    # The browser has left.
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.over = threading.Event()
        self.address = f"http://127.0.0.1:{self.server.server_port}{path}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.over.set()
        self.server.shutdown()
        self.server.server_close()
