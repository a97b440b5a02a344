"""The card's own volume control: the clock's level while it sounds, the owner's before and after."""

import pytest

from pretended_mixer import PretendedMixer
from service import Service, several
from sound_server import wait_until

OWNERS = (93, False)


@pytest.fixture
def mixer(clocksmith, tmp_path):
    mixer = PretendedMixer(tmp_path)
    (tmp_path / "run").mkdir()
    clocksmith.environment = clocksmith.environment | mixer.environment | {
        "RUNTIME_DIRECTORY": str(tmp_path / "run")}
    mixer.set(*OWNERS)
    return mixer


@pytest.fixture
def start(clocksmith, slow_voice):
    """Starts the clock, which says the time at once if `--say-now` is there."""
    rest = "[speaker]\ndevice = hw:CARD=Pretended\nmixer = Digital Out\nvolume = -30dB\n"
    # Nothing sounds by itself, at whatever time this runs.
    configuration = clocksmith.configuration(
        "interval = 60\nvoice_at_hour = none\nat_start = none", rest, slow_voice)
    yield from several(
        lambda *words: Service(clocksmith, configuration, *words, alsa="pcm.card { type null }\n"),
        lambda service: service.process.kill())


def is_set(mixer):
    return wait_until(lambda: mixer.level() == (70, True), 60, "the clock's level")


def test_the_owners_level_is_put_back_after_the_sound(mixer, start):
    clock = start("--say-now")
    is_set(mixer)
    assert clock.stop() == 0
    assert mixer.level() == OWNERS


def test_a_clock_that_is_killed_while_it_sounds_puts_the_level_back_at_its_next_start(mixer, start, tmp_path):
    clock = start("--say-now")
    is_set(mixer)
    clock.end_by("kill")
    assert mixer.level() == (70, True)
    start()
    assert mixer.level() == OWNERS
    assert not (tmp_path / "run" / "mixer").exists()
    mixer.set(40)
    start()
    assert mixer.level() == (40, True), "it is put back once"
