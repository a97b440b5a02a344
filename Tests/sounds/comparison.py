#!/usr/bin/python3
"""Compares the voices that ship by how well they are understood and how they sound: a table in sounds/voices/README.md.

In quiet a recogniser finds no difference between them, so this also puts them into noise and into a hall. With names
of voices as arguments, it compares only those. CLOCKSMITH_ALL_MINUTES=1 also counts the minutes that are recognised.
"""

import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
from scipy import signal  # noqa: E402

import naturalness  # noqa: E402
import recognition  # noqa: E402
import sound_level  # noqa: E402
from sayings import said  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, Pack, shipped_packs  # noqa: E402

TIMES = [(hour, minute) for hour, minute in MINUTES if minute % 15 == 0]


def in_noise(samples, seed, softer):
    """The samples with pink noise over and around them, which is SOFTER than they by so many LU."""
    samples = np.pad(samples, RATE // 4)
    white = np.fft.rfft(np.random.default_rng(seed).normal(size=len(samples)))
    pink = np.fft.irfft(white / np.sqrt(np.arange(len(white)) + 1), len(samples))
    gain = sound_level.integrated(samples) - softer - sound_level.integrated(pink)
    return samples + 10 ** (gain / 20) * pink


def in_hall(samples, seed, seconds):
    """The samples from afar in a hall: its echoes are as loud as the voice and fall by 60 dB in so many SECONDS."""
    times = np.arange(round(RATE * seconds)) / RATE
    response = np.random.default_rng(seed).normal(size=len(times)) * 10 ** (-3 * times / seconds)
    response /= np.linalg.norm(response)
    response[0] += 1
    return signal.fftconvolve(samples, response) / 2


PLACES = {
    "in quiet": lambda samples, seed: samples,
    "in noise 20 LU softer": lambda samples, seed: in_noise(samples, seed, 20),
    "in noise 10 LU softer": lambda samples, seed: in_noise(samples, seed, 10),
    "in a hall, 1 s": lambda samples, seed: in_hall(samples, seed, 1),
}


def recognised(pack, clock, times, place):
    """How many of TIMES are recognised in a place. Every voice gets the same noise."""
    recordings = {time: place(pack.joined(clock, *time)[0], seed) for seed, time in enumerate(times)}
    with tempfile.TemporaryDirectory() as scratch:
        heard = recognition.recognise(recordings, clock, scratch)
    return sum(heard[time] == said(clock, *time) for time in times)


def understood(pack, place):
    """The share of TIMES that is recognised, over both clocks."""
    return sum(recognised(pack, clock, TIMES, place) for clock in CLOCKS) / len(TIMES) / len(CLOCKS)


def opinions(pack):
    """The mean opinion of the quarters as chained clips, and as whole sentences of the pack's engine."""
    reason = naturalness.missing()
    if not reason and pack.name == "heart" and not importlib.util.find_spec("hibari"):
        reason = "hibari is missing: pip install hibari-tts onnx"
    listener = None if reason else naturalness.Listener()
    for clock in CLOCKS:
        what = f"opinion of 96 quarters, {clock} h, chained and whole"
        yield what, f"skipped: {reason}" if reason else "{:.2f} and {:.2f}".format(
            *naturalness.of_quarters(pack, clock, listener))


def pitches(samples):
    """The pitch every 5 ms in semitones over 1 Hz, by autocorrelation; NaN where there is no voice."""
    low = signal.sosfiltfilt(signal.butter(4, 900, fs=RATE, output="sos"), samples)
    length, shortest, longest = RATE * 40 // 1000, RATE // 350, RATE // 60
    found = []
    for start in range(0, len(low) - length, RATE // 200):
        frame = low[start:start + length]
        likeness = signal.fftconvolve(frame, frame[::-1])[length - 1:] / np.linspace(1, 1e-9, length)
        lag = shortest + np.argmax(likeness[shortest:longest])
        voiced = np.sqrt((frame ** 2).mean()) > 0.03 * np.abs(low).max() and likeness[lag] > 0.7 * likeness[0]
        found.append(12 * np.log2(RATE / lag) if voiced else np.nan)
    return np.array(found)


def melody(pack):
    """The phrases' median pitch in Hz; in semitones its range, and the median and 95th percentile of its steps at
    joins."""
    everywhere, steps = [], []
    for time in TIMES:
        samples, joins = pack.joined(12, *time)
        found = pitches(samples)
        everywhere.extend(found[np.isfinite(found)])
        for join in joins:
            # The frame of the pitch whose middle is that of the crossfade.
            middle = (join + pack.crossfade // 2 - RATE * 20 // 1000) // (RATE // 200)
            before, after = (part[np.isfinite(part)] for part in (found[:middle], found[middle:]))
            steps.append(abs(after[0] - before[-1]))
    low, middle, high = np.percentile(everywhere, [5, 50, 95])
    return 2 ** (middle / 12), high - low, np.median(steps), np.percentile(steps, 95)


def figures(pack):
    yield from opinions(pack)
    for clock in CLOCKS:
        all_minutes = "skipped: set CLOCKSMITH_ALL_MINUTES=1"
        if os.environ.get("CLOCKSMITH_ALL_MINUTES"):
            all_minutes = f"{recognised(pack, clock, MINUTES, PLACES['in quiet']):,} of 1,440"
        yield f"minutes recognised, {clock} h", all_minutes
    for where, place in PLACES.items():
        yield f"understood {where}", f"{understood(pack, place):.1%}"
    yield "bandwidth", f"{sound_level.bandwidth(np.concatenate([*pack.samples.values()])) / 1000:.1f} kHz"
    hertz, moves, usual, largest = melody(pack)
    yield "pitch, and how far it moves", f"{hertz:.0f} Hz, {moves:.1f} semitones"
    yield "step of pitch at a join, the middle one and 95 % of them", f"{usual:.1f} and {largest:.1f} semitones"


packs = [Pack(folder) for folder in shipped_packs() if folder.name in sys.argv[1:] or not sys.argv[1:]]
print(f"| what | {' | '.join(pack.name for pack in packs)} |\n|---|{'---|' * len(packs)}")
for row in zip(*map(figures, packs)):
    print(f"| {row[0][0]} | {' | '.join(figure for _, figure in row)} |")
