"""What the service reports to the journal and to systemd."""

import contextlib
import re
import signal
import time

import pytest
import soundfile

from journal_daemon import Journal, stop
from program import PROGRAM, ROOT, SILENT_ALSA, VOICE, Clocksmith
from service import Service, several
from slow_voice import copy_of_the_voice, lengthen
from sound_server import RATE, least_of_four, wait_until


@pytest.fixture(scope="module")
def folder(memory):
    folder = memory / "journal"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def journal(surroundings, folder):
    """A journal of two runs: a start, a request, a failed and a good reload, a stop; a start."""
    made = Journal(folder)
    clocksmith = Clocksmith(surroundings, folder)
    configuration = clocksmith.configuration("interval = 60\nvoice_at_hour = none")
    try:
        for policy in ("speak", "silent"):
            process = made.start(
                clocksmith, PROGRAM, "run", "--config", configuration, "--say-now",
                "--untrusted", policy, "--output", folder / "played.wav")
            if policy == "speak":
                made.wait_for("announced")
                text = configuration.read_text()
                configuration.write_text("[announce]\ninterval = 7\n")
                process.send_signal(signal.SIGHUP)
                made.wait_for("reload_failed")
                configuration.write_text(text)
                process.send_signal(signal.SIGHUP)
                made.wait_for("reloaded")
                assert stop(process) == 0
                made.wait_for("day")
            else:
                made.wait_for("started")
                wait_until(lambda: len(made.entries("CLOCKSMITH_EVENT=started")) == 2, 60, "it")
                stop(process)
        yield made
    finally:
        made.close()


def test_an_announcement_is_an_entry_with_fields(journal):
    entry = journal.wait_for("announced")
    assert re.fullmatch(
        'said "[a-zA-Z\' -]+" because it was asked for, onset .* ms.*', entry["MESSAGE"])
    assert entry["SYSLOG_IDENTIFIER"] == "clocksmith"
    assert entry["PRIORITY"] == "6"
    assert entry["MESSAGE_ID"] == "a30e9985b3d3468c8e2b1d022826ff09"
    assert entry["CLOCKSMITH_CAUSE"] == "request"
    assert entry["CLOCKSMITH_TEXT"] in entry["MESSAGE"]
    onset = float(re.search(r"onset ([+-][0-9.]+) ms", entry["MESSAGE"])[1])
    assert int(entry["CLOCKSMITH_ONSET_ERROR_USEC"]) / 1000 == pytest.approx(onset, abs=0.06)


def test_a_bad_configuration_is_an_error_and_its_file_is_named(journal):
    entry = journal.wait_for("reload_failed")
    assert entry["PRIORITY"] == "3" and ".conf:2:" in entry["MESSAGE"]


def test_what_the_day_brought_is_told_at_the_stop(journal):
    entry = journal.wait_for("day")
    assert entry["CLOCKSMITH_ANSWERED"] == "1" and entry["CLOCKSMITH_SOUNDED"] == "0"
    assert "answered 1" in entry["MESSAGE"]


def queries():
    """The journalctl commands in docs/journal.md."""
    text = (ROOT / "docs/journal.md").read_text(encoding="utf-8")
    return re.findall(r"^- `(journalctl [^`]*)`:$", text, re.MULTILINE)


def test_the_docs_have_every_event_and_no_other():
    source = (ROOT / "Sources/Vocabulary/JournalEvent.swift").read_text(encoding="utf-8")
    events = re.findall(r'^  case .* = "(\w+) [0-9a-f]{32}"', source, re.MULTILINE)
    assert len(events) > 40
    text = (ROOT / "docs/journal.md").read_text(encoding="utf-8")
    listed = text.partition("## The events")[2].partition("\n\nThe events of the relay")[0]
    assert sorted(re.findall(r"`([a-z_]+)`", listed)) == sorted(events)


@pytest.mark.parametrize("query", queries())
def test_a_query_of_the_docs_finds_what_it_says(journal, query):
    # No systemd unit runs the program here. Its identifier finds the same entries.
    words = query.replace("-u clocksmith", "-t clocksmith").replace(" -f", "")
    fields = re.findall(r"CLOCKSMITH_\w+=\w+", words)
    if fields:
        # Some of these events take a day to come, so a sample is sent in their place.
        sample = "\n".join(
            ["MESSAGE=a sample", "SYSLOG_IDENTIFIER=clocksmith", "PRIORITY=4", *fields, ""])
        send = ("import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
                "s.sendto(sys.argv[1].encode(), '/run/systemd/journal/socket')")
        journal.run("/usr/bin/python3", "-c", send, sample)
    wait_until(
        lambda: "No entries" not in (found := journal.run("sh", "-c", words)).stdout
        and found.returncode == 0 and found.stdout.strip(), 60, query)


# MARK: What systemd is told


def messages(service, until):
    """The new lines that the service manager gets, at least until one matches."""
    lines = []

    def is_told():
        with contextlib.suppress(BlockingIOError):
            while True:
                lines.extend(service.manager.recv(4096).decode().splitlines())
        return any(re.match(until, line) for line in lines)

    wait_until(is_told, 60, until)
    return lines


@pytest.fixture
def start(clocksmith):
    """Starts a service with a watchdog of one second, which says the time at once."""
    clocksmith.environment = clocksmith.environment | {"WATCHDOG_USEC": "1000000"}

    def make(announce, voice, *words):
        configuration = clocksmith.configuration(f"interval = 60\nvoice_at_hour = none\n{announce}", voice=voice)
        return Service(clocksmith, configuration, "--say-now", *words, alsa=SILENT_ALSA, notify=True)

    yield from several(make, lambda service: service.end_by("kill"))


def test_it_shows_that_it_lives_twice_in_the_time_that_it_is_given(start):
    service = start("", VOICE)

    def pause():
        messages(service, "WATCHDOG=1")
        since = time.monotonic()
        messages(service, "WATCHDOG=1")
        return time.monotonic() - since

    for _ in range(3):
        assert least_of_four(pause, 0.9) < 0.9


@pytest.mark.parametrize("at_stop", ["fade", "finish"])
@pytest.mark.rule("stop-fades")
def test_what_is_heard_at_the_stop_is_faded_or_finished(start, tmp_path, at_stop):
    def is_well(number):
        """False if a busy machine has held up the end."""
        played = tmp_path / f"{number}.wav"
        pack = lengthen(copy_of_the_voice(tmp_path / f"voice {number}"), 3, "am", "pm", "oclock")
        service = start(f"at_stop = {at_stop}", pack, "--output", played)
        # The file holds what has been played: 0.4 s of silence, and then the words.
        wait_until(lambda: played.exists() and played.stat().st_size > 0.6 * RATE * 2, 60, "the words")
        since = time.monotonic()
        service.process.terminate()
        lines = messages(service, "EXTEND_TIMEOUT_USEC")
        assert service.process.wait(60) == 0
        took, frames = time.monotonic() - since, len(soundfile.read(played)[0])
        assert "STOPPING=1" in lines
        [extended] = [int(line.split("=")[1]) / 1e6 for line in lines if line.startswith("EXTEND_")]
        # It asks for its time before the words, the last of which takes 3 s, are faded.
        if at_stop == "finish":
            return took < extended < took + 4 and frames > RATE * 3 and took > 0.4
        return took < extended < took + 7 and frames < RATE and took < 0.4

    assert any(map(is_well, range(4)))
