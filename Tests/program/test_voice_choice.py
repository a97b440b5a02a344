"""Choosing a voice: `list` shows what each can do, and `try` lets a person hear it first."""

import json

import numpy
import pytest
import soundfile

from program import VOICES, in_the_night, refusal
from sound_server import find


def heard(clocksmith, *words):
    """Runs it with a speaker that is a file: (the run, the samples)."""
    played = clocksmith.folder / "played.raw"
    played.unlink(missing_ok=True)
    alsa = clocksmith.folder / "file.asound"
    alsa.write_text(f'pcm.default {{ type file slave.pcm {{ type null }} file "{played}" format raw }}\n')
    done = clocksmith.run(*words, environment={"ALSA_CONFIG_PATH": str(alsa)})
    # Both channels are the same.
    samples = numpy.fromfile(played, numpy.float32)[::2] if played.exists() else numpy.zeros(0)
    return done, samples


def is_heard(clocksmith, samples, *lines, voice):
    """True if the samples are what `say 15:45` says in that voice."""
    output = clocksmith.folder / "said.wav"
    done = clocksmith.run(
        "say", "15:45", "--config", clocksmith.configuration("\n".join(lines), voice=voice), "--output", output)
    assert done.returncode == 0
    return find(soundfile.read(output, dtype="float32")[0], samples)[1] > 0.99


# MARK: Trying


@pytest.mark.parametrize("name", VOICES)
def test_a_voice_is_heard_that_is_not_the_configured_one(clocksmith, name):
    configuration = clocksmith.configuration(voice="/not/there")
    done, samples = heard(clocksmith, "voice", "try", name, "15:45", "--config", configuration)
    assert (done.returncode, done.stdout, done.stderr) == (0, "three forty-five P M\n", "")
    assert [other for other in VOICES if is_heard(clocksmith, samples, voice=other)] == [name]


def test_the_configured_style_is_heard_or_the_one_that_is_asked_for(clocksmith):
    configuration = clocksmith.configuration("style = natural\nsay_it_is = yes", voice="rms")
    command = "voice", "try", "heart", "15:45", "--config", configuration
    assert heard(clocksmith, *command)[0].stdout == "it is quarter to four\n"
    done, samples = heard(clocksmith, *command, "--style", "natural-day")
    assert done.stdout == "it is quarter to four in the afternoon\n"
    assert is_heard(clocksmith, samples, "style = natural-day", "say_it_is = yes", voice="heart")


def test_a_style_that_the_voice_lacks_is_replaced_if_configured_and_refused_if_asked_for(clocksmith):
    configuration = clocksmith.configuration("style = chatty")
    command = "voice", "try", "heart", "15:45", "--config", configuration
    done, _ = heard(clocksmith, *command)
    assert (done.returncode, done.stdout) == (0, "three forty-five P M\n")
    assert done.stderr == "clocksmith: note: it does not say times as configured; this is style = digital, clock = 12\n"
    done, samples = heard(clocksmith, *command, "--style", "formal")
    assert "clocksmith: --style formal: the voice " in refusal(done, 1) and not len(samples)
    assert "it has digital, natural, natural-day for clock = 12" in done.stderr


@pytest.mark.parametrize("operands, status, sentence", [
    (["caruso"], 1, "voice 'caruso': not found: allowed are heart, rms, slt, those of the package "
                  "clocksmith-voices, the full path of a voice's folder (/usr/local/share/mine)"),
    (["./nowhere"], 1, "./nowhere/voice.conf"),
    (["/dev"], 1, "/dev: this folder is no voice: it has no voice.conf; 'clocksmith voice import' makes a voice"),
    (["rms", "noon"], 2, "'noon' is no time of day"),
    (["rms", "12:00", "more"], 2, "more"),
    ([], 2, "'voice try' wants a voice: heart, rms, slt, or the path of a voice's folder"),
])
def test_what_cannot_be_tried_is_refused_in_a_sentence(clocksmith, operands, status, sentence):
    done, samples = heard(clocksmith, "voice", "try", *operands, "--config", clocksmith.configuration())
    assert sentence in refusal(done, status) and not len(samples)


# MARK: Beside a service


def test_beside_a_service_that_is_silent_it_is_heard(on_the_bus, start):
    in_the_night(on_the_bus)
    start()
    done, samples = heard(on_the_bus, "voice", "try", "slt", "15:45")
    assert (done.returncode, done.stdout, done.stderr) == (0, "three forty-five P M\n", "")
    assert is_heard(on_the_bus, samples, voice="slt")


def test_beside_a_service_that_rings_it_is_refused(on_the_bus, start):
    in_the_night(on_the_bus)
    service = start()
    assert on_the_bus.run("timer", "1s").returncode == 0
    service.wait_for("timer 1 is at zero, and rings")
    done, samples = heard(on_the_bus, "voice", "try", "slt", "15:45")
    assert refusal(done, 1) == (
        "clocksmith: cannot try the voice: a timer or an alarm rings; 'clocksmith stop' it") and not len(samples)


# MARK: Listing


def test_programs_are_told_what_each_voice_can_do(clocksmith):
    done = clocksmith.run("voice", "list", "--json", "--config", clocksmith.configuration(voice="heart"))
    assert (done.returncode, done.stderr) == (0, "")
    voices = {voice["name"]: voice for voice in map(json.loads, done.stdout.splitlines())}
    assert list(voices) == list(VOICES) and [voice["configured"] for voice in voices.values()] == [True, False, False]
    heart = voices["heart"]
    assert {(style["clock"], style["style"]) for style in heart["styles"]} == {
        (12, "digital"), (24, "digital"), (12, "natural"), (12, "natural-day")}
    assert heart["says_it_is"] and heart["language"] == "en" and heart["path"] == str(VOICES["heart"])
    for name, folder in VOICES.items():
        assert voices[name]["licence"] == str(folder / "LICENCE")
        assert voices[name]["clips"] == len(list(folder.glob("*.flac")))
        assert voices[name]["bytes"] == sum(clip.stat().st_size for clip in folder.glob("*.flac"))
