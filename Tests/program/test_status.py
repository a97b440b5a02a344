"""`status --follow`: a live face of the clock, on a terminal and off it."""

import json
import os
import re
import signal
import time

import numpy
import pytest

from message_bus import MessageBus
from program import SILENT_ALSA
from service import Service
from sound_server import least_of_four, wait_until
from terminal import Terminal


@pytest.fixture
def configuration(clocksmith):
    return clocksmith.configuration()


def test_on_a_terminal_the_time_goes_on_by_the_second(clocksmith, configuration):
    def longest_step():
        face = Terminal(clocksmith, "status", "--follow", "--config", configuration, columns=100)

        def moments():
            times = re.findall(r"now +\w+ ([\d-]+T[\d:]+)", face.text)
            return [time.mktime(time.strptime(shown, "%Y-%m-%dT%H:%M:%S")) for shown in times]

        wait_until(lambda: len(set(moments())) >= 4, 60, "four seconds")
        assert face.end(signal.SIGINT) == 0
        steps = numpy.diff(moments())
        assert min(steps) >= 0
        return max(steps)

    assert least_of_four(longest_step, 2) == 1


@pytest.mark.parametrize("columns, kind", [(None, "xterm"), (80, "dumb")])
def test_without_a_terminal_there_is_a_line_a_change(clocksmith, configuration, columns, kind):
    face = Terminal(
        clocksmith, "status", "--follow", "--config", configuration, columns=columns, kind=kind)
    face.wait_for("; voice ")
    time.sleep(2.2)
    assert face.end(signal.SIGINT) == 0
    lines = face.text.splitlines()
    # Nothing is padded as in a column.
    assert re.match(r"now \w+ .*; next [\d:]+, in .*; speaker default; voice ", lines[0])
    # An occasion within these seconds is a change, too.
    occasions = {re.search(r"next +([0-9:]+)", line)[1] for line in lines}
    assert len(lines) == len(occasions) and "\x1b" not in face.text


def test_it_ends_once_nobody_reads_it(clocksmith, configuration):
    ours, theirs = os.pipe()
    os.close(ours)
    done = clocksmith.run(
        "status", "--follow", "--config", configuration, stdout=theirs, timeout=60)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_follows_the_service_as_it_goes_and_comes(tmp_path, clocksmith, slow_voice):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    # ALSA's null device would play everything at once, before `playing` could be seen.
    service = Service(
        clocksmith,
        clocksmith.configuration("interval = 60\nvoice_at_hour = none", voice=slow_voice),
        "--output", tmp_path / "played.wav", alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service(service)
        face = Terminal(clocksmith, "status", "--follow", "--json", columns=None)
        face.wait_for('"running":true')
        caller.ask("Mute")
        face.wait_for('"muted":true')
        caller.ask("Announce", time="11:45")
        face.wait_for('"playing":"eleven forty-five A M"')
    assert service.stop() == 0
    face.wait_for('"running":false')
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    face.wait_for('"running":true')
    assert face.end(signal.SIGINT) == 0
    assert all(json.loads(line) for line in face.text.splitlines())
    assert service.stop() == 0
    bus.stop()
