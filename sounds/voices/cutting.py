"""Cuts clips out of sentences and levels them; README.md says why and how."""

import collections
import ctypes
import functools
import math
import sys

try:
    import numpy as np
    import soundfile
    from scipy import signal
    ebur128 = ctypes.CDLL("libebur128.so.1")
except (ImportError, OSError) as missing:
    sys.exit(f"make: {missing}: apt install libebur128-1 python3-numpy python3-scipy python3-soundfile")

RATE = 48000
CROSSFADE_MILLISECONDS = 20
FADE_MILLISECONDS = 5

# The level of the loudest 400 ms of a clip. It puts joined phrases at -20 LUFS.
CLIP_LUFS = -19.03
# By this measure a short clip comes out too loud, because the silence around it
# counts as well, and a clip with long consonants too soft. Clips of the same mean
# power join into an even phrase. So clips are moved towards the same mean power,
# but by no more than EVENNESS_LU from CLIP_LUFS. A clip whose two measures differ
# by USUAL_DIFFERENCE_LU stays at CLIP_LUFS.
EVENNESS_LU = 0.97
USUAL_DIFFERENCE_LU = 0.9

# How far from the engine's word boundary the quietest point may lie.
REACH_MILLISECONDS = 25
SILENCE_DB = -40

Take = collections.namedtuple("Take", "samples rate start end power carrier")


def samples_in(milliseconds, rate=RATE):
    return round(milliseconds * rate / 1000)


class Speaker:
    """Speaks carriers in one voice, each once. SILENCE is the most silence before and after a clip, in milliseconds."""

    def __init__(self, engine, silence, scratch):
        self.engine = engine
        self.silence = silence
        self.scratch = scratch
        self.phone_counts = {}
        self.speak = functools.cache(self._speak)

    def _speak(self, text):
        """Returns TEXT as samples without DC or rumble, their rate, and its phones with their end times."""
        wave = self.scratch / "carrier.wav"
        phones = self.engine(text, wave)
        samples, rate = soundfile.read(wave)
        rumble = signal.butter(2, 40, "highpass", fs=rate, output="sos")
        return spread_peaks(signal.sosfiltfilt(rumble, samples), rate), rate, phones

    def phones_in(self, word):
        if word not in self.phone_counts:
            phones = self.engine(word, self.scratch / "word.wav")
            self.phone_counts[word] = sum(phone != "pau" for phone, _ in phones)
        return self.phone_counts[word]

    def bounds(self, carrier, phones):
        """Seconds at which the bracketed part of the carrier begins and ends; None at an end of the sentence."""
        before, inside, after = (part.strip(" .").split() for part in carrier.replace("]", "[").split("["))
        spoken = [end for phone, end in phones if phone != "pau"]
        first = sum(map(self.phones_in, before))
        last = first + sum(map(self.phones_in, inside))
        if last + sum(map(self.phones_in, after)) != len(spoken):
            sys.exit(f"make: the phones of {carrier!r} are not those of its words; it needs another carrier")
        return spoken[first - 1] if before else None, spoken[last - 1] if after else None


def spread_peaks(samples, rate):
    """Turns phases below a few hundred hertz, which is inaudible, so that the peaks of each period do not coincide.

    Vocoded speech peaks 20 dB above its loudness and would clip; after this it peaks 17 dB above it.
    """
    bend = np.tan(np.pi * 200 / rate)
    pole = (bend - 1) / (bend + 1)
    for _ in range(4):
        samples = signal.lfilter([pole, 1], [1, pole], samples)
    return samples


def resample(samples, rate):
    up, down = RATE // math.gcd(RATE, rate), rate // math.gcd(RATE, rate)
    most = max(up, down)
    # A steep filter: it keeps the engine's speech up to 7.3 or 14.5 kHz and removes its images.
    taps = signal.firwin(2 * 96 * most + 1, 0.96 / most, window=("kaiser", 10))
    return signal.resample_poly(samples, up, down, window=taps)


# ---- Cutting -------------------------------------------------------------------

def quietest(samples, rate, seconds):
    """The quietest frame within REACH_MILLISECONDS of a word boundary, and the power of the crossfade around it."""
    reach, half = samples_in(REACH_MILLISECONDS, rate), samples_in(CROSSFADE_MILLISECONDS / 2, rate)
    centre = round(seconds * rate)
    window = np.hanning(2 * half + 1)
    around = samples[centre - reach - half:centre + reach + half + 1]
    power = np.convolve(around ** 2, window / window.sum(), "valid")
    best = int(np.argmin(power))
    return centre - reach + best, power[best]


def take(speaker, carrier):
    """Speaks a carrier and finds where to cut it."""
    samples, rate, phones = speaker.speak(carrier.replace("[", "").replace("]", ""))
    begin, finish = speaker.bounds(carrier, phones)
    half = samples_in(CROSSFADE_MILLISECONDS / 2, rate)
    start, end, power_at_cuts = 0, len(samples), 0.0
    if begin is not None:
        start, power = quietest(samples, rate, begin)
        start, power_at_cuts = start - half, power_at_cuts + power
    if finish is not None:
        end, power = quietest(samples, rate, finish)
        end, power_at_cuts = end + half, power_at_cuts + power
    inside = np.abs(samples[start:end] * fades(end - start, rate))
    lead, tail = (samples_in(milliseconds, rate) for milliseconds in speaker.silence)
    audible = np.flatnonzero(inside > inside.max() * 10 ** (SILENCE_DB / 20))
    return Take(samples, rate,
                max(start, start + audible[0] - lead), min(end, start + audible[-1] + tail),
                power_at_cuts, carrier)


def fades(length, rate=RATE):
    """A gain that fades in and out by raised cosines."""
    rise = np.sin(np.linspace(0, np.pi / 2, samples_in(FADE_MILLISECONDS, rate))) ** 2
    gain = np.ones(length)
    gain[:len(rise)], gain[-len(rise):] = rise, rise[::-1]
    return gain


def cut(best):
    """The clip at 48 kHz, faded at both ends and without DC."""
    start, end = (round(frame * RATE / best.rate) for frame in (best.start, best.end))
    clip = resample(best.samples, best.rate)[start:end]
    gain = fades(len(clip))
    return (clip - clip @ gain / gain.sum()) * gain


# ---- Loudness --------------------------------------------------------------------

ebur128.ebur128_init.restype = ctypes.c_void_p
ebur128.ebur128_init.argtypes = ctypes.c_uint, ctypes.c_ulong, ctypes.c_int
ebur128.ebur128_add_frames_double.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
ebur128.ebur128_set_max_window.argtypes = ctypes.c_void_p, ctypes.c_ulong
ebur128.ebur128_loudness_window.argtypes = ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(ctypes.c_double)
ebur128.ebur128_destroy.argtypes = ctypes.POINTER(ctypes.c_void_p),
EBUR128_MODE_M = 1


def loudest(clip, milliseconds):
    """The loudness in LUFS of the loudest stretch of this length in a clip, with silence before it."""
    samples = np.concatenate([np.zeros(samples_in(milliseconds)), clip])
    state = ctypes.c_void_p(ebur128.ebur128_init(1, RATE, EBUR128_MODE_M))
    ebur128.ebur128_set_max_window(state, max(400, milliseconds))
    most, now = -np.inf, ctypes.c_double()
    for block in np.array_split(samples, len(samples) // samples_in(5)):
        ebur128.ebur128_add_frames_double(state, block.ctypes.data, len(block))
        ebur128.ebur128_loudness_window(state, milliseconds, ctypes.byref(now))
        most = max(most, now.value)
    ebur128.ebur128_destroy(ctypes.byref(state))
    return most


def level(clip, lift):
    momentary = loudest(clip, 400)
    difference = momentary - loudest(clip, len(clip) * 1000 // RATE)
    wanted = CLIP_LUFS + np.clip(difference - USUAL_DIFFERENCE_LU + lift, -EVENNESS_LU, EVENNESS_LU)
    return clip * 10 ** ((wanted - momentary) / 20)
