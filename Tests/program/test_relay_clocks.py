"""The clocks of the network, as avahi-daemon tells them; a stand-in for it is on the bus."""

import time

import pytest
from jeepney import DBusAddress, HeaderFields, new_error, new_method_return, new_signal

from pretended_announcer import Pretended

AVAHI = "org.freedesktop.Avahi"
# Titles, types, hosts and ports.
HALL = ("clocksmith on hall", "_http._tcp", "hall.local", 80)
SHED = ("clocksmith on shed", "_https._tcp", "shed.local", 8443)


class PretendedAvahi(Pretended):
    """Knows these services in two networks; of a service whose host is None, nobody tells the address. That of port 1
    is of this machine."""

    def __init__(self, address, services, ends=True):
        self.services, self.ends = services, ends
        super().__init__(address, AVAHI)

    def reply(self, message):
        member = message.header.fields[HeaderFields.member]
        if member == "ServiceBrowserNew":
            kind = message.body[2]
            path = f"/Client/{kind.strip('_').replace('._', '')}"
            self.connection.send(new_method_return(message, "o", (path,)))
            signals = DBusAddress(path, interface=f"{AVAHI}.ServiceBrowser")
            for name, its_kind, _, port in self.services:
                for network in (2, 3):
                    if its_kind == kind:
                        self.connection.send(new_signal(
                            signals, "ItemNew", "iisssu", (network, 0, name, kind, "local", 12 if port == 1 else 4)))
            if self.ends:
                self.connection.send(new_signal(signals, "AllForNow"))
        elif member == "ResolveService":
            network, protocol, name, kind, domain, *_ = message.body
            [(host, port)] = [each[2:] for each in self.services if each[:2] == (name, kind)]
            if host is None:
                return self.connection.send(new_error(message, f"{AVAHI}.TimeoutError", "s", ("late",)))
            self.connection.send(new_method_return(
                message, "iissssisqaayu",
                (network, protocol, name, kind, domain, host, 0, "192.0.2.1", port, [], 0)))


@pytest.fixture
def network(bus):
    opened = []

    def network(*services, **options):
        opened.append(PretendedAvahi(bus.address, services, **options))

    yield network
    for each in opened:
        each.close()


def clocks(running):
    return running.ask("GET", "/v1/clocks").body["clocks"]


@pytest.fixture
def running(door, announcer):
    announcer()
    return door("face = yes").wait_for_announcer()


def test_the_clocks_of_the_network_are_told_with_their_pages(running, network):
    network(HALL, SHED, ("a printer", "_http._tcp", "printer.local", 80),
            ("clocksmith on own", "_http._tcp", "own.local", 1), ("clocksmith on attic", "_http._tcp", None, 80),
            ("clocksmith on <b>", "_http._tcp", "a b/c", 80))
    found = [{"name": "hall", "url": "http://hall.local/"}, {"name": "shed", "url": "https://shed.local:8443/"}]
    assert clocks(running) == found
    assert clocks(running) == found


def test_without_avahi_no_clock_is_told_at_once(running):
    begun = time.monotonic()
    assert clocks(running) == []
    assert time.monotonic() - begun < 2


def test_an_avahi_that_never_ends_is_waited_for_three_seconds(running, network):
    network(HALL, ends=False)
    begun = time.monotonic()
    assert clocks(running) == [{"name": "hall", "url": "http://hall.local/"}]
    assert 2 < time.monotonic() - begun < 10
