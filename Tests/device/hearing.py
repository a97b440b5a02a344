"""What a listener can say of an announcement."""

import base64
import io
import wave

import numpy

from device import utc
from speaker import envelope

# "On its second": nearer to it than to any other. The emulator adds to what the program does: its
# converter advances every 10 ms, its recording is written every 21 ms, and a host under load stops
# it for tenths of a second. The figures say what was measured.
SECOND = 0.5


def hear_occasion(device, when, words, seconds_ahead=9.0, after=None, speaker=None):
    """Steps the clock ahead of an occasion (UTC text), and hears it said, once, on its second.

    Returns the journal's line, the sound, and how late its onset was in seconds.
    """
    instant = utc(when)
    speaker = speaker or device.speaker
    mark = device.mark() if after is None else after
    if seconds_ahead:
        device.set_clock(instant - seconds_ahead)
    said = device.wait_for_line(r'^said "', mark, unit="clocksmith.service")
    assert f'said "{words}" for' in said.message, said.message
    began = device.host_at(instant)
    speaker.wait_for_sound(after=began - 1.5)
    heard = speaker.sounds(after=began - 1.5)
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
    """Nothing is heard from a moment of the host's clock on, for so long."""
    device.wait_for_host(since + seconds)
    heard = device.speaker.sounds(after=since)
    assert not heard, f"nothing should sound, and this was heard: {heard}"


def likeness(device, when, sound):
    """How much what was heard is what the program renders for this time: 1 is the same.

    The correlation of the two loudness curves; a phrase that is cut, doubled or torn has another.
    """
    device.run(f"clocksmith render --at {when} --zone Etc/UTC --output /tmp/reference.wav", 120)
    data = base64.b64decode(device.run("base64 -w 0 /tmp/reference.wav && rm /tmp/reference.wav"))
    with wave.open(io.BytesIO(data)) as file:
        assert file.getsampwidth() == 2
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
        samples = samples.reshape(-1, file.getnchannels())
        levels = envelope(samples, file.getframerate())
    loud = numpy.flatnonzero(levels > -50)
    levels = levels[loud[0]:loud[-1] + 1]
    assert abs(len(levels) - len(sound.levels)) <= 8, \
        f"{len(sound.levels)}0 ms were heard, and {len(levels)}0 ms rendered"
    length = min(len(levels), len(sound.levels))
    heard = numpy.maximum(sound.levels[:length], -60)
    return float(numpy.corrcoef(numpy.maximum(levels[:length], -60), heard)[0, 1])
