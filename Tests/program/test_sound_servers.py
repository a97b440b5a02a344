"""Real sound servers: everything that is said on them is heard, whole, each time."""

import json
import os
import re
import signal
import socket
import time

import pytest
import soundfile

from c_library import shared_library
from pipewire_server import PipeWireServer
from pretended_card import pretended_card
from pretended_line import PretendedLine
from program import about, refusal, zone_showing
from service import Service
from sound_server import RATE, Recording, SoundServer, Wakefulness, find, least_of_four, wait_until
from standstill import stand_still

# CLOCKSMITH_ANNOUNCEMENTS=200 says more of them.
TIMES = [f"{number % 24:02}:{number * 15 % 60:02}"
         for number in range(1, int(os.environ.get("CLOCKSMITH_ANNOUNCEMENTS", "2")) + 1)]


def phrase(clocksmith, text):
    """The samples of a time."""
    path = clocksmith.folder / "phrase.wav"
    done = clocksmith.run(
        "say", text, "--output", path, "--config", clocksmith.configuration())
    assert done.returncode == 0
    return soundfile.read(path, dtype="float32")[0]


def skip_if_too_busy(is_torn, late):
    """Broken sound proves nothing if this machine sleeps longer than a block."""
    if is_torn and late > 0.01:
        pytest.skip(f"this machine was too busy to play in time: woke {late * 1000:.0f} ms late")


@pytest.fixture
def speaker(clocksmith, tmp_path):
    """(a sound server, a recording of its speaker)."""
    server = SoundServer(tmp_path / "server", clocksmith.environment, "speaker")
    heard = Recording(server, "speaker")
    yield server, heard
    server.kill()
    heard.stop()


@pytest.fixture
def slow_speaker(clocksmith, tmp_path):
    """The same with a sink that buffers two seconds ahead, as is its default."""
    server = SoundServer(tmp_path / "server", clocksmith.environment, "speaker", options="")
    heard = Recording(server, "speaker", latency="2000")
    yield server, heard
    server.kill()
    heard.stop()


@pytest.fixture
def pipewire(clocksmith, tmp_path):
    """(a PipeWire with a session manager, a recording of its speaker)."""
    folder = tmp_path / "pipewire"
    folder.mkdir()
    server = PipeWireServer(folder, clocksmith.environment)
    heard = Recording(server, "speaker")
    clocksmith.environment = clocksmith.environment | {"XDG_RUNTIME_DIR": str(folder)}
    yield server, heard
    heard.stop()
    server.kill()


@pytest.mark.parametrize("kind, device", [
    ("speaker", lambda server: server.device("default", "speaker")),
    ("slow_speaker", lambda server: server.device("default", "speaker")),
    ("pipewire", lambda server: server.device("default")),
    ("pipewire", lambda server: server.pulse_device("default"))],
    ids=["short queue", "long queue", "PipeWire", "the PulseAudio of PipeWire"])
def test_what_is_said_is_heard_whole_and_in_order(clocksmith, request, kind, device):
    server, heard = request.getfixturevalue(kind)
    path = clocksmith.folder / "asound.conf"
    path.write_text(device(server))
    wakefulness = Wakefulness()
    begun = []
    for text in TIMES:
        begun.append(heard.frames)
        done = clocksmith.run(
            "say", text, "--config", clocksmith.configuration(),
            environment={"ALSA_CONFIG_PATH": str(path)})
        skip_if_too_busy(done.returncode != 0, wakefulness.worst)
        assert (done.returncode, done.stderr) == (0, "")
    # A server may hold its last seconds back for as long.
    begun.append(heard.frames)
    wait_until(lambda: heard.frames > begun[-1] + 3 * RATE, 60, "the silence after it")
    late = wakefulness.stop()
    samples = heard.samples()
    places = []
    for text, start, end in zip(TIMES, begun, begun[1:]):
        place, likeness = find(phrase(clocksmith, text), samples[start:end + 3 * RATE])
        skip_if_too_busy(likeness < 0.95, late)
        assert likeness > 0.95, f"{text} was not heard whole: {likeness:.2f}"
        places.append(start + place)
    assert places == sorted(places)


# MARK: Servers that cannot be had

# On a desktop without a session, the sound server's plugin fails with "Host is down" for a service.
DOWN = r"""
#include <errno.h>
char __snd_pcm_down_open_dlsym_pcm_001;
int _snd_pcm_down_open(
    void **pcm, const char *name, void *root, void *conf, int stream, int mode) {
  return -EHOSTDOWN;
}
"""


@pytest.fixture
def down(tmp_path):
    """The lines of ALSA that make the default a sound server that is not there."""
    library = shared_library(tmp_path / "down.so", DOWN)
    return f'pcm_type.down {{ lib "{library}" }}\npcm.default {{ type down }}\n'


def in_alsa(folder, lines):
    path = folder / "asound.conf"
    path.write_text(lines)
    return {"ALSA_CONFIG_PATH": str(path)}


def test_a_desktops_sound_server_that_is_down_is_told_with_what_to_set(
        clocksmith, down, tmp_path):
    environment = in_alsa(tmp_path, down)
    said = clocksmith.run(
        "say", "15:15", "--config", clocksmith.configuration(), environment=environment)
    checked = clocksmith.run(
        "check", "--config", clocksmith.configuration(), environment=environment)
    for sentence in (refusal(said, 1), about(checked, "speaker")):
        assert "Host is down" in sentence and "sound server of a desktop" in sentence
        assert "set it as [speaker] device" in sentence
    assert checked.returncode == 3


@pytest.mark.rule("other-speaker")
def test_say_plays_on_the_card_where_the_default_is_down(clocksmith, down, speaker, tmp_path):
    server, heard = speaker
    environment = in_alsa(tmp_path, down + server.device("card", "speaker"))
    environment |= pretended_card(tmp_path)
    done = clocksmith.run("say", "15:15", "--config", clocksmith.configuration(), environment=environment)
    assert done.returncode == 0
    assert "plughw:CARD=Pretended,DEV=0 plays instead of the default" in refusal(done, 0)
    assert find(phrase(clocksmith, "15:15"), heard.samples_so_far())[1] > 0.95
    done = clocksmith.run("check", "--config", clocksmith.configuration(), environment=environment)
    line = about(done, "speaker")
    assert line.startswith("FOUND") and "plughw:CARD=Pretended,DEV=0 plays instead" in line
    assert "set [speaker] device = plughw:CARD=Pretended,DEV=0" in line


@pytest.mark.rule("other-speaker")
def test_the_status_names_the_card_that_plays_instead_of_the_default(
        on_the_bus, down, speaker, tmp_path):
    clocksmith, (server, _) = on_the_bus, speaker
    clocksmith.environment |= pretended_card(tmp_path) | {"TZ": zone_showing(clocksmith, 10 * 3600 + 17 * 60)}
    clock = Service(
        clocksmith, clocksmith.configuration("interval = 60"), "--say-now",
        alsa=down + server.device("card", "speaker"), notify=True)
    clock.wait_for("^said .* asked for")
    [line] = clock.matching("plays instead")
    assert "Host is down" in line
    words = "plughw:CARD=Pretended,DEV=0 instead of default"
    wait_until(lambda: words in clock.latest_status(), 60, "the card in the status")
    assert re.search(rf"^speaker +{words}$", clocksmith.run("status").stdout, re.MULTILINE)
    told = json.loads(clocksmith.run("status", "--json").stdout)
    assert told["device"] == "default"
    assert told["device_substitute"] == "plughw:CARD=Pretended,DEV=0"
    assert clock.stop() == 0


# MARK: Servers that tell a wrong delay

# Preloaded before libasound: after half a second the delay is told 50 ms too short, as libpulse does
# for seconds after one late answer of its server.
SHORT_DELAY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
long snd_pcm_status_get_delay(const void *status) {
  static int calls;
  long (*told)(const void *) = dlsym(RTLD_NEXT, "snd_pcm_status_get_delay");
  return told(status) - (++calls > 25 ? 2400 : 0);
}
"""


def test_a_phrase_ends_on_a_server_that_tells_too_short_a_delay(clocksmith, speaker, tmp_path):
    server, heard = speaker
    preloaded = shared_library(tmp_path / "short_delay.so", SHORT_DELAY)
    done = clocksmith.run(
        "say", "12:45", "--config", clocksmith.configuration(),
        environment=in_alsa(tmp_path, server.device("default", "speaker"))
        | {"LD_PRELOAD": str(preloaded)})
    assert (done.returncode, done.stderr) == (0, "")
    assert find(phrase(clocksmith, "12:45"), heard.samples_so_far())[1] > 0.95


# MARK: Devices that take nothing back


@pytest.mark.alone
def test_a_card_that_takes_nothing_back_does_not_run_dry_with_a_switch(
        clocksmith, speaker, tmp_path):
    server, _ = speaker
    clocksmith.environment = clocksmith.environment | pretended_card(tmp_path)
    configuration = clocksmith.configuration(
        "interval = 60\nvoice_at_hour = none",
        "[switch]\nline = GPIO17\nwhen_lost = sound\n"
        "[speaker]\ndevice = plughw:CARD=Pretended,DEV=0")
    wakefulness = Wakefulness()
    clock = Service(clocksmith, configuration, "--say-now", alsa=server.device("card", "speaker"))
    try:
        line = clock.wait_for("^said .* asked for")
    finally:
        clock.stop()
        late = wakefulness.stop()
    skip_if_too_busy("ran dry" in line, late)
    assert "ran dry" not in line


# MARK: Servers that hang


@pytest.fixture
def silent_server(tmp_path):
    """The environment in which the default is a server that accepts connections and stays silent."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "silent"))
        listener.listen()
        yield in_alsa(tmp_path, f'pcm.default {{ type pulse server "unix:{tmp_path}/silent" }}\n')


def test_a_server_that_hangs_holds_it_up_for_five_seconds_at_most(clocksmith, silent_server):
    def took():
        begun = time.monotonic()
        done = clocksmith.run("say", "15:15", "--config", clocksmith.configuration(), environment=silent_server)
        assert done.returncode == 1
        assert "its sound server, or the reader of its pipe, does not answer" in done.stderr
        return time.monotonic() - begun

    assert least_of_four(took, 5) < 5


@pytest.mark.parametrize("kind", ["speaker", "pipewire"])
def test_a_server_that_stops_while_it_plays_is_hung_up_on_and_taken_back(
        on_the_bus, start, slow_voice, request, kind):
    server, heard = request.getfixturevalue(kind)
    is_pulse = kind == "speaker"
    alsa = server.device("default", "speaker") if is_pulse else server.pulse_device("default")
    processes = [server.process] if is_pulse else server.processes
    line = PretendedLine(on_the_bus.folder)
    on_the_bus.environment |= line.environment | {"TZ": zone_showing(on_the_bus, 10 * 3600 + 17 * 60)}
    clock = start(rest="[switch]\nline = SWITCH", alsa=alsa, voice=slow_voice)

    def says(text):
        return on_the_bus.run("say", text).returncode == 0

    wait_until(lambda: says("11:45"), 60, "the switch")
    wait_until(heard.is_sounding, 60, "the phrase")
    for process in processes:
        stand_still(process)
    line.put(True)
    while not clock.matching("^did not say .* has stopped taking sound"):
        since = time.monotonic()
        assert on_the_bus.run("status").returncode == 0
        assert time.monotonic() - since < 5
    assert clock.matching("^the switch is off$")
    line.put(False)
    for process in processes:
        process.send_signal(signal.SIGCONT)
    wait_until(lambda: says("15:15"), 60, "the switch")
    clock.wait_for('^said "three fifteen P M"')
