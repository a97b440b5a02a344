"""A message bus for tests in place of the system's, and a caller on it."""

import contextlib
import datetime
import shutil
import socket
import subprocess

import pytest
from jeepney import DBusAddress, MatchRule, MessageType, Properties, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection

from sound_server import wait_until

NAME = "org.clocksmith.Announcer1"
PATH = "/org/clocksmith/Announcer1"
ADDRESS = DBusAddress(PATH, bus_name=NAME, interface=NAME)

CONFIGURATION = """<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*" eavesdrop="true"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""


# The D-Bus types of a record's values.
TYPES = {str: "s", bool: "b", int: "x", float: "d"}


def plain(value):
    """A value of a message without the types of its variants."""
    if isinstance(value, tuple):
        return plain(value[1])
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def timestamp(instant):
    """Seconds since 1970 of an instant as a record has it."""
    return datetime.datetime.fromisoformat(instant).timestamp()


def rfc3339(seconds):
    """An instant as a record has it: to the microsecond, without zeros at the end."""
    text = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.rstrip("0").rstrip(".") + "Z"


def noticed(body):
    """A signal Noticed as a dictionary."""
    return plain(body[0])


class Refused(Exception):
    """An error reply: its name and its words."""

    def __init__(self, message):
        self.name = message.header.fields[4]
        self.words = message.body[0] if message.body else ""
        super().__init__(f"{self.name}: {self.words}")


class MessageBus:
    """A private bus daemon."""

    def __init__(self, folder):
        if not shutil.which("dbus-daemon"):
            pytest.skip("no dbus-daemon here (apt install dbus)")
        self.folder = folder
        self.socket = folder / "bus"
        self.address = f"unix:path={self.socket}"
        (folder / "bus.conf").write_text(CONFIGURATION.format(socket=self.socket))
        self.start()

    def start(self):
        self.daemon = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile",
             "--nosyslog"], stderr=subprocess.DEVNULL)

        def answers():
            assert self.daemon.poll() is None, "dbus-daemon has ended"
            with socket.socket(socket.AF_UNIX) as probe:
                return probe.connect_ex(str(self.socket)) == 0
        wait_until(answers, 60, "the bus")

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(60)
        self.socket.unlink(missing_ok=True)

    def caller(self):
        return Caller(self.address)


class Caller:
    """A connection to the bus."""

    def __init__(self, address):
        self.connection = open_dbus_connection(bus=address)
        self._caught = contextlib.ExitStack()

    def close(self):
        self._caught.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait_for_service(self, service):
        """Waits until the name is taken by this very service: the bus may still know one that was
        killed."""
        def taken():
            assert service.is_alive(), f"the service has ended: {service.lines()}"
            with contextlib.suppress(Refused):
                owner, = self.send(message_bus.GetConnectionUnixProcessID(NAME))
                return owner == service.process.pid
            return False
        wait_until(taken, 60, "the service on the bus")

    def send(self, message, seconds=60):
        """Sends a message and returns the body of the reply. An error is raised as Refused."""
        reply = self.connection.send_and_get_reply(message, timeout=seconds)
        if reply.header.message_type is MessageType.error:
            raise Refused(reply)
        return reply.body

    def call(self, method, signature=None, *arguments):
        return self.send(new_method_call(ADDRESS, method, signature, arguments))

    def ask(self, method, **keys):
        """Calls a method that takes a record, and returns the record that it answers."""
        record = {key: (TYPES[type(value)], value) for key, value in keys.items()}
        return plain(self.call(method, "a{sv}", record)[0])

    def get(self, name):
        return plain(self.send(Properties(ADDRESS).get(name))[0])

    def set(self, name, signature, value):
        self.send(Properties(ADDRESS).set(name, signature, value))

    def all(self):
        return plain(self.send(Properties(ADDRESS).get_all())[0])

    def listen(self):
        """Starts to collect the signals of the service. Give the result to `next_signal` or
        `next_change`."""
        rule = MatchRule(type="signal", path=PATH)
        Proxy(message_bus, self.connection).AddMatch(rule)
        return self._caught.enter_context(self.connection.filter(rule, bufsize=10_000))

    def next_signal(self, queue, member, fits=lambda body: True, seconds=60):
        """The body of the next signal of that name that fits."""
        found = None

        def arrived():
            nonlocal found
            while queue:
                message = queue.popleft()
                if message.header.fields[3] == member and fits(message.body):
                    found = message.body
                    return True
            with contextlib.suppress(TimeoutError):
                while not queue:
                    self.connection.recv_messages(timeout=0.1)
            return False

        wait_until(arrived, seconds, f"the signal {member}")
        return found

    def next_change(self, queue, name, value=None, seconds=60):
        """The new value of a property, from its change signal."""
        def fits(body):
            return name in body[1] and (value is None or plain(body[1][name]) == value)

        return plain(self.next_signal(queue, "PropertiesChanged", fits, seconds)[1][name])
