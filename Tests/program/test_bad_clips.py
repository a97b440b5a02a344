"""A voice with something wrong in it: one sentence names it, and no time is half said."""

import os

import numpy
import pytest
import soundfile

from program import VOICE, about, refusal

CLIP = "minute-15"


def sound():
    samples, rate = soundfile.read(VOICE / f"{CLIP}.flac", dtype="int16")
    return samples, rate


def torn(pack, suffix, **form):
    path = pack / f"{CLIP}.{suffix}"
    soundfile.write(path, *sound(), **form)
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole) // 2])


def without_frames(pack, suffix):
    samples, rate = sound()
    soundfile.write(pack / f"{CLIP}.{suffix}", samples[:0], rate)


def in_stereo(pack):
    samples, rate = sound()
    soundfile.write(pack / f"{CLIP}.flac", numpy.column_stack([samples, samples]), rate)


def of_no_numbers(pack):
    soundfile.write(pack / f"{CLIP}.wav", numpy.full(9600, numpy.nan), 48_000, subtype="FLOAT")


def with_field(pack, start, value):
    """A WAV file whose header has another value where this field starts."""
    samples, rate = sound()
    path = pack / f"{CLIP}.wav"
    soundfile.write(path, samples, rate)
    whole = bytearray(path.read_bytes())
    whole[start:start + len(value)] = value
    path.write_bytes(whole)


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
    "without frames (WAV)": lambda pack: without_frames(pack, "wav"),
    "in stereo": in_stereo,
    "of no numbers": of_no_numbers,
    "of no channels": lambda pack: with_field(pack, 22, b"\0\0"),
    "of no rate": lambda pack: with_field(pack, 24, bytes(4)),
    "of a hundred frames a second": lambda pack: with_field(pack, 24, b"\x64\0\0\0"),
    "of an unknown encoding": lambda pack: with_field(pack, 20, b"\x77\x77"),
}


@pytest.fixture(params=BREAKAGES)
def broken_pack(pack, request):
    (pack / f"{CLIP}.flac").unlink()
    BREAKAGES[request.param](pack)
    return pack


def test_a_broken_clip_is_named_in_our_own_words_and_leaves_no_file(clocksmith, broken_pack, tmp_path):
    output = tmp_path / "output"
    output.mkdir()
    done = clocksmith.run(
        "render", "--at", "2026-11-21T15:15", "--output", output / "clock.wav", "--config",
        clocksmith.configuration(voice=broken_pack))
    sentence = refusal(done, 1)
    assert str(broken_pack) in sentence and CLIP in sentence
    for word in ("SRC", "SF_INFO", "libsndfile", "File contains", "Error", "Channel count"):
        assert word not in sentence
    assert list(output.iterdir()) == []
    done = clocksmith.run(
        "check", "--config", clocksmith.configuration(voice=broken_pack))
    line = about(done, "voice")
    assert done.returncode == 3 and line.startswith("FOUND") and CLIP in line


# A sound card with an offset records this while the microphone is off: DC, and hiss at -90 dB.
DC = 0.01 + numpy.random.default_rng(1).normal(0, 3e-5, 24_000)


def of_samples(samples):
    """Returns a function that replaces the good clip with one of these samples."""
    return lambda pack: soundfile.write(pack / f"{CLIP}.wav", samples, 48_000)


@pytest.mark.parametrize(
    "spoil, words",
    [(of_samples(numpy.zeros(24_000)), "it is silent; record it again"),
     (of_samples(DC), "it is silent; record it again"),
     (of_samples(numpy.full(1, 0.5)), "it takes 0.0 ms, too short for a word; record it again")],
    ids=["silent", "only DC", "a frame"])
def test_a_clip_that_is_no_word_is_found_by_check_and_by_verify(clocksmith, pack, spoil, words):
    (pack / f"{CLIP}.flac").unlink()
    spoil(pack)
    done = clocksmith.run(
        "check", "--config", clocksmith.configuration(voice=pack))
    assert done.returncode == 3
    assert f"FOUND voice         {pack}/{CLIP}.wav: {words}" in done.stdout.splitlines()
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
    of_samples(numpy.zeros(24_000))(pack)
    output = tmp_path / "output"
    output.mkdir()
    done = clocksmith.run(
        *(word.format(folder=output, pack=pack) for word in INTO_A_FILE[command]), "--config",
        clocksmith.configuration(voice=pack))
    assert refusal(done, 1) == f"clocksmith: cannot use {pack}/{CLIP}.wav: it is silent; record it again"
    assert list(output.iterdir()) == []


def test_a_crossfade_that_clips_are_too_short_for_is_found_by_check_and_by_verify(clocksmith, pack):
    description = pack / "voice.conf"
    description.write_text(description.read_text().replace("crossfade = 20ms", "crossfade = 1s"))
    words = (
        "crossfade = 1000ms is more than half of clip 'hour-8-end', which takes 191 ms, so that "
        "words run into each other; set it to 20ms, say")
    done = clocksmith.run("check", "--config", clocksmith.configuration(voice=pack))
    assert done.returncode == 3
    assert f"FOUND voice         {description}: {words}" in done.stdout.splitlines()
    done = clocksmith.run("voice", "verify", pack)
    assert done.returncode == 3 and f"FOUND crossfade   {words}" in done.stdout.splitlines()


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
