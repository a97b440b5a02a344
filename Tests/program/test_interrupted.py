"""Ctrl-C while a file is written: nothing half-written stays, and the signal ends the program."""

import signal
import subprocess

import pytest

from program import PROGRAM
from slow_voice import lengthen
from sound_server import wait_until

AT = ["render", "--at", "2026-11-21T15:15"]
COMMANDS = {
    "render": [*AT, "--output", "{folder}/x.wav"],
    "render of a picture": [*AT, "--output", "{folder}/x.flac", "--picture", "{folder}/x.svg"],
    "say": ["say", "15:15", "--output", "{folder}/x.caf"],
    "export": ["voice", "export", "{pack}", "--output", "{folder}/x"],
}


def heed_signals():
    """Signals end the program, even if the tests themselves ignore them, as under nohup(1)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def output(tmp_path):
    folder = tmp_path / "output"
    folder.mkdir()
    return folder


@pytest.fixture
def begun(clocksmith, output):
    """Starts a command, and waits until it writes."""
    started = []

    def begun(*words):
        started.append(subprocess.Popen(
            [PROGRAM, *map(str, words)], env=clocksmith.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals))
        wait_until(lambda: list(output.rglob("*.part")), 60, "the first of the file")
        return started[-1]

    yield begun
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("command, number", [
    *((command, signal.SIGINT) for command in COMMANDS), ("render", signal.SIGTERM), ("render", signal.SIGHUP)])
def test_nothing_half_written_stays(clocksmith, pack, output, begun, command, number):
    # Takes a second or two to write.
    lengthen(pack, 200, "minute-15")
    configuration = clocksmith.configuration(voice=pack)
    words = (word.format(folder=output, pack=pack) for word in COMMANDS[command])
    process = begun(*words, "--config", configuration)
    process.send_signal(number)
    told = process.communicate(timeout=60)
    assert (process.returncode, told) == (-number, ("", ""))
    assert list(output.iterdir()) == []


def test_a_file_that_was_there_stays_as_it_was(clocksmith, pack, output, begun):
    lengthen(pack, 200, "minute-15")
    (output / "x.wav").write_bytes(b"the old announcement")
    process = begun(*AT, "--output", output / "x.wav", "--config", clocksmith.configuration(voice=pack))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert [(path.name, path.read_bytes()) for path in output.iterdir()] == [("x.wav", b"the old announcement")]
