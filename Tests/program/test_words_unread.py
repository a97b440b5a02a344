"""Messages that nobody reads, or that have nowhere to go: sound and signals do not wait for them."""

import os
import signal
import subprocess

import pytest
import soundfile

from journal_daemon import Journal
from journal_daemon import stop as stop_within
from program import PROGRAM
from sound_server import RATE, wait_until
from standstill import stand_still


@pytest.fixture
def full_pipe():
    """A pipe that is full because nobody reads it: (reader, writer)."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    try:
        while os.write(writer, bytes(4096)):
            pass
    except BlockingIOError:
        os.set_blocking(writer, True)
    yield reader, writer
    os.close(reader)
    os.close(writer)


def read(reader):
    """All that is in a pipe."""
    text = b""
    try:
        while piece := os.read(reader, 65536):
            text += piece
    except BlockingIOError:
        return text.decode(errors="replace")


@pytest.fixture
def start(clocksmith):
    """Starts a service that says the time at once, into a file."""
    started = []

    def start(**options):
        configuration = clocksmith.configuration("interval = 60\nvoice_at_hour = none")
        started.append(subprocess.Popen(
            [PROGRAM, "run", "--say-now", "--untrusted", "speak", "--config", configuration,
             "--output", clocksmith.folder / "played.wav"],
            env=clocksmith.environment, stdin=subprocess.DEVNULL, **options))
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.wait()


def has_spoken(folder):
    """Waits until a second of sound has been played: more than the silence before the words."""
    played = folder / "played.wav"
    wait_until(lambda: played.exists() and played.stat().st_size > RATE * 2, 60, "the words")


def test_what_was_not_read_is_counted_and_told_later(start, clocksmith, full_pipe):
    reader, writer = full_pipe
    process = start(stderr=writer)
    has_spoken(clocksmith.folder)
    read(reader)
    process.send_signal(signal.SIGHUP)
    told = ""

    def has_told():
        nonlocal told
        told += read(reader)
        return "the configuration was read again" in told

    wait_until(has_told, 60, "the next words")
    lines = [line.strip("\0") for line in told.splitlines()]
    [lost] = [line for line in lines if "lost" in line]
    assert lost.startswith("lost ") and "took nothing" in lost, lost
    assert lines.index(lost) < lines.index("the configuration was read again")
    process.terminate()
    assert process.wait(60) == 0


FLOOD = """
import socket
flood = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
flood.setblocking(False)
try:
    while True:
        flood.sendto(b"MESSAGE=flood\\n", "/run/systemd/journal/socket")
except BlockingIOError:
    pass
"""


def test_a_journal_that_is_wedged_holds_nothing_up_and_hears_of_it_later(clocksmith, tmp_path):
    journal = Journal(tmp_path)
    stand_still(journal.daemon)
    assert journal.run("/usr/bin/python3", "-c", FLOOD).returncode == 0
    process = journal.start(
        clocksmith, PROGRAM, "run", "--say-now", "--untrusted", "speak", "--config",
        clocksmith.configuration("interval = 60\nvoice_at_hour = none"),
        "--output", clocksmith.folder / "played.wav")
    try:
        has_spoken(clocksmith.folder)
        assert stop_within(process) == 0
        journal.daemon.send_signal(signal.SIGCONT)
        wait_until(
            lambda: [entry for entry in journal.entries("SYSLOG_IDENTIFIER=clocksmith")
                     if entry["MESSAGE"] == "stopping"], 60, "what was told meanwhile")
    finally:
        process.kill()
        journal.daemon.send_signal(signal.SIGCONT)
        journal.close()


def test_no_words_get_into_the_sound_when_standard_error_is_closed(start, clocksmith):
    process = start(preexec_fn=lambda: [os.close(descriptor) for descriptor in (0, 1, 2)])
    has_spoken(clocksmith.folder)
    process.terminate()
    assert process.wait(60) == 0
    played = clocksmith.folder / "played.wav"
    assert not any(word in played.read_bytes() for word in (b"said", b"stop", b"sounded"))
    samples, rate = soundfile.read(played)
    assert rate == RATE and len(samples) > RATE / 2 and abs(samples).max() > 0.05
