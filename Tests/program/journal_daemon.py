"""A systemd journal for tests: journald in a mount namespace, with its own /run."""

import json
import pathlib
import shutil
import signal
import subprocess

import pytest

from sound_server import wait_until

DAEMON = pathlib.Path("/lib/systemd/systemd-journald")

# The machine's own journal is neither seen nor written: its folders are empty in here.
WORLD = r"""
mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /var/log || exit 77
mkdir -p /run/log/journal /run/systemd/journal /run/systemd/journald.conf.d
printf '[Journal]\nReadKMsg=no\nAudit=no\nStorage=volatile\nRuntimeMaxUse=16M\n' \
    >/run/systemd/journald.conf.d/test.conf
touch "$1"
exec sleep infinity
"""

# As systemd starts a service: standard error is a stream of the journal, and JOURNAL_STREAM says so.
AS_A_SERVICE = 'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"'


class Journal:
    """A journald in a mount namespace with its own /run."""

    def __init__(self, folder):
        for program in ("unshare", "nsenter", "journalctl", "systemd-cat"):
            if not shutil.which(program):
                pytest.skip(f"no {program} here (apt install systemd util-linux)")
        if not DAEMON.exists():
            pytest.skip("no journald here (apt install systemd)")
        ready = folder / "ready"
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", WORLD, "sh", ready],
            stderr=subprocess.DEVNULL)
        wait_until(lambda: ready.exists() or self.holder.poll() is not None, 60, "the namespace")
        if self.holder.poll() is not None:
            pytest.skip("no mount namespace can be had here (not root?)")
        self.daemon = subprocess.Popen(self.within(DAEMON), stderr=subprocess.DEVNULL)
        wait_until(
            lambda: self.run("test", "-S", "/run/systemd/journal/stdout").returncode == 0, 60,
            "journald")

    def within(self, *words):
        """The command that runs these words in the namespace."""
        return ["nsenter", "--target", str(self.holder.pid), "--mount", "--wdns=/",
                *map(str, words)]

    def run(self, *words):
        return subprocess.run(
            self.within(*words), capture_output=True, text=True, timeout=60, check=False)

    def start(self, clocksmith, *words, **environment):
        """Starts the program as systemd starts a service."""
        return subprocess.Popen(
            self.within("systemd-cat", "-t", "clocksmith", "sh", "-c", AS_A_SERVICE, "sh", *words),
            env=clocksmith.environment | environment, stdin=subprocess.DEVNULL)

    def entries(self, *matches):
        """The entries that journalctl finds, as dictionaries."""
        done = self.run("journalctl", "--no-pager", "--output=json", "--all", *matches)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def wait_for(self, event, seconds=60):
        """Waits for an entry of that event, and returns the first one."""
        return wait_until(
            lambda: self.entries(f"CLOCKSMITH_EVENT={event}"), seconds, f"an entry '{event}'")[0]

    def close(self):
        self.daemon.send_signal(signal.SIGTERM)
        try:
            self.daemon.wait(60)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
        self.holder.kill()
        self.holder.wait()


def stop(process):
    """Ends a service and returns its exit status."""
    process.terminate()
    return process.wait(60)
