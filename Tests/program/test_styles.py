"""How times are put into words: in the configured style, and only in styles that the voice has."""

import json
import re
import sys

import numpy
import pytest
import soundfile

from program import ROOT, VOICES, about, refusal

# How people say a time is written down only once, next to the test of the clips.
sys.path.append(str(ROOT / "Tests/sounds"))
from sayings import as_heard, said  # noqa: E402

RATE = 48000
STYLES = "natural", "natural-day"
SPEAKERS = [(name, style) for name, folder in VOICES.items() for style in STYLES
            if f"[clock 12 {style}]" in (folder / "voice.conf").read_text()]


@pytest.mark.parametrize("voice, style", SPEAKERS)
def test_every_minute_of_a_day_is_said_as_people_say_it(clocksmith, voice, style):
    configuration = clocksmith.configuration(f"interval = 1\nstyle = {style}", voice=voice)
    done = clocksmith.run("agenda", "--json", "--zone", "UTC", "--from", "2026-11-21T00:00", "--to",
                          "2026-11-22T00:00", "--config", configuration)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 1440
    for minutes, line in enumerate(lines):
        assert as_heard(line["text"]) == said(f"12 {style}", *divmod(minutes, 60)), line


@pytest.mark.parametrize("clock, style, words", [
    (12, "digital", "it is three fifteen P M"), (24, "digital", "it is fifteen fifteen"),
    (12, "natural", "it is quarter past three"),
    (12, "natural-day", "it is quarter past three in the afternoon")])
def test_it_is_comes_first_where_it_is_wanted(clocksmith, clock, style, words):
    output = clocksmith.folder / "phrase.wav"
    lines = f"clock = {clock}\nstyle = {style}\nsay_it_is = "
    for opening, expected in ("yes", words), ("no", words.removeprefix("it is ")):
        configuration = clocksmith.configuration(lines + opening, voice="heart")
        done = clocksmith.run("say", "15:15", "--config", configuration, "--output", output)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected}\n", "")
        heard = soundfile.read(output)[0]
        opened = soundfile.read(VOICES["heart"] / "it-is.flac")[0][:RATE // 5]
        assert numpy.array_equal(heard[:len(opened)], opened) == (opening == "yes")


# MARK: What a voice has not


BAD = [
    ("style = chatty", ":4: style = chatty: the voice .*heart has no style 'chatty' for clock = 12: it has digital, "
                       "natural, natural-day for clock = 12, and digital for clock = 24; set one of these, or "
                       "another voice$"),
    ("style = natural\nclock = 24", ":4: style = natural: the voice .*heart has no style 'natural' for clock = 24: "),
]


@pytest.mark.parametrize("lines, words", BAD)
def test_a_style_that_the_voice_lacks_is_refused_with_those_it_has_and_found_by_check(clocksmith, lines, words):
    configuration = clocksmith.configuration(lines, voice="heart")
    assert re.search(words, refusal(clocksmith.run("say", "15:15", "--config", configuration), 1))
    done = clocksmith.run("check", "--config", configuration)
    assert done.returncode == 3
    line = about(done, "voice")
    assert line.startswith("FOUND") and re.search(words, line)


def test_a_voice_without_words_for_it_is_says_so(clocksmith, brought_in):
    _, pack = brought_in()
    done = clocksmith.run("say", "15:15", "--config", clocksmith.configuration("say_it_is = yes", voice=pack))
    assert refusal(done, 1).endswith(
        f":4: say_it_is = yes: the voice {pack} has no words for it ('opening' in its voice.conf); "
        "set say_it_is = no, or another voice")
