"""The picture of noon and the voices that the relay has clocksmith make for the page."""

import datetime
import io
import pathlib
import threading
import time
import zoneinfo

import pytest
import soundfile

import relay as parts
from http_door import refused
from installed_relay import Installed
from pretended_announcer import notice
from sound_server import wait_until

ZONE = "Asia/Kathmandu"


@pytest.fixture
def clock(announcer):
    return announcer(Zone=("s", ZONE))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    parts.need_relay()
    installed = Installed(tmp_path)
    monkeypatch.setattr(parts, "RELAY", installed.program)
    return installed


@pytest.fixture
def running(installed, clock, door):
    return door("face = yes").wait_for_announcer()


def test_the_next_noon_is_drawn_once_until_the_configuration_changes(running, installed, clock):
    noon = datetime.datetime.now(zoneinfo.ZoneInfo(ZONE)) + datetime.timedelta(hours=12)
    for _ in range(3):
        answer, picture = running.get("/v1/noon.svg")
        assert answer.status == 200 and answer.headers["Content-Type"] == "image/svg+xml"
        words = picture.decode().split()
        assert words[:5] == ["render", "--at", f"{noon:%F}T12:00", "--zone", ZONE]
        assert words[5] == "--picture" and words[6].startswith("/tmp/clocksmith-relay.")
    assert len(installed.calls()) == 1
    assert "STATE_DIRECTORY" not in (installed.folder / "environment").read_text()
    assert not pathlib.Path(words[6]).parent.exists()
    clock.connection.send(notice("reloaded", "the configuration is read again", {}))
    wait_until(lambda: running.ask("GET", "/v1/notices", token=None).body["notices"], 60, "it")
    assert running.get("/v1/noon.svg")[0].status == 200
    assert len(installed.calls()) == 2


def test_one_clocksmith_runs_at_a_time_and_what_is_the_same_is_made_once(running, installed):
    lock = installed.folder / "lock"
    installed.does(f'mkdir {lock} || exit 1; sleep 1; printf "%s" "$*" >"$file"; rmdir {lock}')
    answers = []
    paths = ["/v1/noon.svg"] * 3 + ["/v1/voices/heart.wav"] * 3 + ["/v1/voices/rms.wav"] * 2
    threads = [threading.Thread(target=lambda path=path: answers.append(running.get(path)))
               for path in paths]
    for thread in threads:
        thread.start()
    assert running.state().status == 200, "meanwhile"
    for thread in threads:
        thread.join(60)
    assert [answer.status for answer, _ in answers] == [200] * 8
    # A minute may end between them.
    assert 3 <= len(installed.calls()) <= 5


def test_no_more_than_eight_wait_for_clocksmith(running, installed):
    installed.does("exec sleep 60")
    waiting = [running.connect() for _ in range(8)]
    for connection in waiting:
        connection.request("GET", "/v1/noon.svg")
    assert running.ask("GET", "/v1/noon.svg", token=None).status == 503


@pytest.mark.parametrize("line, status, reason, words", [
    ("echo 'clocksmith: there is no tune' >&2; exit 1", 409, "refused", "there is no tune"),
    ("kill -9 $$", 409, "refused", "clocksmith failed"), ("", 409, "refused", "No such file"),
    ("touch $file.part; exec sleep 60", 504, "timeout", "took too long"),
    ("head -c 9000000 /dev/zero >$file", 409, "refused", "at most")])
def test_a_clocksmith_that_fails_is_told_and_tried_again(
        running, installed, line, status, reason, words):
    installed.does(line)
    answer = running.ask("GET", "/v1/noon.svg", token=None)
    assert words in refused(answer, status, reason)
    assert not pathlib.Path(installed.calls()[0].split()[-1]).parent.exists()
    installed.does('echo >"$file"')
    assert running.get("/v1/noon.svg")[0].status == 200


def test_a_relay_that_stops_leaves_no_clocksmith_behind(running, installed):
    installed.does(f'echo $$ >{installed.folder}/pid; echo "$file" >{installed.folder}/file; exec sleep 60')
    thread = threading.Thread(target=lambda: running.get("/v1/noon.svg"))
    thread.start()
    pid = installed.folder / "pid"
    wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"), 60, "it")
    wait_until(lambda: (installed.folder / "file").exists(), 60, "the file")
    begun = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - begun < 5
    thread.join(60)
    assert not pathlib.Path(f"/proc/{pid.read_text().strip()}").exists()
    assert not pathlib.Path((installed.folder / "file").read_text().strip()).parent.exists()


@pytest.mark.parametrize("path", [
    "none.wav", "../heart.wav", "..%2Fheart.wav", "..wav", ".wav", "heart/../rms.wav", "-h.wav"])
def test_a_voice_that_is_not_installed_is_asked_of_nobody(running, installed, path):
    refused(running.ask("GET", f"/v1/voices/{path}", token=None), 404, "unknown")
    assert not installed.calls()


@pytest.mark.parametrize("name, path", [("My Voice", "My%20Voice.wav"), ("Größe", "Gr%C3%B6%C3%9Fe.wav")])
def test_a_voice_of_any_name_is_heard(running, installed, name, path):
    voice = installed.folder / "share/clocksmith/voices" / name
    voice.mkdir()
    (voice / "voice.conf").touch()
    assert running.get(f"/v1/voices/{path}")[0].status == 200
    [call] = installed.calls()
    assert call.startswith(f"voice try {name} ")


def test_a_voice_says_the_time_and_a_browser_may_ask_for_a_part(clock, door):
    running = door("face = yes").wait_for_announcer()
    refused(running.ask("GET", "/v1/voices/rms", token=None), 404, "unknown")
    # The same minute.
    while datetime.datetime.now().second > 50:
        time.sleep(1)
    answer, sound = running.get("/v1/voices/rms.wav")
    assert answer.status == 200 and answer.headers["Content-Type"] == "audio/wav"
    samples, rate = soundfile.read(io.BytesIO(sound))
    assert 0.5 < len(samples) / rate < 5 and abs(samples).max() > 0.05
    size = len(sound)
    for wanted, part in {"0-1": (0, 2), "0-": (0, size), "44-99": (44, 100),
                         "10-99999999": (10, size)}.items():
        answer, body = running.get("/v1/voices/rms.wav", Range=f"bytes={wanted}")
        assert (answer.status, body) == (206, sound[slice(*part)])
        assert answer.headers["Content-Range"] == f"bytes {part[0]}-{part[1] - 1}/{size}"
    for wanted in ("bytes=9-1", "bytes=99999999-", "bytes=99999999-999999999", "bytes=-5",
                   "bytes=a-b", "bytes=0-1,3-4", "x"):
        answer, body = running.get("/v1/voices/rms.wav", Range=wanted)
        assert (answer.status, body) == (200, sound)


def test_a_chime_is_heard(clock, door):
    running = door("face = yes").wait_for_announcer()
    for path in ("none.wav", "../westminster.wav", "westminster", "-h.wav"):
        refused(running.ask("GET", f"/v1/chimes/{path}", token=None), 404, "unknown")
    answer, sound = running.get("/v1/chimes/cuckoo.wav")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "audio/wav")
    samples, rate = soundfile.read(io.BytesIO(sound))
    assert 1 < len(samples) / rate < 20 and abs(samples).max() > 0.05
