"""Judges an announcement as a listener could."""

import base64
import io
import wave

import numpy

from device import utc
from speaker import RATE, SILENCE, envelope

# "On its second": nearer to it than to any other. The emulator adds its own delays: its converter
# advances every 2 ms, its recording is written every 21 ms, and a host under load stops it for
# tenths of a second. The figures say what was measured.
SECOND = 0.5


def hear_occasion(device, when, words, seconds_ahead=6.5, speaker=None, since=None, quiet=1.0):
    """Steps the clock to shortly before an occasion (UTC text), and hears it: see `hear`."""
    mark = device.mark()
    device.set_clock(utc(when) - seconds_ahead)
    return hear(device, when, words, mark, speaker, since, quiet)


def hear(device, when, words, mark, speaker=None, since=None, quiet=1.0):
    """Hears an occasion (UTC text) said once, on its second, with a line in the journal after `mark`.

    Once: nothing else is heard from 1.5 s before it, or from the moment `since` of the host's clock,
    until `quiet` seconds after its end.
    Returns the journal's line, the sound, and how late its onset was in seconds.
    """
    speaker = speaker or device.speaker
    began = device.host_at(utc(when))
    since = began - 1.5 if since is None else since
    said = device.wait_for_line(r'^said "', mark, unit="clocksmith.service")
    assert f'said "{words}" for' in said.message, said.message
    speaker.wait_for_sound(after=since, quiet=quiet)
    heard = speaker.sounds(after=since)
    assert len(heard) == 1, f"one announcement is one sound, and these were heard: {heard}"
    sound = heard[0]
    late = sound.start - began
    assert abs(late) < SECOND, f"{words} was heard {late:+.3f} s from {when}"
    # A whole phrase of speech: neither a blip nor a tone without end, loud, and not clipped.
    assert 0.6 < sound.seconds < 3.0, sound
    assert -50 < sound.level and sound.peak < -0.1, sound
    assert max(sound.levels) - sound.level < 15, "speech is not a click"
    return said, sound, late


def hears_nothing(device, since, seconds):
    """Nothing is heard for so many seconds from a moment of the host's clock on."""
    device.wait_for_host(since + seconds)
    heard = device.speaker.sounds(after=since)
    assert not heard, f"nothing should sound, and this was heard: {heard}"


def rendered(device, when, after_anchor=None, seconds=1.0):
    """The frames that the program renders for a time in UTC, within +-1: all of them, or `seconds` of
    them from `after_anchor` seconds after its anchor.
    """
    anchor = float(device.run(
        f"clocksmith render --at {when} --zone Etc/UTC --output /tmp/reference.wav", 120).split()[-1])
    part = "cat /tmp/reference.wav"
    if after_anchor is not None:
        # A chime is too long for the line to the device: send the header and the wanted part only.
        header = base64.b64decode(device.run("head -c 128 /tmp/reference.wav | base64 -w 0"))
        start = header.index(b"data") + 8
        with wave.open(io.BytesIO(header)) as file:
            frame, rate = file.getnchannels() * file.getsampwidth(), file.getframerate()
        skipped = start + round(max(anchor + after_anchor, 0) * rate) * frame
        part = (f"(head -c {start} /tmp/reference.wav; tail -c +{skipped + 1} /tmp/reference.wav "
                f"2>/dev/null | head -c {round(seconds * rate) * frame})")
    data = base64.b64decode(device.run(f"{part} | base64 -w 0; rm /tmp/reference.wav"))
    with wave.open(io.BytesIO(data)) as file:
        assert file.getsampwidth() == 2 and file.getframerate() == RATE
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
        return samples.reshape(-1, file.getnchannels())[:, 0]


def place(part, whole):
    """The index at which a part fits best in a whole, at any loudness."""
    size = 1 << (len(part) + len(whole)).bit_length()
    products = numpy.fft.irfft(
        numpy.fft.rfft(whole, size) * numpy.conj(numpy.fft.rfft(part, size)), size)
    products = products[:len(whole) - len(part) + 1]
    power = numpy.concatenate(([0.0], numpy.cumsum(whole ** 2)))
    power = power[len(part):] - power[:len(whole) - len(part) + 1]
    return int(numpy.argmax(products / numpy.sqrt(numpy.maximum(power, 1e-3))))


def gain(heard, frames):
    """The factor from rendered frames to the frames heard at the same place."""
    return float(heard @ frames / (frames @ frames))


def assert_heard(heard, frames, what):
    """The heard frames are these, within the rounding of a volume."""
    off = numpy.abs(heard - frames).max()
    assert off < 0.002, f"{what}: what is heard is off by up to {off:.4f} of full scale"


def likeness(frames, sound):
    """How alike a sound and rendered frames are: 1 is the same.

    This is the correlation of the two loudness curves; a cut, doubled or torn phrase has another
    curve. It allows for the speaker's volume: a breath that falls below silence is not expected.
    """
    levels = envelope(frames[:, None], RATE)
    levels += max(sound.levels) - levels.max()
    loud = numpy.flatnonzero(levels > SILENCE)
    levels = levels[loud[0]:loud[-1] + 1]
    assert abs(len(levels) - len(sound.levels)) <= 3, \
        f"{len(sound.levels)}0 ms were heard, and {len(levels)}0 ms rendered"
    # The sound's blocks of 10 ms may begin anywhere within those of the rendered phrase.
    heard, levels = numpy.maximum(sound.levels, -60), numpy.maximum(levels, -60)
    pairs = ((heard[1:], levels), (heard, levels), (heard, levels[1:]))
    return max(float(numpy.corrcoef(a[:min(len(a), len(b))], b[:min(len(a), len(b))])[0, 1])
               for a, b in pairs)
