"""Levels of sound in numpy: loudness by ITU-R BS.1770, true peak, silence at the ends.

It is written from the standard, without libebur128, which sets the level of the clips.
"""

import numpy as np
from scipy import signal

RATE = 48000
BLOCK = RATE * 400 // 1000

# The K weighting at 48 kHz, from the tables of ITU-R BS.1770-4, annex 1.
SHELF = [1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585]
HIGHPASS = [1, -2, 1], [1, -1.99004745483398, 0.99007225036621]
WEIGHTING = [np.convolve(*pair) for pair in zip(SHELF, HIGHPASS)]


def decibels(amplitude):
    return 20 * np.log10(np.maximum(amplitude, 1e-10))


def _block_powers(samples, hop):
    """The mean squares of all K-weighted 400 ms windows, a hop apart, with silence on both sides."""
    silence = np.zeros(BLOCK)
    weighted = signal.lfilter(*WEIGHTING, np.concatenate([silence, samples, silence]))
    sums = np.concatenate([[0], np.cumsum(weighted ** 2)])
    starts = np.arange(0, len(weighted) - BLOCK + 1, hop)
    return (sums[starts + BLOCK] - sums[starts]) / BLOCK


def _lufs(power):
    return -0.691 + 10 * np.log10(np.maximum(power, 1e-12))


def maximum_momentary(samples):
    return float(_lufs(_block_powers(samples, RATE // 1000).max()))


def integrated(samples):
    """The loudness with both gates, as a player would measure a file with silence around the sound."""
    powers = _block_powers(samples, BLOCK // 4)
    loud = powers[_lufs(powers) > -70]
    return float(_lufs(loud[_lufs(loud) > _lufs(loud.mean()) - 10].mean()))


def true_peak(samples):
    """The true peak in dBTP, at four times the rate."""
    return float(decibels(np.abs(signal.resample_poly(samples, 4, 1)).max()))


def silence_at_ends(samples):
    """Milliseconds before the first and after the last sample that reaches -40 dB of the peak."""
    audible = np.flatnonzero(np.abs(samples) >= np.abs(samples).max() / 100)
    return audible[0] * 1000 / RATE, (len(samples) - 1 - audible[-1]) * 1000 / RATE
