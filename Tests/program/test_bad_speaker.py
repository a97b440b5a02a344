"""A speaker that is absent, busy or pulled out: one sentence, and the service goes on."""

import re

import pytest

from program import about, refusal
from one_minute import NO_SPEAKER, engaged_device
from pretended_card import pretended_card
from sound_server import find


# ALSA configurations, each with a different trouble.
TROUBLES = {
    "not defined": (NO_SPEAKER, "there is no such speaker"),
    "no such card": ("pcm.default { type hw card nope }\n", "there is no such speaker"),
    "no sound server": ('pcm.default { type pulse server "unix:/nobody" }\n', "refused"),
    "of no known kind": ("pcm.default { type nonsense }\n", "there is no such speaker"),
    "of a torn configuration": (
        "pcm.default { type null\n", "its definition in ALSA's configuration cannot be used"),
    "busy": (None, "another program is using it; end that program, or name another speaker"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_say_and_check_name_a_speaker_that_cannot_be_had(clocksmith, tmp_path, trouble):
    alsa, words = TROUBLES[trouble]
    path = tmp_path / "asound.conf"
    path.write_text(alsa or engaged_device(tmp_path, tmp_path))
    environment = {"ALSA_CONFIG_PATH": str(path)}
    done = clocksmith.run(
        "say", "15:15", "--config", clocksmith.configuration(), environment=environment)
    sentence = refusal(done, 1)
    assert "speaker default" in sentence and words in sentence
    done = clocksmith.run("check", "--config", clocksmith.configuration(), environment=environment)
    line = about(done, "speaker")
    assert done.returncode == 3 and line.startswith("FOUND") and words in line


# The HDMI of a Raspberry Pi takes only IEC958, and the plug of Debian 12 does not convert to it.
@pytest.mark.parametrize("device", ["hw:CARD=Pretended", "plughw:CARD=Pretended,DEV=0"])
def test_a_card_with_samples_of_another_kind_is_named_with_what_converts(clocksmith, tmp_path, device):
    path = tmp_path / "asound.conf"
    path.write_text("pcm.all { type null }\npcm.card { type iec958 slave { pcm all format S16_LE } }\n")
    said = refusal(clocksmith.run(
        "say", "15:15", "--config", clocksmith.configuration(rest=f"[speaker]\ndevice = {device}"),
        environment={"ALSA_CONFIG_PATH": str(path)} | pretended_card(tmp_path)), 1)
    assert f"speaker {device}: its samples are neither " in said
    assert ("set [speaker] device = plughw:CARD=Pretended or, for HDMI, sysdefault:CARD=Pretended, "
            "which converts") in said


# MARK: The service


@pytest.mark.rule("lost-speaker")
def test_an_absent_speaker_is_told_of_once_when_tried_and_once_when_given_up(one_minute):
    first, last = one_minute.about("absent")
    assert "cannot sound yet" in first and "skipped" in last
    assert all("there is no such speaker" in line for line in (first, last))


@pytest.mark.rule("speaker-again")
def test_a_speaker_that_is_free_again_in_time_speaks_late(one_minute):
    first, last = one_minute.about("busy")
    assert "another program is using it" in first
    lateness = float(re.search(r"said .*, \+([0-9.]+) ms late", last)[1])
    assert 1000 < lateness < 10_000
    assert find(one_minute.phrase(), one_minute.heard_of_other.samples())[1] > 0.95


def test_a_speaker_that_goes_away_in_the_phrase_is_told_of_in_one_line(one_minute):
    [line] = one_minute.about("vanishing")
    assert line.startswith("cut off") and "speaker default" in line


def test_a_speaker_that_goes_away_under_a_request_is_told_of_in_one_line(one_minute):
    [line] = [line for line in one_minute.lines["returning"] if "asked for" in line]
    assert "speaker default" in line


@pytest.mark.rule("speaker-again")
def test_a_speaker_that_returns_is_taken_back(one_minute):
    first, last = one_minute.about("returning")
    assert "cannot sound yet" in first and last.startswith("said")
    phrase = one_minute.phrase(configuration=one_minute.slow_words)
    assert find(phrase, one_minute.heard_of_returning.samples())[1] > 0.95


def test_a_speaker_that_takes_three_seconds_to_open_is_on_time(one_minute):
    [line] = one_minute.about("slow")
    assert line.startswith("said ")
    assert abs(float(re.search(r"onset ([+-][0-9.]+) ms", line)[1])) < 1
