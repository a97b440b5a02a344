"""`status --follow`: a live face of the clock, on a terminal and off it."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import numpy
import pytest

from message_bus import MessageBus
from program import PROGRAM, SILENT_ALSA
from service import Service
from sound_server import wait_until


class Face:
    """A `status --follow`, and everything that it has printed."""

    def __init__(
            self, clocksmith, *words, columns=None, rows=24, process_group=None, **environment):
        self.output = ""
        self.terminal, ours = pty.openpty() if columns else os.pipe()
        if columns:
            self.resize(columns, rows)
        self.process = subprocess.Popen(
            [PROGRAM, "status", "--follow", *map(str, words)], stdin=subprocess.DEVNULL,
            stdout=ours, env=clocksmith.environment | {"TERM": "xterm"} | environment,
            process_group=process_group)
        os.close(ours)
        os.set_blocking(self.terminal, False)

    def resize(self, columns, rows=24):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        try:
            while data := os.read(self.terminal, 65536):
                self.output += data.decode()
        except (BlockingIOError, OSError):
            pass
        return self.output

    def wait_for(self, pattern, seconds=5):
        return wait_until(lambda: re.search(pattern, self.read()), seconds, repr(pattern))

    def is_stopped(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        status = self.process.wait(5)
        self.read()
        os.close(self.terminal)
        return status


@pytest.fixture
def configuration(clocksmith):
    return clocksmith.configuration()


def shown(output):
    """The lines on a terminal, without the sequences that move the cursor and set colours."""
    return [line for line in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output).split("\r\n") if line]


def test_on_a_terminal_the_time_goes_on_by_the_second(clocksmith, configuration):
    face = Face(clocksmith, "--config", configuration, columns=100)

    def moments():
        times = re.findall(r"now +\w+ ([\d-]+T[\d:]+)", face.read())
        return [time.mktime(time.strptime(shown, "%Y-%m-%dT%H:%M:%S")) for shown in times]

    wait_until(lambda: len(set(moments())) >= 4, 10, "four seconds")
    assert face.end() == 0
    assert set(numpy.diff(moments())) <= {0, 1}
    assert face.output.startswith("\x1b[?25l") and face.output.endswith("\x1b[?25h")


def test_the_cursor_is_shown_again_after_the_key_that_quits(clocksmith, configuration):
    face = Face(clocksmith, "--config", configuration, columns=100)
    face.wait_for("now")
    assert face.end(signal.SIGQUIT) == 0
    assert face.output.endswith("\x1b[?25h")


def test_the_cursor_is_shown_while_it_is_stopped(clocksmith, configuration):
    # In a process group of its own, as under a shell: the kernel stops no group that nobody minds.
    face = Face(clocksmith, "--config", configuration, columns=100, process_group=0)
    face.wait_for("now")
    face.process.send_signal(signal.SIGTSTP)
    wait_until(face.is_stopped, 5, "it to stop")
    assert face.read().endswith("\x1b[?25h")
    face.process.send_signal(signal.SIGCONT)
    face.wait_for(r"\x1b\[\?25h\x1b\[\?25l(?!\x1b\[\d+F)")
    assert face.end() == 0


def test_the_second_is_shown_as_it_begins(clocksmith, configuration):
    face = Face(clocksmith, "--config", configuration, columns=100)
    face.wait_for("now")
    late = []
    for _ in range(3):
        seen = len(re.findall("now ", face.read()))
        wait_until(lambda: len(re.findall("now ", face.read())) > seen, 2, "the next second")
        late.append(time.time() % 1)
    assert face.end() == 0
    assert min(late) < 0.1, late


@pytest.mark.parametrize("columns", [1, 12, 40])
def test_a_narrow_terminal_gets_lines_that_fit(clocksmith, configuration, columns):
    face = Face(clocksmith, "--config", configuration, columns=columns)
    face.wait_for("…")
    time.sleep(1.1)
    assert face.end() == 0
    assert max(map(len, shown(face.output))) == columns


def test_a_terminal_of_few_rows_is_not_scrolled(clocksmith, configuration):
    face = Face(clocksmith, "--config", configuration, columns=80, rows=3)
    face.wait_for("next")
    time.sleep(1.1)
    assert face.end() == 0
    assert "speaker" not in face.output and "\x1b[2F" in face.output


def test_colours_only_where_they_are_wanted(clocksmith, configuration):
    outputs = []
    for no_colour in ("", "1"):
        face = Face(clocksmith, "--config", configuration, columns=100, NO_COLOR=no_colour)
        face.wait_for("voice")
        assert face.end() == 0
        outputs.append(bool(re.search(r"\x1b\[\d+m", face.output)))
    assert outputs == [True, False]


@pytest.mark.parametrize("columns, kind", [(None, "xterm"), (80, "dumb")])
def test_without_a_terminal_there_is_a_line_a_change(clocksmith, configuration, columns, kind):
    face = Face(clocksmith, "--config", configuration, columns=columns, TERM=kind)
    face.wait_for("now .*next .*clock .*speaker")
    time.sleep(2.2)
    assert face.end() == 0
    lines = face.output.splitlines()
    # An occasion within these seconds is a change, too.
    occasions = {re.search(r"next +([0-9:]+)", line)[1] for line in lines}
    assert len(lines) == len(occasions) and "\x1b" not in face.output


def test_it_ends_once_nobody_reads_it(clocksmith, configuration):
    ours, theirs = os.pipe()
    os.close(ours)
    done = clocksmith.run(
        "status", "--follow", "--config", configuration, stdout=theirs, timeout=20)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_follows_the_service_as_it_goes_and_comes(tmp_path, clocksmith):
    bus = MessageBus(tmp_path)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    # ALSA's null device would play everything at once, before `playing` could be seen.
    service = Service(
        clocksmith, clocksmith.configuration(), "--output", tmp_path / "played.wav",
        alsa=SILENT_ALSA)
    with bus.caller() as caller:
        caller.wait_for_service()
        face = Face(clocksmith, "--json")
        face.wait_for('"running":true')
        caller.call("Mute", "t", 0)
        face.wait_for('"muted":true')
        caller.call("AnnounceTime", "uu", 15, 30)
        face.wait_for('"playing":"three thirty P M"')
    assert service.stop() == 0
    face.wait_for('"running":false')
    service = Service(clocksmith, clocksmith.configuration(), alsa=SILENT_ALSA)
    face.wait_for('"running":false.*\n.*"running":true', seconds=10)
    assert face.end() == 0
    assert all(json.loads(line) for line in face.output.splitlines())
    assert service.stop() == 0
    bus.stop()


