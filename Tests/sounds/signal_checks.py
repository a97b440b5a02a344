"""The targets for the signals. A check yields a sentence for each fault, and nothing if all is well."""

import functools
import itertools
import pathlib

import numpy as np
import soundfile
from scipy import signal

import signal_hearing as hearing
import sound_level
from sound_level import RATE, decibels
from voice_pack import VOICES, Pack

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "sounds" / "signals"
# LUFS of the loudest 400 ms, or of a shorter signal as a whole; "count" (3-2-1) is softer by COUNT_BELOW.
COMMON_LEVEL, COUNT_BELOW = -20.0, 6.0
# How much softer other sounds play under a signal, in dB.
DUCKED = 12.0
# The least difference between two signals, in dB of colour and in notes.
COLOUR_MARGIN, MELODY_MARGIN = 3.0, 2.0
# The most distance of a disturbed signal from itself, as a share of its distance to the nearest other signal.
KNOWN = 0.8


def shipped():
    """The samples of each signal; full scale is 1."""
    return {file.stem: soundfile.read(file)[0] for file in sorted(FOLDER.glob("*.flac"))}


# MARK: Each by itself


def beginning(name, samples):
    if abs(samples[0]) > 0.001:
        yield f"{name} begins with a step to {samples[0]:.3f}"
    onset, near = samples[:RATE // 200], samples[:RATE // 20]
    late = decibels(np.abs(onset).max() / np.abs(near).max())
    if not late > -6:
        yield f"{name} is {-late:.0f} dB under its first peak 5 ms after its cue"
    # Energy far above the highest partial is a click.
    click = signal.sosfilt(signal.butter(8, 10000, "highpass", fs=RATE, output="sos"), onset)
    share = 10 * np.log10(max(np.sum(click ** 2), 1e-20) / max(np.sum(onset ** 2), 1e-20))
    if share > -40:
        yield f"{name} clicks: {share:.0f} dB of its onset are over 10 kHz"


def ending(name, samples):
    rest = np.abs(samples[-RATE // 200:]).max()
    if rest > 0.002 or samples[-1] != 0:
        yield f"{name} ends at {decibels(rest):.0f} dBFS"
    if abs(samples.mean()) > 0.001:
        yield f"{name} has DC"


def loudness(samples):
    """LUFS of the loudest 400 ms, or of the whole sound if it is shorter."""
    if len(samples) >= sound_level.BLOCK:
        return sound_level.maximum_momentary(samples)
    return sound_level.maximum_momentary(samples) + 10 * np.log10(sound_level.BLOCK / len(samples))


def level(name, samples):
    wanted = COMMON_LEVEL - (COUNT_BELOW if name == "count" else 0)
    lufs, peak = loudness(samples), sound_level.true_peak(samples)
    if abs(lufs - wanted) > 1:
        yield f"{name} is at {lufs:.1f} LUFS, not {wanted} LUFS"
    if peak > -1:
        yield f"{name} peaks at {peak:.1f} dBTP"


# MARK: One from another


def references(sounds):
    """The (colour, melody) of each signal, by name."""
    return {name: (hearing.colour(samples), hearing.melody(samples)) for name, samples in sounds.items()}


def apart(known_by):
    """Every pair of signals differs by a margin, both in colour and in notes."""
    for one, other in itertools.combinations(known_by, 2):
        colour = hearing.colour_distance(known_by[one][0], known_by[other][0])
        if colour < COLOUR_MARGIN:
            yield f"{one} and {other} differ by {colour:.1f} dB of colour"
        melody = hearing.melody_distance(known_by[one][1], known_by[other][1])
        if melody < MELODY_MARGIN:
            yield f"{one} and {other} differ by {melody:.1f} notes"


@functools.cache
def speech(seed, frames):
    """Words of times, as loud as under a signal, starting at a random place in the first half second."""
    chance = np.random.default_rng(seed)
    files = Pack(VOICES / "slt").files
    clips = [files[name] for name in files
             if name in ("am", "pm", "oclock", "hundred") or name.startswith(("hour", "minute-"))]
    words = np.concatenate([soundfile.read(clips[chance.integers(len(clips))])[0] for _ in range(20)])
    return hearing.at_level(words[chance.integers(RATE // 2):][:frames], COMMON_LEVEL - DUCKED)


@functools.cache
def noise(seed, frames):
    return hearing.at_level(hearing.pink_noise(frames, seed), COMMON_LEVEL - DUCKED)


def alone(seed, frames):
    return np.zeros(frames)


def disturbed(samples, under, speaker, seed):
    """A signal with UNDER playing at the same time, as heard through SPEAKER."""
    heard = under(seed, 3 * RATE).copy()
    heard[:len(samples)] += samples
    return speaker(heard)


def distances(heard, known_by):
    """The distances in dB of colour from the heard sound to each undisturbed signal."""
    colour = hearing.colour(heard)
    return {name: hearing.colour_distance(colour, reference) for name, (reference, _) in known_by.items()}


def to_itself_and_nearest(name, found):
    """The distance to NAME, and the name and distance of the nearest other."""
    nearest = min((other for other in found if other != name), key=found.get)
    return found[name], nearest, found[nearest]


def known(name, heard, known_by):
    """The heard sound is clearly nearer to NAME than to every other signal: by the factor KNOWN."""
    itself, nearest, other = to_itself_and_nearest(name, distances(heard, known_by))
    if not itself < KNOWN * other:
        yield f"{name} is {itself:.1f} dB from itself and {other:.1f} dB from {nearest}"


def known_by_notes(name, heard, known_by):
    melody = hearing.melody(heard)
    found = {other: hearing.melody_distance(melody, reference) for other, (_, reference) in known_by.items()}
    itself, nearest, other = to_itself_and_nearest(name, found)
    if not itself < 0.5 * other:
        yield f"{name} plays {' '.join(melody)}: {itself:.1f} notes from itself, {other:.1f} from {nearest}"
