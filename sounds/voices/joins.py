"""Choosing which cut of each clip meets its neighbours best, as unit selection does."""

import numpy as np
from scipy import signal

from cutting import CROSSFADE_MILLISECONDS, fades, samples_in

CLIP_DB = -20
# Sounds softer than this are not told from silence beside the clips.
FLOOR_DB = -65
# Bands a third of an octave apart, as the ear parts them.
BANDS = 100 * 2 ** (np.arange(21) / 3)
# How far from its end a clip's pitch may be found; beyond, an unvoiced sound parts it from the next.
PITCH_REACH_MILLISECONDS = 70
LOWEST_HERTZ, HIGHEST_HERTZ = 100, 400
# A semitone is as bad as so many decibels in all bands.
SEMITONE_DB = 0.5
MOST_SEMITONES = 8


def spectrum(samples, rate):
    """The level of each band, in dB."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), rate // 25)) ** 2 / len(samples) ** 2
    hertz = np.fft.rfftfreq(rate // 25, 1 / rate)
    edges = np.searchsorted(hertz, [*(BANDS / 2 ** (1 / 6)), BANDS[-1] * 2 ** (1 / 6)])
    # An engine of 16 kHz has nothing in the highest bands.
    edges = np.minimum(edges, len(power) - 1)
    return np.maximum(10 * np.log10(np.add.reduceat(power, edges)[:-1] + 1e-12), FLOOR_DB)


def pitch(samples, rate):
    """In semitones over 1 Hz, by autocorrelation; not a number where there is no voice."""
    likeness = signal.correlate(samples, samples)[len(samples) - 1:] / np.linspace(1, 1e-9, len(samples))
    shortest, longest = rate // HIGHEST_HERTZ, rate // LOWEST_HERTZ
    among = likeness[shortest:longest]
    # Twice the period is nearly as alike, and so is thrice.
    first = np.argmax(among > 0.9 * among.max())
    lag = shortest + first + np.argmax(among[first:first + shortest // 2])
    return 12 * np.log2(rate / lag) if likeness[lag] > 0.7 * likeness[0] > 1e-4 else np.nan


def pitch_at_end(clip, rate):
    """The pitch nearest to the end of a clip."""
    length, step = samples_in(25, rate), samples_in(5, rate)
    for back in range(0, samples_in(PITCH_REACH_MILLISECONDS, rate), step):
        found = pitch(clip[max(0, len(clip) - back - length):len(clip) - back], rate)
        if np.isfinite(found):
            return found
    return np.nan


def edges(take):
    """What is compared at a join: spectrum and pitch at the beginning, spectrum and pitch at the end."""
    rate, overlap = take.rate, samples_in(CROSSFADE_MILLISECONDS, take.rate)
    clip = take.samples[take.start:take.end] * fades(take.end - take.start, rate)
    # Clips of the same mean power are about as loud as levelled ones.
    clip *= 10 ** (CLIP_DB / 20) / np.sqrt((clip ** 2).mean())
    voice = signal.sosfiltfilt(signal.butter(4, 900, fs=rate, output="sos"), clip)
    return (spectrum(clip[:overlap], rate), pitch_at_end(voice[::-1], rate),
            spectrum(clip[-overlap:], rate), pitch_at_end(voice, rate))


def difference(ends, starts):
    """How badly each of ENDS meets each of STARTS, in dB: a row for each end.

    What lies over each other in the crossfade should be one sound at one pitch and one level.
    """
    left, right = (np.array([side[of] for side in sides]) for sides, of in ((ends, 2), (starts, 0)))
    spectra = np.abs(left[:, None] - right[None]).mean(axis=2)
    left, right = (np.array([side[of] for side in sides]) for sides, of in ((ends, 3), (starts, 1)))
    steps = np.nan_to_num(np.abs(left[:, None] - right[None]), nan=0)
    return spectra + SEMITONE_DB * np.minimum(steps, MOST_SEMITONES)


def smoothest(candidates, pairs):
    """Which candidate of each clip to take: {name: index}, and the mean difference at all joins.

    CANDIDATES are {name: [edges]}, PAIRS {(first, second): how often they meet}. Each clip in turn takes the candidate
    that meets its neighbours best, until none changes.
    """
    costs = {pair: weight * difference(candidates[pair[0]], candidates[pair[1]]) for pair, weight in pairs.items()}
    beside = {name: [] for name in candidates}
    for (first, second), cost in costs.items():
        beside[first].append((second, cost))
        beside[second].append((first, cost.T))
    chosen = {name: None for name in candidates}
    for _ in range(50):
        before = dict(chosen)
        for name, neighbours in beside.items():
            total = np.zeros(len(candidates[name]))
            for other, cost in neighbours:
                # Where the other has not chosen yet, it may be any.
                total += cost.mean(axis=1) if chosen[other] is None else cost[:, chosen[other]]
            chosen[name] = int(np.argmin(total))
        if chosen == before:
            break
    total = sum(cost[chosen[first], chosen[second]] for (first, second), cost in costs.items())
    return chosen, total / sum(pairs.values())
