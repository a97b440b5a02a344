"""A voice pack from anywhere: what it calls itself and says does nothing to the terminal that shows it."""

import json

import pytest

# Starts red text, clears the screen, sets the title of the window, and turns the direction of the text.
SEQUENCES = "\x1b[31m\x1bc\x9b2J\x7f\u202e"


@pytest.fixture
def strange(clocksmith, pack):
    """A configuration with a voice whose every name and word holds such characters."""
    conf = pack / "voice.conf"
    text = conf.read_text()
    text = text.replace("description = ", f"description = {SEQUENCES}").replace("language = en", f"language = {SEQUENCES}")
    text = text.replace("minute-15 = fifteen", f"minute-15 = fif{SEQUENCES}teen")
    text = text.replace("licence = LICENCE", f"licence = LICENCE{SEQUENCES}")
    text += f"{SEQUENCES} = lost\n"
    conf.write_text(text.replace("[clock 12 natural]", "[clock 12 nat\x1bcural]"))
    (pack / f"LICENCE{SEQUENCES}").write_text("free")
    return clocksmith.configuration(voice=pack)


@pytest.mark.parametrize("words, shown", [
    (["voice", "list", "--config", "{config}"], r"\u{1B}[31m\u{1B}c\u{9B}2J\u{7F}\u{202E}, \u{1B}"),
    (["voice", "list", "--config", "{config}"], r"digital, nat\u{1B}cural, natural-day"),
    (["voice", "verify", "{pack}"], r"clip        \u{1B}[31m\u{1B}c\u{9B}2J\u{7F}\u{202E}: it has no file"),
    (["voice", "verify", "{pack}"], r"12 hours nat\u{1B}cural"),
    (["voice", "try", "{pack}", "15:15", "--config", "{config}"], r"three fif\u{1B}[31m\u{1B}c\u{9B}2J\u{7F}\u{202E}teen P M"),
    (["say", "15:15", "--output", "{folder}/x.wav", "--config", "{config}"], r"fif\u{1B}[31m"),
    (["agenda", "--hours", "24", "--config", "{config}"], r"fif\u{1B}[31m"),
    (["check", "--config", "{config}"], r"\u{1B}[31m"),
])
def test_it_is_shown_by_its_numbers(clocksmith, pack, strange, words, shown):
    done = clocksmith.run(*(word.format(config=strange, pack=pack, folder=clocksmith.folder) for word in words))
    for line in [*done.stdout.split("\n"), *done.stderr.split("\n")]:
        assert line.isprintable(), line
    assert shown in done.stdout


@pytest.mark.parametrize("words", [["voice", "list", "--json"], ["agenda", "--json", "--hours", "24"]])
def test_programs_read_the_same_words(clocksmith, strange, words):
    done = clocksmith.run(*words, "--config", strange)
    texts = []
    for line in done.stdout.split("\n")[:-1]:
        assert line.isprintable(), line
        texts += json.loads(line).values()
    assert any(SEQUENCES in text for text in texts if isinstance(text, str))
