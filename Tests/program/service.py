"""The program as it runs: started, listened to, signalled, ended."""

import re
import signal
import socket
import subprocess

from program import PROGRAM
from sound_server import preferred, wait_until
from standstill import stand_still


class Service:
    """A `clocksmith run` with its standard error in a file and, if wanted, a service manager."""

    def __init__(self, clocksmith, configuration, *words, alsa, notify=False):
        folder = clocksmith.folder
        number = len(list(folder.glob("*.log")))
        self.log = folder / f"{number}.log"
        alsa_path = folder / f"{number}.asound"
        alsa_path.write_text(alsa)
        environment = clocksmith.environment | {"ALSA_CONFIG_PATH": str(alsa_path)}
        self.manager = None
        self.status = ""
        if notify:
            self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.manager.bind(str(folder / f"{number}.notify"))
            self.manager.setblocking(False)
            environment["NOTIFY_SOCKET"] = self.manager.getsockname()
        if "--untrusted" not in words:
            words = ("--untrusted", "speak", *words)
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                preferred(PROGRAM, "run", "--config", configuration, *map(str, words)),
                env=environment, stdin=subprocess.DEVNULL, stderr=log)
        self.wait_for("started:")

    def lines(self):
        return self.log.read_text(encoding="utf-8").splitlines()

    def matching(self, pattern):
        return [line for line in self.lines() if re.search(pattern, line)]

    def wait_for(self, pattern, seconds=60):
        def found():
            has_ended = not self.is_alive()
            lines = self.matching(pattern)
            assert lines or not has_ended, f"it ended without {pattern!r}: {self.lines()}"
            return lines
        return wait_until(found, seconds, f"{pattern!r} in {self.log}")[0]

    def is_alive(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def stand_still(self):
        """Stops it until it gets SIGCONT."""
        stand_still(self.process)

    def stop(self):
        """Ends it as a service manager does."""
        if self.is_alive():
            self.signal(signal.SIGTERM)
        return self.process.wait(60)

    def end_by(self, way):
        """Ends it by `stop`, as a service manager does, or by `kill`, as a crash would."""
        if way == "stop":
            assert self.stop() == 0
        else:
            self.signal(signal.SIGKILL)
            self.process.wait(60)

    def latest_status(self):
        """The last STATUS= that it has sent to the service manager."""
        try:
            while True:
                for line in self.manager.recv(4096).decode().splitlines():
                    if line.startswith("STATUS="):
                        self.status = line.removeprefix("STATUS=")
        except BlockingIOError:
            return self.status

    def memory(self):
        """Its (resident, anonymous) memory in KiB."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as rollup:
            sizes = {line.split(":")[0]: int(line.split()[1]) for line in rollup if "kB" in line}
        return sizes["Rss"], sizes["Anonymous"]


def several(make, end, wait=lambda made: None):
    """Yields a function that makes one, waits until it is ready and returns it. Ends all of them."""
    all_made = []

    def another(*words, **options):
        all_made.append(make(*words, **options))
        wait(all_made[-1])
        return all_made[-1]

    yield another
    for made in all_made:
        end(made)


def ends_well(service):
    assert service.stop() == 0
