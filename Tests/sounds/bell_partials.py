"""Finds the frequency, T60 and level of each partial in recordings of a bell, by least squares.

It knows nothing of the synthesis. It mixes a group of neighbouring partials down to 0 Hz, filters
it, and fits damped exponentials to the result, for all takes of a bell at once.
"""

import numpy as np
from scipy import optimize, signal

RATE = 48000
# Partials nearer to each other than this are fitted together, Hz.
NEAR = 30
# The filter passes frequencies within PASS Hz of a group, and none beyond STOP Hz.
PASS, STOP = 8, 22
# The time in seconds by which the hammer's noise and the room have died away.
SETTLED = 0.75
# Frames per second after the first step to a group, and after the last.
FEWER, SLOW = 2400, 400


def groups(frequencies):
    """The indices of the partials, in groups that are not near each other."""
    order = np.argsort(frequencies)
    splits = np.flatnonzero(np.diff(np.asarray(frequencies)[order]) > NEAR) + 1
    return np.split(order, splits)


def _low_pass(last, stop, rate):
    """A filter with an odd number of taps that passes up to LAST Hz and blocks from STOP Hz."""
    taps, beta = signal.kaiserord(96, (stop - last) / (rate / 2))
    return signal.firwin(taps | 1, (last + stop) / 2, window=("kaiser", beta), fs=rate)


def _mixed_down(samples, centre, half_width):
    """The band around CENTRE as a slow complex signal, and the time of its first frame."""
    # First filter roughly, down to a rate at which the sharp filter is short.
    step = RATE // FEWER
    rough = _low_pass(half_width + STOP, FEWER - half_width - STOP, RATE)
    turned = rough * np.exp(2j * np.pi * centre * np.arange(len(rough)) / RATE)
    first = -(-(len(rough) - 1) // step)
    last = (len(samples) - 1) // step
    few = signal.upfirdn(turned, samples, down=step)[first:last + 1]
    few *= np.exp(-2j * np.pi * centre * step * np.arange(first, last + 1) / RATE)
    sharp = _low_pass(half_width + PASS, half_width + STOP, FEWER)
    filtered = signal.oaconvolve(few, sharp, "valid")
    # No remaining frame depends on samples before SETTLED.
    settled = int(np.ceil(SETTLED * FEWER))
    middle = step * (first + settled + len(sharp) // 2) - len(rough) // 2
    return filtered[settled::FEWER // SLOW], middle / RATE


def _solve(parameters, times, slow):
    """The best amplitudes for these frequencies and decays, and the residual."""
    offsets, rates = np.split(parameters, 2)
    basis = np.exp((2j * np.pi * offsets - rates) * times[:, None])
    amplitudes = np.linalg.lstsq(basis, slow, rcond=None)[0]
    return amplitudes, slow - basis @ amplitudes


def fit(takes, guesses):
    """Frequency, T60 and level of each partial as they are in TAKES (arrays of samples of one bell).

    GUESSES are (frequency, T60) of every partial in the sound; the fit only starts from them. Returns a row
    (frequency, T60, amplitude at the blow in each take) for each of them.
    """
    found = np.zeros((len(guesses), 2 + len(takes)))
    frequencies, t60s = np.array(guesses).T
    for group in groups(frequencies):
        centre = (frequencies[group].min() + frequencies[group].max()) / 2
        bands = [_mixed_down(take, centre, np.ptp(frequencies[group]) / 2) for take in takes]
        start = bands[0][1]
        # Fit for as long as the longest partial stands above the last bit of a sample.
        length = int(min(min(len(band) for band, _ in bands), SLOW * max(1.0, 0.9 * t60s[group].max())))
        slow = np.array([band[:length] for band, _ in bands]).T
        times = np.arange(length) / SLOW

        def left_over(parameters):
            rest = _solve(parameters, times, slow)[1].ravel()
            return np.concatenate([rest.real, rest.imag]) / np.abs(slow).max()

        guess = np.concatenate([frequencies[group] - centre, np.log(1000) / t60s[group]])
        best = optimize.least_squares(left_over, guess, x_scale=np.maximum(np.abs(guess), 0.1) * 0.1, xtol=1e-12, ftol=1e-12)
        offsets, rates = np.split(best.x, 2)
        amplitudes = np.abs(_solve(best.x, times, slow)[0]) * 2
        found[group, 0] = centre + offsets
        found[group, 1] = np.log(1000) / rates
        found[group, 2:] = amplitudes * np.exp(rates * start)[:, None]
    return found
