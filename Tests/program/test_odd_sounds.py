"""`voice import` and the files of other programs: what is whole is read whole, what is torn is told."""

import struct

import numpy
import pytest
import soundfile

from recorded_words import CLASSIC, RATE, lines_of, word

# Without DC: an MP3 begins with silence that has none.
SIX = word(5) - 0.003
PCM = (SIX * 32767).astype("<i2").tobytes()
UNKNOWN = b"\xff" * 4
DS64 = b"ds64" + struct.pack("<IQQQI", 28, 36 + len(PCM), len(PCM), len(SIX), 0)


def wav(name=b"RIFF", size=None, riff=None, byte_rate=2 * RATE, align=2, before=b"", form=(1, 16), data=PCM):
    head = struct.pack("<HHIIHH", form[0], 1, RATE, byte_rate, align, form[1])
    body = b"WAVE" + before + b"fmt " + struct.pack("<I", len(head)) + head + b"data"
    body += (struct.pack("<I", len(data)) if size is None else size) + data
    return name + (struct.pack("<I", len(body)) if riff is None else riff) + body


def written(path, suffix, samples=SIX, rate=RATE, **form):
    soundfile.write(path / f"x.{suffix}", samples, rate, **form)
    content = (path / f"x.{suffix}").read_bytes()
    (path / f"x.{suffix}").unlink()
    return content


def caf_of_unknown_length(path):
    head = b"caff" + struct.pack(">HH4sqd4s5I", 1, 0, b"desc", 32, RATE, b"lpcm", 2, 2, 1, 1, 16)
    return head + b"data" + struct.pack(">qI", -1, 0) + PCM


def flac_of_unknown_length(path):
    whole = written(path, "flac")
    return whole[:21] + bytes([whole[21] & 0xF0]) + bytes(4) + whole[26:]


def mp3_without_header(path, first=b""):
    """An MP3 without its Xing frame, and if given with another frame before it."""
    whole = written(path, "mp3", format="MP3")
    frames = whole[whole.index(b"\xff\xfb", 4):] if b"Xing" in whole or b"Info" in whole else whole
    return first + frames


# 320 kbit/s, silent.
LARGE_FRAME = b"\xff\xfb\xe4\xc4" + bytes(956)

WHOLE = {
    "WAV from ffmpeg's pipe": ("wav", lambda path: wav(size=UNKNOWN, riff=UNKNOWN)),
    "WAV from sox's pipe": ("wav", lambda path: wav(size=b"\0\xf0\xff\x7f", riff=b"\x24\xf0\xff\x7f")),
    "WAV never closed": ("wav", lambda path: wav(size=bytes(4), riff=struct.pack("<I", 36))),
    "WAV without bytes per second": ("wav", lambda path: wav(byte_rate=0)),
    "BW64": ("wav", lambda path: wav(b"BW64", UNKNOWN, UNKNOWN, before=DS64)),
    "AIFF with a byte behind": ("aiff", lambda path: written(path, "aiff") + b"\0"),
    "CAF of unknown length": ("caf", caf_of_unknown_length),
    "FLAC of unknown length": ("flac", flac_of_unknown_length),
    "MP3 without header": ("mp3", mp3_without_header),
    "MP3 without header whose first frame is larger": ("mp3", lambda path: mp3_without_header(path, LARGE_FRAME)),
    "WAV of a suffix that is not known": ("xyz", lambda path: wav()),
    **{f"Asterisk's .{suffix}": (suffix, lambda path, rate=rate, coding=coding: written(
        path, "raw", word(5, rate), rate, subtype=coding))
       for suffix, rate, coding in [
           ("ulaw", 8000, "ULAW"), ("gsm", 8000, "GSM610"), ("sln16", 16_000, "PCM_16")]},
}


def put(recordings, suffix, content):
    (recordings / "six.wav").unlink()
    (recordings / f"six.{suffix}").write_bytes(content)


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_file_is_read_to_its_end(recordings, brought_in, tmp_path, kind):
    suffix, make = WHOLE[kind]
    put(recordings, suffix, make(tmp_path))
    done, pack = brought_in()
    lines_of(done, 0)
    assert done.stderr == ""
    clip = soundfile.read(pack / "6.flac")[0]
    assert 0.3 < len(clip) / RATE < 0.38, "a part is missing, or something else is in it"
    spectrum = numpy.abs(numpy.fft.rfft(clip * numpy.hanning(len(clip)), 1 << 18))
    assert spectrum.argmax() * RATE / (1 << 18) == pytest.approx(250, abs=3)


def long_tags():
    tags = b"".join(b"I%03d" % n + struct.pack("<I", 250) + b"x" * 250 for n in range(8))
    return b"LIST" + struct.pack("<I", 4 + len(tags)) + b"INFO" + tags


def in_a_container(suffix, **form):
    return suffix, lambda path: written(path, suffix, **form)


TORN = {
    "WAV": in_a_container("wav"), "AIFF": in_a_container("aiff"), "AU": in_a_container("au"),
    "W64": in_a_container("w64"), "FLAC": in_a_container("flac"), "RF64": in_a_container("rf64", format="RF64"),
    "ADPCM": in_a_container("wav", subtype="IMA_ADPCM"), "MP3": in_a_container("mp3", format="MP3"),
    "FLAC of unknown length": ("flac", flac_of_unknown_length),
    "MP3 without header": ("mp3", mp3_without_header), "VOC": in_a_container("voc"), "Vorbis": in_a_container("ogg", subtype="VORBIS"),
    "Opus": in_a_container("opus", format="OGG", subtype="OPUS"),
    "WAV with tags longer than the library's log": ("wav", lambda path: wav(before=long_tags())),
}


@pytest.mark.parametrize("kind", TORN)
def test_a_torn_file_is_told(recordings, brought_in, tmp_path, kind):
    suffix, make = TORN[kind]
    whole = make(tmp_path)
    # In the middle of the word, or behind a page of Ogg that ends there.
    end = len(whole) * 45 // 100
    if whole.startswith(b"OggS"):
        end = whole.rindex(b"OggS") + 100
    put(recordings, suffix, whole[:end])
    done, _ = brought_in()
    assert done.returncode == 1
    assert f"/six.{suffix}: it is torn: " in done.stderr


def test_a_word_that_ends_loudly_is_told(recordings, brought_in):
    # Nothing in the file says that something is missing.
    put(recordings, "sln48", PCM[:len(PCM) * 45 // 100])
    done, _ = brought_in()
    lines_of(done, 0)
    assert done.stderr == "clocksmith: note: still loud at the end, so perhaps cut off: six.sln48\n"


# MARK: What only ffmpeg reads


def pretended_ffmpeg(folder, script):
    (folder / "bin").mkdir()
    (folder / "bin/ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bin/ffmpeg").chmod(0o755)
    return {"PATH": f"{folder}/bin:/usr/bin:/bin"}


def test_what_the_library_does_not_know_is_read_through_ffmpeg(clocksmith, recordings, tmp_path):
    put(recordings, "m4a", b"\0\0\0\x1cftypM4A " + bytes(4000))
    (tmp_path / "decoded").write_bytes(wav(size=UNKNOWN, riff=UNKNOWN))
    environment = pretended_ffmpeg(tmp_path, f"case \"$*\" in *file:*six.m4a*) cat '{tmp_path}/decoded';; esac")
    done = clocksmith.run("voice", "import", recordings, "--output", tmp_path / "pack", environment=environment)
    assert "17 clips" in lines_of(done, 0)[0]
    assert 0.3 < soundfile.info(tmp_path / "pack/6.flac").duration < 0.38


@pytest.mark.parametrize("script, words", [
    (None, "if it is a sound, install ffmpeg, which import then uses, or convert it: ffmpeg -i '{six}.m4a' '{six}.wav'"),
    ("echo '[mov @ 0x5] partial file' >&2", "ffmpeg finds errors in it (partial file): it may be torn, or no sound file"),
    ("exit 1", "ffmpeg finds errors in it: it may be torn, or no sound file")])
def test_what_cannot_be_read_is_told_with_the_remedy(clocksmith, recordings, tmp_path, script, words):
    put(recordings, "m4a", b"\0\0\0\x1cftypM4A " + bytes(4000))
    environment = pretended_ffmpeg(tmp_path, script) if script else {"PATH": str(tmp_path)}
    done = clocksmith.run("voice", "import", recordings, "--output", tmp_path / "pack", environment=environment)
    assert done.returncode == 1
    assert words.format(six=recordings / "six") in done.stderr.splitlines()[0]


def test_a_file_of_an_unknown_kind_is_named(clocksmith, recordings, tmp_path):
    put(recordings, "xyz", b"six\n" * 99)
    (recordings / "five.txt").write_text("five")
    done = clocksmith.run(
        "voice", "import", recordings, "--output", tmp_path / "pack", environment={"PATH": str(tmp_path)})
    assert done.returncode == 1 and "six.xyz: it is no sound file" in done.stderr
    assert "five" not in done.stderr and "no recording of" not in done.stderr


# MARK: What lies beside the recordings


def test_hidden_files_are_none(recordings, brought_in):
    for name in CLASSIC:
        (recordings / f"._{name}.wav").write_bytes(b"\0\5\x16\7" + bytes(4092))
    for name in ".DS_Store", "Thumbs.db", "desktop.ini":
        (recordings / name).write_bytes(bytes(99))
    done, _ = brought_in()
    assert "17 clips" in lines_of(done, 0)[0] and done.stderr == ""
