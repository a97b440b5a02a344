"""A relay that publishes, its register, and an [apns] section for tests."""

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
        return Rows(f"{self.environment['STATE_DIRECTORY']}/register.sqlite")


class Rows:
    """The rows of the register."""

    def __init__(self, path):
        self.path = path

    def select(self, sql):
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as register:
            return register.execute(sql).fetchall()

    def states(self):
        """The number of deliveries in each state."""
        states = dict(self.select("SELECT state, count(*) FROM deliveries GROUP BY state"))
        [(accepted,)] = self.select("SELECT sum(accepted) FROM messages")
        return states | ({"accepted": accepted} if accepted else {})
