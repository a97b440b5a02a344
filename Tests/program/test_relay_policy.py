"""The D-Bus policies let the relay's user do what a message may ask for, and nothing else."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import relay as parts
from message_bus import ADDRESS, MessageBus
from pretended_announcer import PretendedAnnouncer
from pretended_broker import PretendedBroker
from program import ROOT
from relay import COMMAND, Relay

# As in dbus-daemon's system.conf, for a user without special rights.
CONFIGURATION = """<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
  </policy>
  <include>{announcer}</include>
  <include>{relay}</include>
</busconfig>
"""
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
CALL = """
import sys
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
connection = open_dbus_connection(bus=sys.argv[1])
address = DBusAddress("{path}", bus_name="{name}", interface="{name}")
reply = connection.send_and_get_reply(new_method_call(address, sys.argv[2]), timeout=60)
print(reply.header.message_type.name, reply.header.fields.get(4, ""))
""".format(path=ADDRESS.object_path, name=ADDRESS.bus_name)


@pytest.fixture
def folder():
    """A folder that everybody may read."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("another user cannot be taken on here (not root, or no setpriv)")
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


class StrictBus(MessageBus):
    """A bus with our policies, in which `nobody` stands in for the relay's user."""

    def start(self):
        policy = (ROOT / "systemd/org.clocksmith.Relay.conf").read_text()
        ours = self.folder / "relay-policy.conf"
        ours.write_text(policy.replace('"clocksmith-relay"', '"65534"'))
        (self.folder / "bus.conf").write_text(CONFIGURATION.format(
            socket=self.socket, relay=ours,
            announcer=ROOT / "systemd/org.clocksmith.Announcer1.conf"))
        super().start()


@pytest.fixture
def strict(folder):
    bus = StrictBus(folder)
    announcer = PretendedAnnouncer(bus.address)
    yield bus, announcer
    announcer.close()
    bus.stop()


def test_the_relay_s_user_may_tell_the_clock_what_messages_ask_for(strict, folder, surroundings):
    parts.need_relay()
    bus, announcer = strict
    broker = PretendedBroker()
    relay = Relay(
        surroundings | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}, folder, broker.port,
        within=AS_NOBODY)
    try:
        relay.wait_for("the announcer answers")
        relay.wait_for("connected to")
        for order in ({"command": "stop"}, {"command": "volume", "volume_db": -3},
                      {"command": "alarm_snooze"}, {"command": "announce", "time": "15:30"}):
            broker.send(COMMAND, json.dumps(order).encode())
            relay.wait_for(f"carried out {order['command']}")
        assert relay.matching("refused") == []
    finally:
        assert relay.stop() == 0
        broker.close()


@pytest.mark.parametrize("method, may", [("Stop", True), ("Agenda", True), ("Settings", True), ("SetSetting", True),
                                         ("Reload", False)])
def test_it_may_look_as_everyone_may_and_do_nothing_else(strict, surroundings, method, may):
    bus, announcer = strict
    done = subprocess.run(
        [*AS_NOBODY, "/usr/bin/python3", "-c", CALL, bus.address, method], env=surroundings,
        capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.split()[:1] == ["method_return"]) is may, done
    assert (method in announcer.calls) is may
    assert may or re.search("AccessDenied", done.stdout)
