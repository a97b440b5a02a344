"""What the clock says of itself aloud: that it lives, and that it does not know the time."""

import glob
import itertools
import re

import pytest
import soundfile

from pretended_line import PretendedLine
from program import ROOT, SILENT_ALSA, VOICE, about
from service import Service, ends_well, several

# Nothing sounds by itself, at whatever time this runs.
SILENT = "interval = 60\nvoice_at_hour = none"
WORDS = "I do not know the time yet"


def length(folder, name):
    """In seconds."""
    return soundfile.info(folder / f"{name}.flac").duration


@pytest.fixture
def serve(clocksmith, tmp_path):
    """Starts the service as systemd does, and plays into a file."""
    (tmp_path / "run").mkdir()
    clocksmith.environment = clocksmith.environment | {"RUNTIME_DIRECTORY": str(tmp_path / "run")}
    numbers = itertools.count()

    def make(announce="", *words, rest="", voice=VOICE):
        played = tmp_path / f"{next(numbers)}.wav"
        configuration = clocksmith.configuration(f"{SILENT}\n{announce}", rest, voice)
        service = Service(clocksmith, configuration, *words, "--output", played, alsa=SILENT_ALSA)
        service.played = played
        return service

    yield from several(make, ends_well)


def heard(service):
    """The seconds of what it has played."""
    assert service.stop() == 0
    return soundfile.info(service.played).duration if service.played.exists() else 0


@pytest.mark.rule("start-signal", "restart-silent")
def test_the_first_start_gives_a_signal_and_the_next_does_not(serve):
    first = serve()
    first.wait_for("gave the signal at the start")
    assert length(ROOT / "sounds/signals", "start") < heard(first) < 4
    second = serve("", "--say-now")
    second.wait_for('said ".*" because it was asked for')
    assert second.matching("at the start") == []


@pytest.mark.rule("start-signal")
def test_the_first_start_says_the_time_or_nothing(serve, tmp_path):
    serve("at_start = time").wait_for('said ".*" because it was asked for')
    (tmp_path / "run" / "started").unlink()
    silent = serve("at_start = none")
    assert heard(silent) == 0
    assert silent.matching("signal") == []


@pytest.fixture
def press(clocksmith, serve, tmp_path):
    """Presses the button of a clock that is not trusted, and gives the service."""
    if glob.glob("/dev/gpiochip*"):
        pytest.skip("this machine has GPIO chips of its own")
    line = PretendedLine(tmp_path)
    clocksmith.environment = clocksmith.environment | line.environment

    def press(voice=VOICE):
        service = serve(
            "at_start = none", "--untrusted", "silent", rest="[button]\nline = SWITCH\n[clock]\nrtc = none",
            voice=voice)
        if "untrusted" not in service.wait_for("started:"):
            pytest.skip("SKIP: this machine's clock is synchronised")
        line.put(True)
        line.put(False)
        service.wait_for("did not say the time that was asked for: the clock is not trusted")
        return service

    return press


@pytest.mark.rule("untrusted-press")
def test_a_press_that_cannot_be_answered_is_answered_in_words(press):
    service = press()
    service.wait_for(f'said "{WORDS}" because the time was asked for and the clock is not trusted')
    assert 1.5 < heard(service) < 4


@pytest.mark.rule("untrusted-signal")
def test_a_voice_without_the_words_gives_a_signal(press, pack):
    conf = (pack / "voice.conf").read_text()
    (pack / "voice.conf").write_text(re.sub(r"\[answer\]\n.*\n", "", conf))
    service = press(pack)
    service.wait_for("gave the signal because the time was asked for and the clock is not trusted")
    assert length(ROOT / "sounds/signals", "untrusted") < heard(service) < 4


@pytest.mark.rule("no-zone")
def test_a_clock_without_a_zone_says_no_time_and_check_finds_it(clocksmith, serve):
    rest = "[clock]\nzone = unset"
    service = serve("at_start = time", rest=rest)
    service.wait_for("did not say the time that was asked for: the clock has no zone")
    service.wait_for(f'said "{WORDS}"')
    service.wait_for("the clock has no zone, so no time is said and no alarm rings")
    done = clocksmith.run("check", "--config", clocksmith.configuration(SILENT, rest))
    assert done.returncode == 3
    assert about(done, "zone").startswith("FOUND zone")
