"""What rings in a recording of a bell: frequency, T60 and level of each partial, by least squares.

Knows nothing of how a blow is synthesised: a group of partials near each other is mixed down to
0 Hz, filtered, and damped exponentials are fitted to what is left, to all takes of a bell at once.
"""

import numpy as np
from scipy import optimize, signal

RATE = 48000
# Partials nearer to each other than this are fitted together, Hz.
NEAR = 30
# The filter lets through what is within PASS Hz of a group, and nothing past STOP Hz of it.
PASS, STOP = 8, 22
# The hammer's noise and the room have died away by then, seconds.
SETTLED = 0.75
# Frames per second on the way to a group, and those that are left of it.
FEWER, SLOW = 2400, 400


def groups(frequencies):
    """Indices of partials in groups, none of which is near another."""
    order = np.argsort(frequencies)
    splits = np.flatnonzero(np.diff(np.asarray(frequencies)[order]) > NEAR) + 1
    return np.split(order, splits)


def _low_pass(last, stop, rate):
    """A filter of an odd number of taps that keeps what is up to LAST Hz and takes what is from STOP Hz on."""
    taps, beta = signal.kaiserord(96, (stop - last) / (rate / 2))
    return signal.firwin(taps | 1, (last + stop) / 2, window=("kaiser", beta), fs=rate)


def _mixed_down(samples, centre, half_width):
    """The band around CENTRE as a slow complex signal; the time of its first frame."""
    # Roughly at first, to a rate at which the sharp filter is short.
    step = RATE // FEWER
    rough = _low_pass(half_width + STOP, FEWER - half_width - STOP, RATE)
    turned = rough * np.exp(2j * np.pi * centre * np.arange(len(rough)) / RATE)
    first = -(-(len(rough) - 1) // step)
    last = (len(samples) - 1) // step
    few = signal.upfirdn(turned, samples, down=step)[first:last + 1]
    few *= np.exp(-2j * np.pi * centre * step * np.arange(first, last + 1) / RATE)
    sharp = _low_pass(half_width + PASS, half_width + STOP, FEWER)
    filtered = signal.oaconvolve(few, sharp, "valid")
    # What is left holds no frame that has seen the time before SETTLED.
    settled = int(np.ceil(SETTLED * FEWER))
    middle = step * (first + settled + len(sharp) // 2) - len(rough) // 2
    return filtered[settled::FEWER // SLOW], middle / RATE


def _solve(parameters, times, slow):
    """The best amplitudes for these frequencies and decays; and what they leave over."""
    offsets, rates = np.split(parameters, 2)
    basis = np.exp((2j * np.pi * offsets - rates) * times[:, None])
    amplitudes = np.linalg.lstsq(basis, slow, rcond=None)[0]
    return amplitudes, slow - basis @ amplitudes


def fit(takes, guesses):
    """Frequency, T60 and level of each partial as they are in TAKES (arrays of samples of one bell).

    GUESSES are (frequency, T60) of every partial that there is; where the fit begins, and no more. Returns a row
    (frequency, T60, amplitude at the blow in each take) for each of them.
    """
    found = np.zeros((len(guesses), 2 + len(takes)))
    frequencies, t60s = np.array(guesses).T
    for group in groups(frequencies):
        centre = (frequencies[group].min() + frequencies[group].max()) / 2
        bands = [_mixed_down(take, centre, np.ptp(frequencies[group]) / 2) for take in takes]
        start = bands[0][1]
        # As long as the longest of them can be told from the last bit of a sample.
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
