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


def wav(size=None, riff=None, byte_rate=2 * RATE, data=PCM):
    head = struct.pack("<HHIIHH", 1, 1, RATE, byte_rate, 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data"
    body += (struct.pack("<I", len(data)) if size is None else size) + data
    return b"RIFF" + (struct.pack("<I", len(body)) if riff is None else riff) + body


def written(path, suffix, **form):
    soundfile.write(path / f"x.{suffix}", SIX, RATE, **form)
    content = (path / f"x.{suffix}").read_bytes()
    (path / f"x.{suffix}").unlink()
    return content


def mp3_without_header(path):
    """An MP3 without its Xing frame."""
    whole = written(path, "mp3", format="MP3")
    return whole[whole.index(b"\xff\xfb", 4):] if b"Xing" in whole or b"Info" in whole else whole


WHOLE = {
    "WAV from ffmpeg's pipe": ("wav", lambda path: wav(size=UNKNOWN, riff=UNKNOWN)),
    "WAV from sox's pipe": ("wav", lambda path: wav(size=b"\0\xf0\xff\x7f", riff=b"\x24\xf0\xff\x7f")),
    "WAV without bytes per second": ("wav", lambda path: wav(byte_rate=0)),
    "AIFF with a byte behind": ("aiff", lambda path: written(path, "aiff") + b"\0"),
    "MP3": ("mp3", lambda path: written(path, "mp3", format="MP3")),
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


def in_a_container(suffix, **form):
    return suffix, lambda path: written(path, suffix, **form)


TORN = {
    "WAV": in_a_container("wav"), "FLAC": in_a_container("flac"), "MP3": in_a_container("mp3", format="MP3"),
    "Vorbis": in_a_container("ogg", subtype="VORBIS"), "Opus": in_a_container("opus", format="OGG", subtype="OPUS"),
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


@pytest.mark.parametrize("suffix, make", [
    ("wav", lambda path: wav(data=PCM[:len(PCM) * 45 // 100])), ("mp3", mp3_without_header)])
def test_a_word_that_ends_loudly_is_told(recordings, brought_in, tmp_path, suffix, make):
    # Nothing in the file says that something is missing, or how long it is.
    put(recordings, suffix, make(tmp_path))
    done, _ = brought_in()
    lines_of(done, 0)
    assert done.stderr == f"clocksmith: note: still loud at the end, so perhaps cut off: six.{suffix}\n"


def test_a_word_that_is_cut_out_tightly_is_whole(recordings, brought_in):
    soundfile.write(recordings / "six.wav", word(5, before=0, after=0), RATE)
    done, _ = brought_in()
    lines_of(done, 0)
    assert done.stderr == ""


def test_a_sound_of_an_unknown_format_is_to_be_converted(recordings, brought_in):
    put(recordings, "m4a", b"\0\0\0\x1cftypM4A " + bytes(4000))
    (recordings / "five.txt").write_text("five")
    done, _ = brought_in()
    assert done.returncode == 1 and "five" not in done.stderr and "no recording of" not in done.stderr
    assert ("six.m4a: it is no sound file, or of a format that is not known; convert it to FLAC or WAV"
            in done.stderr)


# MARK: What lies beside the recordings


def test_hidden_files_are_none(recordings, brought_in):
    for name in CLASSIC:
        (recordings / f"._{name}.wav").write_bytes(b"\0\5\x16\7" + bytes(4092))
    for name in ".DS_Store", "Thumbs.db", "desktop.ini":
        (recordings / name).write_bytes(bytes(99))
    done, _ = brought_in()
    assert "17 clips" in lines_of(done, 0)[0] and done.stderr == ""
