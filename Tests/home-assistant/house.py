"""The parts of the house. Tests stop some of them and start them again."""

import contextlib
import os

import pytest

import relay as parts
from home_assistant import TREE, HomeAssistant
from message_bus import MessageBus
from pretended_line import PretendedLine
from program import Clocksmith, surroundings
from relay import Broker, Relay
from service import Service
from sound_server import Recording, SoundServer


class House:
    def __init__(self, folders):
        parts.need_relay()
        if not (TREE / "opt/home-assistant").exists() or os.geteuid():
            pytest.skip("no Home Assistant here: start Tests/home-assistant/run")
        self.things = contextlib.ExitStack()
        try:
            self.furnish(folders)
        except BaseException:
            self.things.close()
            raise

    def furnish(self, folders):
        folder = folders.mktemp("house")
        environment = surroundings(folders.mktemp("home"))
        self.bus = MessageBus(folder)
        self.things.callback(self.bus.stop)
        self.line = PretendedLine(folder)
        self.sound = SoundServer(folder / "sound", environment, "speaker")
        self.things.callback(self.sound.kill)
        self.heard = Recording(self.sound, "speaker")
        self.things.callback(self.heard.stop)
        self.broker = Broker(folder, "allow_anonymous true\nlog_type all\n")
        self.things.callback(self.broker.close)
        environment |= {
            "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address, "STATE_DIRECTORY": str(folder)}
        self.program = Clocksmith(environment | self.line.environment, folder)
        self.configuration = self.program.configuration(
            "interval = 60\nvoice_at_hour = none", "[switch]\nline = SWITCH")
        self.start_announcer()
        self.things.callback(lambda: self.announcer.stop())
        self.environment, self.folder = environment, folder
        self.start_relay()
        self.things.callback(lambda: self.relay.stop())
        self.home = HomeAssistant(folders.mktemp("home-assistant"), self.broker.port)
        self.things.callback(self.home.stop)
        self.home.wait_for("sensor.hall_clock_trust", lambda state: state != "unavailable", 60)

    def start_announcer(self):
        self.announcer = Service(
            self.program, self.configuration, alsa=self.sound.device("default", "speaker"))
        with self.bus.caller() as caller:
            caller.wait_for_service(self.announcer)

    def start_relay(self):
        self.relay = Relay(self.environment, self.folder, self.broker.port)

    def close(self):
        self.things.close()
