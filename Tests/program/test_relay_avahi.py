"""The face is announced in the local network, by a stand-in for avahi-daemon on the private bus."""

import contextlib
import signal
import socket

import pytest
from jeepney import DBusAddress, HeaderFields, message_bus, new_error, new_method_return, new_signal

from pretended_announcer import Pretended
from sound_server import wait_until

NAME = "org.freedesktop.Avahi"
SERVER = DBusAddress("/", bus_name=NAME, interface=f"{NAME}.Server")
RUNNING = 2


class PretendedAvahi(Pretended):
    """It answers as avahi 0.8 does, and keeps what is announced: by the path of its group."""

    def __init__(self, address, host="hall"):
        self.host = host
        self.groups = {}
        self.announced = {}
        self.sender = None
        super().__init__(address, NAME)

    def reply(self, message):
        self.connection.send(self.answer(message))

    def answer(self, message):
        fields = message.header.fields
        if self.sender != fields[HeaderFields.sender]:
            # What has left the bus is announced no more.
            self.announced.clear()
        self.sender = fields[HeaderFields.sender]
        path, member = fields[HeaderFields.path], fields[HeaderFields.member]
        match member:
            case "GetHostName":
                return new_method_return(message, "s", (self.host,))
            case "EntryGroupNew":
                path = f"/Client0/EntryGroup{len(self.groups) + 1}"
                self.groups[path] = None
                return new_method_return(message, "o", (path,))
            case "AddService":
                assert fields[HeaderFields.signature] == "iiussssqaay"
                self.groups[path] = message.body
            case "Commit":
                self.announced[path] = self.groups[path]
            case _:
                return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        return new_method_return(message)

    def rename(self, host):
        """Another machine has the same name: the server gets a new one."""
        self.host = host
        self.connection.send(new_signal(SERVER, "StateChanged", "is", (RUNNING, "")))

    def wait_for(self, host, port):
        service = (-1, -1, 0, f"clocksmith on {host}", "_http._tcp", "", "", port, [b"path=/"])
        wait_until(lambda: list(self.announced.values()) == [service], 60,
                   f"the announcement; there was {self.announced}")

    def close(self):
        with contextlib.suppress(OSError):
            # Wakes the thread, which would hold the connection open.
            self.connection.sock.shutdown(socket.SHUT_RDWR)
            super().close()


@pytest.fixture
def avahi(bus):
    made = []

    def avahi(host="hall"):
        made.append(PretendedAvahi(bus.address, host))
        return made[-1]

    yield avahi
    for each in made:
        each.close()


def configure(running, section, listen="0.0.0.0"):
    running.text = running.written(section).replace("127.0.0.1", listen)
    running.configure()
    count = len(running.matching("reloaded"))
    running.process.send_signal(signal.SIGHUP)
    wait_until(lambda: len(running.matching("reloaded")) > count, 60, "the new configuration")


def test_the_face_is_announced_while_it_is_on(door, avahi, bus):
    server = avahi()
    running = door("face = yes")
    running.wait_for("the announcer does not run")
    for _ in range(20):
        # Each gives the relay's other connections their turn.
        running.state()
    configure(running, "face = no")
    configure(running, "face = paired")
    server.wait_for("hall", running.port)
    assert len(server.groups) == 1, "not while only this machine reached it, nor without a face"
    configure(running, "face = no")
    # It leaves the bus, and avahi withdraws what it has announced.
    with bus.caller() as caller:
        wait_until(lambda: not caller.send(message_bus.NameHasOwner(server.sender))[0], 60,
                   "the end of the announcement")


def test_avahi_may_come_later_and_again_and_give_another_name(door, avahi):
    running = door("face = yes")
    configure(running, "face = yes")
    running.wait_for("the announcer does not run")
    before = len(running.lines())
    first = avahi()
    first.wait_for("hall", running.port)
    first.rename("hall-2")
    first.wait_for("hall-2", running.port)
    first.close()
    avahi("hall-3").wait_for("hall-3", running.port)
    # None of this is worth an entry.
    assert len(running.lines()) == before
