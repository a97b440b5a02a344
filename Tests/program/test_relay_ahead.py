"""Each occasion is published some seconds ahead, with its instant in the message."""

import datetime
import re
import time

import pytest
from jeepney import DBusAddress, new_signal

import relay as parts
from message_bus import NAME, PATH
from pretended_announcer import PretendedAnnouncer
from pretended_apns import PretendedAPNs, accept, make_provider_key
from push import APNS, TOPIC, PushRelay, token
from sound_server import wait_until

# Long enough for a slow machine.
AHEAD = 20


class Clock:
    """An announcer whose next occasion a test sets, and a relay that publishes to a phone."""

    def __init__(self, bus, environment, folder):
        # When each request came.
        self.asked = []
        self.apns = PretendedAPNs(folder, answer=self.answer)
        make_provider_key(folder / "provider.p8")
        self.folder, self.environment = folder, environment
        self.text = APNS.format(
            topic=TOPIC, key=folder / "provider.p8", host=self.apns.host,
            authority=self.apns.authority, rest=f"[push]\nahead = {AHEAD}s\n")
        self.announcer = PretendedAnnouncer(bus.address)
        self.relay = PushRelay(self.environment, self.folder, self.text)
        self.relay.wait_for("the announcer answers")
        self.relay.command("device", "add", token(1), "--events", "occasion")

    def answer(self, request):
        self.asked.append(time.time())
        return accept(request)

    def expect(self, instant, sounds=True, playing=""):
        """The announcer reports a change of what comes next, and the relay asks for it."""
        asked = self.announcer.calls.count("GetAll")
        at = datetime.datetime.fromtimestamp(instant, datetime.timezone.utc)
        self.announcer.properties |= {
            "Next": ("a{sv}", {
                "at": ("s", at.isoformat()), "sounds": ("b", sounds),
                "text": ("s", "three fifteen P M"), "chime": ("s", "none")}),
            "Playing": ("s", playing)}
        self.announcer.connection.send(new_signal(
            DBusAddress(PATH, interface="org.freedesktop.DBus.Properties"), "PropertiesChanged",
            "sa{sv}as", (NAME, {}, ["Next"])))
        wait_until(lambda: self.announcer.calls.count("GetAll") > asked, 60, "the question")

    def close(self):
        assert self.relay.stop() == 0
        self.announcer.close()
        self.apns.stop()


@pytest.fixture
def clock(bus, on_the_bus, tmp_path):
    parts.need_relay()
    clock = Clock(bus, on_the_bus.environment, tmp_path)
    yield clock
    clock.close()


def test_a_phone_is_woken_ahead_with_the_instant_and_shown_nothing(clock):
    instant = int(time.time()) + AHEAD + 5
    clock.expect(instant)
    [request] = clock.apns.wait_for(1)
    wait_until(lambda: clock.asked, 60, "its time")
    assert 2 < instant - clock.asked[0] <= AHEAD
    assert request.headers["apns-push-type"] == "background"
    assert request.headers["apns-priority"] == "5"
    assert request.headers["apns-expiration"] == str(instant)
    payload = request.payload
    assert payload["aps"] == {"content-available": 1}
    assert payload["event"] == "occasion" and payload["TEXT"] == "three fifteen P M"
    assert payload["INSTANT"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))
    # The same occasion reported again, as after a reload, is not published again. The next one is.
    clock.expect(instant)
    later = int(time.time()) + AHEAD + 5
    clock.expect(later)
    assert len(clock.apns.wait_for(2)) == 2
    second = clock.apns.requests[1].payload["INSTANT"]
    assert second == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(later))


def test_an_hour_whose_melody_sounds_already_is_published_before_its_first_blow(clock):
    instant = int(time.time()) + AHEAD + 10
    clock.expect(instant)
    clock.expect(instant + 900, playing="Westminster Quarters")
    [request] = clock.apns.wait_for(1)
    assert request.payload["INSTANT"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))


def test_what_will_be_silent_or_comes_too_soon_is_not_published(clock):
    silent = time.time() + AHEAD + 10
    clock.expect(silent)
    clock.expect(silent, sounds=False)
    wait_until(
        lambda: time.time() > silent - AHEAD + 2, 60, "the moment at which it would be published")
    clock.expect(time.time() + 1)
    instant = time.time() + AHEAD + 5
    clock.expect(instant)
    [request] = clock.apns.wait_for(1)
    assert re.match(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(instant)), request.payload["INSTANT"])
