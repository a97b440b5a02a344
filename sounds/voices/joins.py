"""Chooses the cut of each clip that meets its neighbours best, as in unit selection."""

import numpy as np
from scipy import signal

from cutting import CROSSFADE_MILLISECONDS, fades, samples_in

CLIP_DB = -20
# Softer sounds count as silence beside the clips.
FLOOR_DB = -65
# The centres of bands in Hz, a third of an octave apart, as the ear separates them.
BANDS = 100 * 2 ** (np.arange(21) / 3)
# How far from a clip's end its pitch is sought. Further in, an unvoiced sound separates it from the neighbour.
PITCH_REACH_MILLISECONDS = 70
LOWEST_HERTZ, HIGHEST_HERTZ = 100, 400
# A semitone counts as much as this many decibels in all bands.
SEMITONE_DB = 0.5
MOST_SEMITONES = 8


def spectrum(samples, rate):
    """The level of each band, in dB."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), rate // 25)) ** 2 / len(samples) ** 2
    hertz = np.fft.rfftfreq(rate // 25, 1 / rate)
    edges = np.searchsorted(hertz, [*(BANDS / 2 ** (1 / 6)), BANDS[-1] * 2 ** (1 / 6)])
    # An engine with a rate of 16 kHz has nothing in the highest bands.
    edges = np.minimum(edges, len(power) - 1)
    return np.maximum(10 * np.log10(np.add.reduceat(power, edges)[:-1] + 1e-12), FLOOR_DB)


def pitch(samples, rate):
    """The pitch in semitones over 1 Hz, by autocorrelation; NaN if there is no voice."""
    likeness = signal.correlate(samples, samples)[len(samples) - 1:] / np.linspace(1, 1e-9, len(samples))
    shortest, longest = rate // HIGHEST_HERTZ, rate // LOWEST_HERTZ
    among = likeness[shortest:longest]
    # Two and three periods are nearly as alike as one, so take the first peak.
    first = np.argmax(among > 0.9 * among.max())
    lag = shortest + first + np.argmax(among[first:first + shortest // 2])
    return 12 * np.log2(rate / lag) if likeness[lag] > 0.7 * likeness[0] > 1e-4 else np.nan


def pitch_at_end(clip, rate):
    """The pitch nearest to the end of a clip; NaN if none is in reach."""
    length, step = samples_in(25, rate), samples_in(5, rate)
    for back in range(0, samples_in(PITCH_REACH_MILLISECONDS, rate), step):
        found = pitch(clip[max(0, len(clip) - back - length):len(clip) - back], rate)
        if np.isfinite(found):
            return found
    return np.nan


def edges(take):
    """The values compared at a join: spectrum and pitch at the beginning, spectrum and pitch at the end."""
    rate, overlap = take.rate, samples_in(CROSSFADE_MILLISECONDS, take.rate)
    clip = take.samples[take.start:take.end] * fades(take.end - take.start, rate)
    # The same mean power makes clips about as loud as levelling does.
    clip *= 10 ** (CLIP_DB / 20) / np.sqrt((clip ** 2).mean())
    voice = signal.sosfiltfilt(signal.butter(4, 900, fs=rate, output="sos"), clip)
    return (spectrum(clip[:overlap], rate), pitch_at_end(voice[::-1], rate),
            spectrum(clip[-overlap:], rate), pitch_at_end(voice, rate))


def difference(ends, starts):
    """How badly each of ENDS meets each of STARTS, in dB: a row for each end.

    The two sounds in a crossfade should be alike in spectrum, pitch and level.
    """
    left, right = (np.array([side[of] for side in sides]) for sides, of in ((ends, 2), (starts, 0)))
    spectra = np.abs(left[:, None] - right[None]).mean(axis=2)
    left, right = (np.array([side[of] for side in sides]) for sides, of in ((ends, 3), (starts, 1)))
    steps = np.nan_to_num(np.abs(left[:, None] - right[None]), nan=0)
    return spectra + SEMITONE_DB * np.minimum(steps, MOST_SEMITONES)


def smoothest(candidates, pairs):
    """The best candidate of each clip, {name: index}, and the mean difference at all joins.

    CANDIDATES are {name: [edges]}, PAIRS {(first, second): how often they meet}. Each clip in turn takes the candidate
    that meets its neighbours best, until none changes, in at most 50 rounds.
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
                # If the other has not chosen yet, take the mean over its candidates.
                total += cost.mean(axis=1) if chosen[other] is None else cost[:, chosen[other]]
            chosen[name] = int(np.argmin(total))
        if chosen == before:
            break
    total = sum(cost[chosen[first], chosen[second]] for (first, second), cost in costs.items())
    return chosen, total / sum(pairs.values())
