"""A voice with something wrong in it: one sentence names it, and no time is half said."""

import os

import numpy
import pytest
import soundfile

from program import VOICE, about, refusal

CLIP = "minute-15"


def written(pack, suffix, samples=None, **form):
    """Writes the good clip, or these samples, as another kind of file."""
    path = pack / f"{CLIP}.{suffix}"
    good, rate = soundfile.read(VOICE / f"{CLIP}.flac", dtype="int16")
    soundfile.write(path, good if samples is None else samples, rate, **form)
    return path


def torn(pack, suffix, **form):
    path = written(pack, suffix, **form)
    os.truncate(path, path.stat().st_size // 2)


def with_field(pack, start, value):
    """A WAV file whose header has another value where this field starts."""
    with written(pack, "wav").open("r+b") as file:
        file.seek(start)
        file.write(value)


BREAKAGES = {
    "missing": lambda pack: None,
    "link to nowhere": lambda pack: (pack / f"{CLIP}.flac").symlink_to("nowhere"),
    "folder": lambda pack: (pack / f"{CLIP}.flac").mkdir(),
    "pipe": lambda pack: os.mkfifo(pack / f"{CLIP}.flac"),
    "empty": lambda pack: (pack / f"{CLIP}.flac").touch(),
    "text": lambda pack: (pack / f"{CLIP}.wav").write_text("It is three fifteen P M.\n" * 99),
    "torn FLAC": lambda pack: torn(pack, "flac"),
    "torn WAV": lambda pack: torn(pack, "wav"),
    "torn Ogg": lambda pack: torn(pack, "ogg", subtype="VORBIS"),
    "without frames (WAV)": lambda pack: written(pack, "wav", numpy.zeros(0)),
    "in stereo": lambda pack: written(pack, "flac", numpy.full((9600, 2), 0.1)),
    "of no numbers": lambda pack: written(pack, "wav", numpy.full(9600, numpy.nan), subtype="FLOAT"),
    "of no channels": lambda pack: with_field(pack, 22, b"\0\0"),
    "of no rate": lambda pack: with_field(pack, 24, bytes(4)),
    "of a hundred frames a second": lambda pack: with_field(pack, 24, b"\x64\0\0\0"),
    "of an unknown encoding": lambda pack: with_field(pack, 20, b"\x77\x77"),
}


@pytest.mark.parametrize("kind", BREAKAGES)
def test_a_broken_clip_is_named_in_our_own_words_and_leaves_no_file(clocksmith, pack, tmp_path, kind):
    (pack / f"{CLIP}.flac").unlink()
    BREAKAGES[kind](pack)
    output = tmp_path / "output"
    output.mkdir()
    done = clocksmith.run(
        "render", "--at", "2026-11-21T15:15", "--output", output / "clock.wav", "--config",
        clocksmith.configuration(voice=pack))
    sentence = refusal(done, 1)
    assert str(pack) in sentence and CLIP in sentence
    for word in ("SRC", "SF_INFO", "libsndfile", "File contains", "Error", "Channel count"):
        assert word not in sentence
    assert list(output.iterdir()) == []
    done = clocksmith.run(
        "check", "--config", clocksmith.configuration(voice=pack))
    line = about(done, "voice")
    assert done.returncode == 3 and line.startswith("FOUND") and CLIP in line


# A sound card with an offset records this while the microphone is off: DC, and hiss at -90 dB.
DC = 0.01 + numpy.random.default_rng(1).normal(0, 3e-5, 24_000)


@pytest.mark.parametrize("samples, words", [
    (numpy.zeros(24_000), "it is silent; record it again"), (DC, "it is silent; record it again"),
    (numpy.full(1, 0.5), "it takes 0.0 ms, too short for a word; record it again")],
    ids=["silent", "only DC", "a frame"])
def test_a_clip_that_is_no_word_is_found_by_check_and_by_verify(clocksmith, pack, samples, words):
    (pack / f"{CLIP}.flac").unlink()
    path = written(pack, "wav", samples)
    done = clocksmith.run("check", "--config", clocksmith.configuration(voice=pack))
    assert done.returncode == 3
    assert f"FOUND voice         {path}: {words}" in done.stdout.splitlines()
    done = clocksmith.run("voice", "verify", pack)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert done.returncode == 3 and f"clip        {CLIP}: " in line and line.endswith(words)


INTO_A_FILE = {
    "render": ["render", "--at", "2026-11-21T15:15", "--output", "{folder}/x.wav"],
    "render of a picture": ["render", "--at", "2026-11-21T15:15", "--picture", "{folder}/x.svg"],
    "say": ["say", "15:15", "--output", "{folder}/x.flac"],
    "say on the speaker": ["say", "15:15"],
    "export": ["voice", "export", "{pack}", "--output", "{folder}/x"],
}


@pytest.mark.parametrize("command", INTO_A_FILE)
def test_a_phrase_without_one_of_its_words_is_not_written(clocksmith, pack, tmp_path, command):
    (pack / f"{CLIP}.flac").unlink()
    written(pack, "wav", numpy.zeros(24_000))
    output = tmp_path / "output"
    output.mkdir()
    done = clocksmith.run(
        *(word.format(folder=output, pack=pack) for word in INTO_A_FILE[command]), "--config",
        clocksmith.configuration(voice=pack))
    assert refusal(done, 1) == f"clocksmith: cannot use {pack}/{CLIP}.wav: it is silent; record it again"
    assert list(output.iterdir()) == []


def test_two_times_that_are_said_alike_are_found_and_not_said(clocksmith, pack, tmp_path):
    description = pack / "voice.conf"
    description.write_text(description.read_text().replace(
        "[clock 12]\n", "[clock 12]\n**** = hour-{hour12}-oclock oclock\n"))
    found = "[clock 12] says 00:01 as it says 00:00"
    told = f"{description}: {found}; give each time words of its own"
    configuration = clocksmith.configuration(voice=pack)
    assert f"FOUND rules       {found}" in clocksmith.run("voice", "verify", pack).stdout.splitlines()
    check = clocksmith.run("check", "--config", configuration).stdout.splitlines()
    assert f"FOUND voice         {told}" in check
    output = tmp_path / "said"
    for words in (["run", "--output", output], ["voice", "try", pack, "15:15"],
                  ["voice", "export", pack, "--output", output]):
        done = clocksmith.run(*words, "--config", configuration, timeout=60)
        assert refusal(done, 1) == f"clocksmith: {told}"
        assert not output.exists()


def test_a_voice_without_a_description_is_named(clocksmith, pack):
    (pack / "voice.conf").unlink()
    done = clocksmith.run("agenda", "--config", clocksmith.configuration(voice=pack))
    assert f"{pack}/voice.conf" in refusal(done, 1)
