"""A user's own voice: recordings as people have them, made into a pack, verified and heard."""

import shutil
import subprocess

import numpy
import pytest
import soundfile

from program import VOICES, about, refusal
from recorded_words import RATE, lines_of, word

GAP = RATE * 60 // 1000


def test_the_classic_seventeen_say_the_quarters(clocksmith, brought_in):
    done, pack = brought_in()
    lines = lines_of(done, 0)
    assert lines[:2] == [f"made {pack}: 17 clips", "in 12 hours it says the quarters of an hour"]
    assert done.stderr == ""
    infos = [soundfile.info(path) for path in pack.glob("*.flac")]
    assert len(infos) == 17
    forms = {(info.format, info.subtype, info.samplerate, info.channels) for info in infos}
    assert forms == {("FLAC", "PCM_16", RATE, 1)}
    assert lines_of(clocksmith.run("voice", "verify", pack), 0) == [
        "ok    12 hours    it says the quarters of an hour",
        "ok    timers      it has no words of timers, which give a signal alone",
        "ok    clips       17, all well"]


def test_the_line_that_puts_a_voice_where_the_service_can_read_it_can_be_pasted(
        clocksmith, recordings, tmp_path):
    pack, shared = tmp_path / "Anna's voice", tmp_path / "shared"
    done = clocksmith.run("voice", "import", recordings, "--output", pack)
    # As `voice record` leaves it, and as a careful person makes it.
    (pack / "takes").mkdir()
    for path in [pack, *pack.iterdir()]:
        path.chmod(path.stat().st_mode & 0o700)
    lines = lines_of(done, 0)
    line = lines[lines.index("to put it where the service can read it:") + 1]
    assert line.startswith("  sudo install ") and line.count("/usr/local/share/") == 1
    pasted = line.replace("sudo ", "", 1).replace("/usr/local/share", str(shared))
    subprocess.run(["sh", "-c", f"umask 077\n{pasted}"], check=True, cwd="/")
    copy = shared / pack.name
    assert {path.name for path in copy.iterdir()} == {path.name for path in pack.iterdir()} - {"takes"}
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in [shared, copy, *copy.iterdir()])
    assert clocksmith.run("voice", "verify", copy).returncode == 0


def test_a_phrase_is_the_clips_with_gaps(clocksmith, brought_in, tmp_path):
    _, pack = brought_in()
    output = tmp_path / "phrase.wav"
    lines_of(clocksmith.run(
        "render", "--at", "2026-11-21T15:45", "--output", output, "--config",
        clocksmith.configuration(voice=pack)), 0)
    gap = numpy.zeros(GAP, dtype="int16")
    three, minutes, pm = (
        soundfile.read(pack / f"{name}.flac", dtype="int16")[0] for name in ("3", "45", "pm"))
    heard = soundfile.read(output, dtype="int16")[0]
    assert numpy.array_equal(heard, numpy.concatenate([three, gap, minutes, gap, pm]))


def test_what_the_pack_cannot_say_is_told_with_what_it_can(clocksmith, brought_in):
    _, pack = brought_in()
    done = clocksmith.run("say", "15:07", "--config", clocksmith.configuration(voice=pack))
    assert refusal(done, 1).endswith(
        "has no phrase for 15:07:00; it can say the quarters of an hour only; record or import more "
        "words, or choose another voice")


def test_an_interval_that_the_pack_cannot_say_is_found_by_check(clocksmith, brought_in):
    _, pack = brought_in()
    for interval, word in (15, "ok"), (5, "FOUND"):
        done = clocksmith.run(
            "check", "--config", clocksmith.configuration(f"interval = {interval}", voice=pack))
        line = about(done, "voice")
        assert line.startswith(word)


def test_one_time_that_the_pack_has_is_said_whatever_it_lacks(clocksmith, brought_in, tmp_path):
    _, pack = brought_in()
    configuration = clocksmith.configuration("interval = 5", voice=pack)
    for words in ["say", "15:15"], ["render", "--at", "2026-11-21T15:15"]:
        done = clocksmith.run(*words, "--output", tmp_path / "said.wav", "--config", configuration)
        lines_of(done, 0)


@pytest.mark.parametrize(
    "suffix, form, rate, channels",
    [("wav", "PCM_16", 8000, 1), ("wav", "FLOAT", 192_000, 1), ("ogg", "VORBIS", 44_100, 2), ("FLAC", "PCM_16", 96_000, 2)])
def test_any_format_rate_and_number_of_channels_is_taken(
    recordings, brought_in, suffix, form, rate, channels
):
    (recordings / "three.wav").unlink()
    samples = numpy.column_stack([word(2, rate)] * channels)
    soundfile.write(
        recordings / f"Three.{suffix}", samples, rate, subtype=form,
        format="FLAC" if suffix == "FLAC" else None)
    done, pack = brought_in()
    lines_of(done, 0)
    clip = soundfile.read(pack / "3.flac")[0]
    spectrum = numpy.abs(numpy.fft.rfft(clip * numpy.hanning(len(clip)), 1 << 18))
    assert spectrum.argmax() * RATE / (1 << 18) == pytest.approx(190, abs=2)
    assert 0.28 < len(clip) / RATE < 0.36


# MARK: What cannot be used


SPOILT = {
    "clipped": lambda six: soundfile.write(six, numpy.clip(word(5) * 8, -1, 1), RATE),
    "silent": lambda six: soundfile.write(six, numpy.zeros(RATE), RATE),
    "it takes 5.1 s, and no word takes longer than 5 s": lambda six: soundfile.write(six, word(5, after=4.41), RATE),
    "6.wav and six.wav are both 'six'": lambda six: shutil.copy(six, six.with_name("6.wav")),
    "no recording of 'six'": lambda six: six.unlink(),
    "six.wav": lambda six: six.write_text("six\n" * 99),
}


@pytest.mark.parametrize("words", SPOILT)
def test_a_bad_recording_is_told_in_a_sentence_and_nothing_is_made(recordings, brought_in, words):
    SPOILT[words](recordings / "six.wav")
    done, pack = brought_in()
    assert done.returncode == 1 and done.stdout == ""
    sentence, last = done.stderr.splitlines()
    assert words in sentence and "six" in sentence
    assert last == f"clocksmith: no voice was made from {recordings}"
    assert not list(pack.parent.glob("pack*"))


def test_a_pack_that_is_there_is_left_as_it_is(brought_in):
    _, pack = brought_in()
    before = {path: path.stat().st_mtime_ns for path in pack.iterdir()}
    done, _ = brought_in()
    assert "it is there already" in refusal(done, 1)
    assert before == {path: path.stat().st_mtime_ns for path in pack.iterdir()}


def test_a_full_disk_leaves_nothing_behind(clocksmith, recordings, full_disk):
    done = clocksmith.run("voice", "import", recordings, "--output", full_disk / "pack")
    refusal(done, 1)
    assert list(full_disk.iterdir()) == []


# MARK: What is wrong with a pack


def with_silence(samples):
    return numpy.concatenate([numpy.zeros(RATE // 20), samples, numpy.zeros(RATE // 10)])


@pytest.mark.parametrize(
    "spoil, words",
    [(with_silence, ["ms of silence before it", "ms of silence after it"]),
     (lambda samples: samples + 0.01, ["1.00 % of DC"]),
     (lambda samples: samples * 0.7, ["LU softer than the pack"]),
     (lambda samples: numpy.clip(samples * 20, -1, 1), ["LU louder", "dBTP", "full scale"]),
     (lambda samples: numpy.column_stack([samples, samples]), ["a clip is mono"]),
     (lambda samples: samples * 0, ["silent"])],
    ids=["silence", "DC", "soft", "clipped", "stereo", "silent"])
def test_verify_names_the_clip_and_what_is_wrong_with_it(clocksmith, brought_in, spoil, words):
    _, pack = brought_in()
    samples = soundfile.read(pack / "6.flac")[0]
    soundfile.write(pack / "6.flac", spoil(samples), RATE)
    lines = lines_of(clocksmith.run("voice", "verify", pack), 3)
    found = [line for line in lines if line.startswith("FOUND clip ")]
    assert all(line.startswith("FOUND clip        6: ") for line in found)
    for word in words:
        assert any(word in line for line in found), (word, found)
    # A clip that is no word is missing from the times, too.
    others = [line for line in lines if line.startswith("FOUND") and line not in found]
    assert bool(others) == (words in (["a clip is mono"], ["silent"])), others


@pytest.mark.parametrize("name", VOICES)
def test_a_voice_that_ships_says_every_minute_and_is_well(clocksmith, name):
    lines = lines_of(clocksmith.run("voice", "verify", name), 0)
    assert lines[0] == "ok    12 hours    it says every minute of the day"
    styles, (clock24, timers, clips) = lines[1:-3], lines[-3:]
    assert all(line.startswith("ok    12 hours ") and line.endswith(" it says every minute of the day")
               for line in styles)
    assert (clock24, timers) == ("ok    24 hours    it says every minute of the day",
                                 "ok    timers      it says timers and intervals")
    assert clips == f"ok    clips       {len(list(VOICES[name].glob('*.flac')))}, all well"


def test_list_shows_the_configured_voice_with_a_star(clocksmith, brought_in):
    _, pack = brought_in()
    done = clocksmith.run("voice", "list", "--config", clocksmith.configuration(voice=pack))
    mine, styles, _, size, *_ = lines = lines_of(done, 0)
    assert mine.startswith(f"* {pack}: en, ") and styles == "    styles   12 hours digital"
    assert size.startswith("    size     17 clips, ")
    assert [line.split(": ")[0] for line in lines[4::4]] == [f"  {name}" for name in VOICES]
