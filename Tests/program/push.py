"""A relay that publishes, and an [apns] section for tests."""

import contextlib
import sqlite3
import subprocess

from relay import RELAY, Relay

TOPIC = "org.example.clock"
APNS = """[apns]
topic = {topic}
key_id = ABC123DEFG
team = DEF123GHIJ
key_file = {key}
server = {host}
authority = {authority}
{rest}
"""


def token(number):
    return f"{number:064x}"


class PushRelay(Relay):
    """A relay without a broker."""

    def __init__(self, environment, folder, configuration, within=()):
        self.text = configuration
        self.environment = environment
        super().__init__(environment, folder, 0, within=within)

    def configure(self, *_):
        self.configuration.write_text(self.text)

    def command(self, *words, given=None):
        return subprocess.run(
            [RELAY, *words], env=self.environment, input=given, capture_output=True, text=True,
            check=True, timeout=60).stdout

    def push(self, words="hello"):
        self.command("push", words)

    def register(self):
        """Its register, opened by another program."""
        path = f"{self.environment['STATE_DIRECTORY']}/register.sqlite"
        return contextlib.closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True))

    def waiting(self):
        """How many deliveries the register keeps."""
        with self.register() as register:
            return register.execute("SELECT count(*) FROM deliveries").fetchone()[0]
