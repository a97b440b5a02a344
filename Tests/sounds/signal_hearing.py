"""Measures how an ear would tell the signals apart: by their notes, and by the colour of their beginning."""

import numpy as np
from scipy import signal

import sound_level
from sound_level import RATE, decibels

# The range of the signals' notes, Hz.
LOWEST, HIGHEST = 420, 3000
# The seconds from the start that count for the colour: an ear has to know the signal by then.
MOMENT = 0.4
# The tonic in Hz: the bell E5.
TONIC = 681.06
NAMES = ["E", "F", "F#", "G", "G#", "A", "A#", "B", "C", "C#", "D", "D#"]


# MARK: Notes


def note_name(hertz):
    """The note's name in scientific pitch: octaves are counted from C."""
    semitones = round(12 * np.log2(hertz / TONIC))
    return f"{NAMES[semitones % 12]}{5 + (semitones + 4) // 12}"


def semitones(note):
    """The semitones above C0 of a name in scientific pitch."""
    names = NAMES[8:] + NAMES[:8]
    return 12 * int(note[-1]) + names.index(note[:-1])


def spectra(samples, seconds=0.032, hop=0.002):
    """The magnitudes of windows a hop apart, the first centred on the first frame, and their frequencies in Hz."""
    size, step = round(seconds * RATE), round(hop * RATE)
    padded = np.concatenate([np.zeros(size // 2), samples, np.zeros(size)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)[:len(samples):step]
    return np.abs(np.fft.rfft(windows * np.hanning(size), 4 * size)), np.fft.rfftfreq(4 * size, 1 / RATE)


def heard_notes(samples, hop=0.004):
    """(seconds, name) of each note's beginning: where the spectrum grows, the pitch that grows most."""
    magnitudes, hertz = spectra(samples, hop=hop)
    band = (hertz >= LOWEST) & (hertz <= HIGHEST)
    magnitudes, hertz = magnitudes[:, band], hertz[band]
    apart = round(0.02 / hop)
    before = np.concatenate([np.zeros((apart, magnitudes.shape[1])), magnitudes])[:len(magnitudes)]
    growth = np.maximum(magnitudes - before, 0)
    novelty = growth.sum(axis=1)
    found, _ = signal.find_peaks(np.concatenate([[0], novelty, [0]]), height=0.3 * novelty.max(), distance=round(0.05 / hop))
    return [(max((frame - 1) * hop - 0.01, 0), note_name(hertz[np.argmax(growth[frame - 1])])) for frame in found]


def melody(samples):
    return [name for _, name in heard_notes(samples)]


def melody_distance(one, other):
    """An extra or missing note counts 1; a wrong note counts 1 for each major third between the two, at most 2."""
    costs = np.arange(len(other) + 1.0)
    for note in one:
        previous, costs = costs, np.concatenate([[costs[0] + 1], np.zeros(len(other))])
        for index, rival in enumerate(other):
            instead = min(abs(semitones(note) - semitones(rival)) / 4, 2)
            costs[index + 1] = min(previous[index] + instead, previous[index + 1] + 1, costs[index] + 1)
    return float(costs[-1])


# MARK: Colour


def mel(hertz):
    return 2595 * np.log10(1 + hertz / 700)


def mel_bands(hertz, count=32, lowest=300, highest=8000):
    """Weights of triangular bands of equal width in mel."""
    corners = np.linspace(mel(lowest), mel(highest), count + 2)
    position = mel(hertz)
    return np.array([np.clip(np.minimum((position - low) / (middle - low), (high - position) / (high - middle)), 0, None)
                     for low, middle, high in zip(corners, corners[1:], corners[2:])])


def colour(samples, floor=24):
    """The bands' levels every 10 ms of the first MOMENT, in dB above a floor that lies FLOOR dB below the loudest. So
    the overall loudness makes no difference."""
    moment = np.zeros(round(MOMENT * RATE))
    moment[:min(len(samples), len(moment))] = samples[:len(moment)]
    magnitudes, hertz = spectra(moment, hop=0.01)
    levels = decibels(np.sqrt(magnitudes ** 2 @ mel_bands(hertz).T))
    return np.maximum(levels - levels.max() + floor, 0)


def colour_distance(one, other, slack=3):
    """The RMS difference in dB over all bands and times, at the best shift of up to 30 ms (3 hops)."""
    def off(shift):
        first, second = one[max(shift, 0):len(one) + min(shift, 0)], other[max(-shift, 0):len(other) + min(-shift, 0)]
        return np.sqrt(np.mean((first - second) ** 2))
    return float(min(off(shift) for shift in range(-slack, slack + 1)))


# MARK: What disturbs


def small_speaker(samples):
    return signal.sosfilt(signal.butter(4, 300, "highpass", fs=RATE, output="sos"), samples)


def pink_noise(frames, seed):
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(frames))
    return np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + 1), frames)


def at_level(samples, lufs):
    return samples * 10 ** ((lufs - sound_level.integrated(samples)) / 20)
