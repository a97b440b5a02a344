"""A stand-in for the announcer on the bus that answers as a test tells it."""

import threading

from jeepney import (
    DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal)
from jeepney.io.blocking import Proxy, open_dbus_connection

from message_bus import NAME, PATH

PROPERTIES = {
    "Trust": ("s", "synchronised"), "ClockIsUsed": ("b", True), "Muted": ("b", False),
    "VolumeDB": ("d", -3.0), "Switch": ("s", "absent"), "Playing": ("s", ""),
}
# The methods that take nothing, and answer nothing.
PLAIN = ("Stop", "Unmute", "StopInterval")


def notice(event, words, fields):
    """The signal of a notice. Its fields are texts."""
    record = {"event": ("s", event), "priority": ("x", 5), "text": ("s", words),
              "fields": ("a{sv}", {name: ("s", value) for name, value in fields.items()})}
    return new_signal(DBusAddress(PATH, interface=NAME), "Noticed", "a{sv}", (record,))


def held():
    """The signal of a button that is held."""
    return new_signal(DBusAddress(PATH, interface=NAME), "Held", "a{sv}", ({},))


class Pretended:
    """A service of this name on the bus; `reply(message)` of its class answers each call."""

    def __init__(self, address, name):
        self.connection = open_dbus_connection(bus=address)
        Proxy(message_bus, self.connection).RequestName(name)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                message = self.connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self.reply(message)
        except (OSError, ValueError):
            pass

    def close(self):
        self.connection.close()


class PretendedAnnouncer(Pretended):
    """`answer(member)` returns True to answer a call, False to leave it, the name of an error, or the
    record of the answer with its types."""

    def __init__(self, address, answer=lambda member: True, **properties):
        self.answer = answer
        self.properties = PROPERTIES | properties
        self.calls = []
        # As in a real clock, an answer is sent before the change that it does not have.
        self.lock = threading.Lock()
        super().__init__(address, NAME)

    def reply(self, message):
        with self.lock:
            self.answer_call(message)

    def answer_call(self, message):
        member = message.header.fields[HeaderFields.member]
        self.calls.append(member)
        answer = self.answer(member)
        if isinstance(answer, str):
            self.connection.send(new_error(message, answer, "s", ("because",)))
        elif isinstance(answer, dict):
            self.connection.send(new_method_return(message, "a{sv}", (answer,)))
        elif answer and member == "GetAll":
            self.connection.send(new_method_return(message, "a{sv}", (self.properties,)))
        elif answer and member in PLAIN:
            self.connection.send(new_method_return(message))
        elif answer:
            self.connection.send(new_method_return(message, "a{sv}", ({},)))

    def change(self, **properties):
        """Changes properties, and tells of it."""
        with self.lock:
            self.properties |= properties
            self.connection.send(new_signal(
                DBusAddress(PATH, interface="org.freedesktop.DBus.Properties"), "PropertiesChanged",
                "sa{sv}as", (NAME, properties, [])))
