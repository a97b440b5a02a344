"""Voices in other languages: tried, printed and checked like any other."""

import json
import sys

import pytest
import soundfile

from program import ROOT, about, refusal
from recorded_words import lines_of

LANGUAGES = {conf.parent.name: conf.parent for conf in sorted(ROOT.glob("sounds/languages/*/voice.conf"))}
SAID = {
    "de": "fünfzehn Uhr fünfundvierzig", "es": "las quince y cuarenta y cinco", "fr": "quinze heures quarante-cinq", "it": "ore quindici e quarantacinque",
    "ru": "пятнадцать сорок пять"}
# The languages with words for 12 hours: es in the digital style, de in the natural one.
IN_12_HOURS = {"de", "es"}


def configured(clocksmith, voice, lines="clock = 24"):
    return clocksmith.configuration(lines, voice=voice)


@pytest.mark.parametrize("language", SAID)
def test_a_time_is_tried_and_rendered(clocksmith, language):
    configuration = configured(clocksmith, LANGUAGES[language])
    output = clocksmith.folder / "said.wav"
    done = clocksmith.run("voice", "try", LANGUAGES[language], "15:45", "--config", configuration)
    assert (done.returncode, done.stdout, done.stderr) == (0, SAID[language] + "\n", "")
    done = clocksmith.run("say", "15:45", "--config", configuration, "--output", output)
    assert (done.returncode, done.stdout) == (0, SAID[language] + "\n")
    assert 1 < soundfile.info(output).duration < 5


@pytest.mark.parametrize("language", SAID)
def test_every_minute_is_printed_as_it_is_written_in_the_language(clocksmith, language):
    pytest.importorskip("num2words", reason="num2words is missing: apt install python3-num2words")
    pytest.importorskip("babel", reason="babel is missing: apt install python3-babel")
    sys.path.append(str(ROOT / "Tests/sounds"))
    from languages import SAID as WRITTEN
    clocks = {24: "digital"} | {"de": {"12 natural": "natural"}, "es": {12: "digital"}}.get(language, {})
    for clock, style in clocks.items():
        lines = f"interval = 1\nclock = {str(clock).split()[0]}\nstyle = {style}"
        done = clocksmith.run(
            "agenda", "--json", "--zone", "UTC", "--from", "2026-11-21T00:00", "--to", "2026-11-22T00:00",
            "--config", configured(clocksmith, LANGUAGES[language], lines))
        printed = [json.loads(line)["text"] for line in done.stdout.splitlines()]
        assert printed == [WRITTEN[language](*divmod(minutes, 60), clock) for minutes in range(1440)]


@pytest.mark.parametrize("language", SAID)
def test_it_says_every_minute_and_its_clips_are_well(clocksmith, language):
    lines = lines_of(clocksmith.run("voice", "verify", LANGUAGES[language]), 0)
    assert "ok    24 hours    it says every minute of the day" in lines
    assert lines[-1] == f"ok    clips       {len(list(LANGUAGES[language].glob('*.flac')))}, all well"


@pytest.mark.parametrize("language", sorted(set(SAID) - IN_12_HOURS))
def test_a_language_of_24_hours_says_so_where_12_are_configured(clocksmith, language):
    done = clocksmith.run("say", "15:45", "--config", configured(clocksmith, LANGUAGES[language], ""))
    assert "has no style 'digital' for clock = 12: it has digital for clock = 24; set one of these" in refusal(done, 1)


@pytest.mark.parametrize("lines, options, words, style, clock", [
    ("", [], "fünfzehn Uhr fünfundvierzig", "digital", 24),
    ("clock = 24", ["--style", "natural"], "Viertel vor vier", "natural", 12),
])
def test_a_style_of_the_other_clock_can_be_tried(clocksmith, lines, options, words, style, clock):
    german = LANGUAGES["de"]
    done = clocksmith.run(
        "voice", "try", german, "15:45", *options, "--config", configured(clocksmith, german, lines))
    assert (done.returncode, done.stdout) == (0, words + "\n")
    assert done.stderr == (
        f"clocksmith: note: it does not say times as configured; this is style = {style}, clock = {clock}\n")


@pytest.mark.parametrize("language, end", [
    ("de", "; it says timers and intervals"), ("es", " for which a signal sounds alone")])
def test_check_tells_which_words_of_timers_a_language_has(clocksmith, language, end):
    done = clocksmith.run("check", "--config", configured(clocksmith, LANGUAGES[language]))
    assert about(done, "voice").endswith(end)
