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
# Frames per second that are left of a group.
SLOW = 400


def groups(frequencies):
    """Indices of partials in groups, none of which is near another."""
    order = np.argsort(frequencies)
    splits = np.flatnonzero(np.diff(np.asarray(frequencies)[order]) > NEAR) + 1
    return np.split(order, splits)


def _mixed_down(samples, centre, half_width):
    """The band around CENTRE as a slow complex signal; the time of its first frame."""
    taps, beta = signal.kaiserord(96, (STOP - PASS) / (RATE / 2))
    taps |= 1
    low_pass = signal.firwin(taps, half_width + (PASS + STOP) / 2, window=("kaiser", beta), fs=RATE)
    turned = samples * np.exp(-2j * np.pi * centre * np.arange(len(samples)) / RATE)
    filtered = signal.oaconvolve(turned, low_pass, "valid")
    # What is left holds no frame that has seen the time before SETTLED.
    first = int(SETTLED * RATE)
    return filtered[first::RATE // SLOW], (first + taps // 2) / RATE


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
