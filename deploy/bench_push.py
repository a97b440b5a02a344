"""Measures a publish to 10,000 devices (or as many as given), by clocksmith-relay and by aioapns. nginx on
the loopback stands in for Apple's server."""

# pylint: disable=import-outside-toplevel

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_ports import free_port
from bench_rows import compared

RELAY, PYTHON = sys.argv[1:3]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
# How many requests are under way at a time: the relay's limit, for aioapns too.
PROVIDER = Path(__file__).resolve().parents[1] / "Sources/Relay/Push/APNsProvider.swift"
AT_A_TIME = int(re.search(r"most: (\d+),", PROVIDER.read_text(encoding="utf-8"))[1])
TOPIC, KEY_ID, TEAM = "org.example.clock", "ABC123DEFG", "DEF123GHIJ"

# echo_read_request_body: read each body before the answer, as Apple's server does and nginx does not.
NGINX = """load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {folder}/server.crt;
        ssl_certificate_key {folder}/server.key;
        keepalive_requests 1000000;
        http2_max_concurrent_streams 1000;
        location /3/device/ {{
            add_header apns-id $http_apns_id always;
            echo_read_request_body;
            echo_status 200;
            echo -n "{{}}";
        }}
    }}
    server {{
        listen 127.0.0.1:{status};
        location / {{ stub_status; }}
    }}
}}
"""
RELAY_CONFIGURATION = """[apns]
topic = {topic}
key_id = {key_id}
team = {team}
key_file = {folder}/provider.p8
server = localhost:{port}
authority = {folder}/server.crt
"""


def run(*words, **options):
    return subprocess.run(list(map(str, words)), check=True, **options)


class Server:
    """nginx, and the number of connections to it."""

    def __init__(self, folder):
        self.port, self.status = free_port(), free_port()
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", folder / "server.key", "-out",
            folder / "server.crt", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1", capture_output=True)
        run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-out", folder / "provider.p8", capture_output=True)
        (folder / "nginx.conf").write_text(
            NGINX.format(folder=folder, port=self.port, status=self.status))
        self.process = subprocess.Popen(
            ["/usr/sbin/nginx", "-e", folder / "error.log", "-c", folder / "nginx.conf", "-g",
             "daemon off;"], stderr=subprocess.DEVNULL)
        while True:
            try:
                self.connections()
                return
            except OSError:
                time.sleep(0.05)

    def connections(self):
        """The connections accepted so far, without those of this method."""
        with socket.create_connection(("127.0.0.1", self.status), 5) as question:
            question.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = b"".join(iter(lambda: question.recv(4096), b"")).decode()
        self.asked = getattr(self, "asked", 0) + 1
        return int(re.search(r"requests\s+(\d+)", answer)[1]) - self.asked

    def stop(self):
        self.process.terminate()
        self.process.wait()


def print_line(name, taken, processor, memory, anonymous, connections, more=""):
    print(f"{name}: {COUNT} accepted in {taken:.2f} s, {COUNT / taken:,.0f} a second, "
          f"{processor:.2f} s of a processor, {processor / COUNT * 1e6:.0f} us for each, "
          f"{memory:.1f} MiB at most, {anonymous:.1f} MiB anonymous at the end, "
          f"{connections} connection{'' if connections == 1 else 's'}{more}", flush=True)


def by_relay(folder, server):
    state = folder / "state"
    state.mkdir(exist_ok=True)
    environment = {"LC_ALL": "C", "STATE_DIRECTORY": str(state),
                   "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/no-bus"}
    configuration = folder / "relay.conf"
    configuration.write_text(RELAY_CONFIGURATION.format(
        topic=TOPIC, key_id=KEY_ID, team=TEAM, folder=folder, port=server.port))
    tokens = "".join(f"{number:064x}\n" for number in range(COUNT))
    run(RELAY, "device", "add", "-", input=tokens, text=True, env=environment,
        stdout=subprocess.DEVNULL)
    before = server.connections()
    relay = subprocess.Popen(
        [RELAY, "run", "--config", configuration], stderr=subprocess.PIPE, text=True,
        env=environment)
    for line in relay.stderr:
        if line.startswith("started"):
            break
    status = f"/proc/{relay.pid}/status"
    idle = memory_of(status, "VmRSS")
    begin = time.monotonic()
    run(RELAY, "push", "the same words for everybody", env=environment, stdout=subprocess.DEVNULL)
    for line in relay.stderr:
        if line.startswith("published"):
            assert f"{COUNT} accepted" in line, line
            break
    taken = time.monotonic() - begin
    highest, anonymous = memory_of(status, "VmHWM"), memory_of(status, "RssAnon")
    fields = Path(f"/proc/{relay.pid}/stat").read_text().rsplit(")")[1].split()
    processor = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    relay.send_signal(signal.SIGTERM)
    relay.wait()
    print_line("clocksmith-relay", taken, processor, highest, anonymous,
               server.connections() - before,
               f"; before it {idle:.1f} MiB")
    return {"rate": COUNT / taken, "processor": processor, "memory": highest,
            "anonymous": anonymous}


def memory_of(status, field):
    return int(re.search(rf"^{field}:\s+(\d+)", Path(status).read_text(), re.M)[1]) / 1024


def by_aioapns(folder, server):
    before = server.connections()
    done = run(PYTHON, "-B", __file__, "aioapns", folder, server.port, COUNT, stdout=subprocess.PIPE,
               text=True)
    told = json.loads(done.stdout)
    assert told["accepted"] == COUNT, told
    print_line("aioapns", told["taken"], told["processor"], told["memory"], told["anonymous"],
               server.connections() - before, "; it keeps no account")
    return {"rate": COUNT / told["taken"], **told}


def send_by_aioapns(folder, port, count):
    """Runs in its own process, and prints its figures as JSON."""
    import asyncio
    import ssl

    from aioapns import APNs, NotificationRequest
    from aioapns.connection import APNsProductionClientProtocol

    APNsProductionClientProtocol.APNS_SERVER = "localhost"
    APNsProductionClientProtocol.APNS_PORT = port
    context = ssl.create_default_context(cafile=f"{folder}/server.crt")
    context.set_alpn_protocols(["h2"])

    async def send():
        client = APNs(
            key=Path(folder, "provider.p8").read_text(), key_id=KEY_ID, team_id=TEAM, topic=TOPIC,
            ssl_context=context)
        message = {"aps": {"alert": {
            "title": "clocksmith", "body": "the same words for everybody"}, "sound": "default"}}
        tokens = (f"{number:064x}" for number in range(count))

        async def work():
            return sum([
                (await client.send_notification(
                    NotificationRequest(device_token=token, message=message))).is_successful
                for token in tokens])
        start = time.perf_counter()
        accepted = await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
        return time.perf_counter() - start, sum(accepted)

    taken, accepted = asyncio.run(send())
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "taken": taken, "accepted": accepted, "processor": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / 1024, "anonymous": memory_of("/proc/self/status", "RssAnon")}))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(folder)
        try:
            relay, other = by_relay(folder, server), by_aioapns(folder, server)
        finally:
            server.stop()
    print(f"Both had at most {AT_A_TIME} requests under way at a time.")
    part = {name: relay[name] / other[name] for name in relay}
    print(f"clocksmith-relay / aioapns: {part['rate']:.1f} times the rate, "
          f"{part['processor']:.2f} of the processor time, {part['memory']:.2f} of the memory, "
          f"{part['anonymous']:.2f} of the anonymous memory")
    phones = f"a push to {COUNT:,} phones"
    compared(phones, COUNT / relay["rate"], COUNT / other["rate"], "s", "aioapns")
    compared(f"{phones}: memory", relay["memory"], other["memory"], "MiB", "aioapns")
    compared(f"{phones}: anonymous memory", relay["anonymous"], other["anonymous"], "MiB", "aioapns")


if sys.argv[1] == "aioapns":
    send_by_aioapns(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    main()
