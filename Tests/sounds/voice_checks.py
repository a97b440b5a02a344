"""The quality targets of a voice pack. A check yields a sentence for each fault, and nothing if all is well."""

import functools
import itertools

import numpy as np
import soundfile

import sound_level
import timer_phrases
from sayings import as_heard, said
from voice_pack import CLOCKS, MINUTES, RATE, join

FADE = RATE * 5 // 1000
FLOOR = 10 ** (-60 / 20)
STEP = 10 ** (-40 / 20)


def formats(pack):
    for name, file in pack.files.items():
        info = soundfile.info(file)
        found = info.format, info.subtype, info.channels, info.samplerate
        if found != ("FLAC", "PCM_16", 1, RATE):
            yield f"{name} is {found}, not mono 16 bit FLAC at 48 kHz"


def silence(pack):
    for name, samples in pack.samples.items():
        before, after = sound_level.silence_at_ends(samples)
        if before > 15 or after > 40:
            yield f"{name} has {before:.1f} ms of silence before and {after:.1f} ms after, more than 15 and 40"


def fades(pack):
    """Within 5 ms of either end, a clip stays under a ramp from zero to its peak."""
    # A raised cosine is at most 1.38 times the straight line it replaces.
    ramp = np.minimum(1, 1.4 * np.arange(FADE) / FADE)
    for name, samples in pack.samples.items():
        bound = ramp * np.abs(samples).max() + FLOOR
        for end, piece in ("begins", samples[:FADE]), ("ends", samples[::-1][:FADE]):
            if np.any(np.abs(piece) > bound):
                yield f"{name} {end} without a fade of 5 ms"


def dc(pack):
    for name, samples in pack.samples.items():
        if abs(samples.mean()) >= 0.001:
            yield f"{name} has {100 * samples.mean():.2f} % of DC"


def true_peaks(pack):
    for name, samples in pack.samples.items():
        peak = sound_level.true_peak(samples)
        if peak > -1:
            yield f"{name} peaks at {peak:.1f} dBTP"


def clip_loudness(pack):
    loudness = {name: sound_level.maximum_momentary(samples) for name, samples in pack.samples.items()}
    middle = (min(loudness.values()) + max(loudness.values())) / 2
    for name, lufs in loudness.items():
        if abs(lufs - middle) > 1:
            yield f"{name} is at {lufs:.1f} LUFS, more than 1 LU from {middle:.1f}"


def clips_of_all_minutes(pack):
    """Every minute has its clips in both clocks and in each style, and they say that time and nothing else."""
    for clock in pack.wordings:
        for hour, minute in MINUTES:
            names = pack.clips_of(clock, hour, minute)
            lost = [name for name in names if name not in pack.files or name not in pack.texts]
            if lost:
                yield f"{hour:02}:{minute:02} needs {lost[0]}, which is not there"
            elif as_heard(" ".join(pack.texts[name] for name in names)) != said(clock, hour, minute):
                yield f"{hour:02}:{minute:02} reads {' '.join(pack.texts[name] for name in names)!r}"


def clips_of_all_timers(pack):
    """Every phrase of timers and intervals has its clips, which say it and nothing else."""
    for phrase in timer_phrases.ENGLISH:
        names = pack.clips_of_timer(*phrase)
        lost = [name for name in names if name not in pack.files or name not in pack.texts]
        if lost:
            yield f"{timer_phrases.said(phrase)!r} needs {lost[0]}, which is not there"
        elif as_heard(" ".join(pack.texts[name] for name in names)) != timer_phrases.said(phrase):
            yield f"{timer_phrases.said(phrase)!r} reads {' '.join(pack.texts[name] for name in names)!r}"


def _chains(pack):
    """The clip names of every phrase that the pack can say."""
    yield from (opening + pack.clips_of(clock, *time)
                for clock in pack.wordings for time in MINUTES for opening in ([], pack.opening))
    yield from (pack.clips_of_timer(*phrase) for phrase in timer_phrases.ENGLISH)


def unused(pack):
    needed = {name for names in _chains(pack) for name in names}
    for name in sorted((pack.files.keys() | pack.texts.keys()) - needed):
        yield f"{name} is never spoken"


def texts(pack):
    for name in sorted(pack.files.keys() ^ pack.texts.keys()):
        yield f"{name} is either a file without a text or a text without a file"


def phrases(pack, minutes, wordings=None):
    """Yields each phrase once: in the natural style, many times share a phrase."""
    known = set()
    for clock in wordings or pack.wordings:
        for hour, minute in minutes:
            names = tuple(pack.clips_of(clock, hour, minute))
            if names not in known:
                known.add(names)
                yield f"{hour:02}:{minute:02} of clock {clock}", *pack.joined(clock, hour, minute)


def phrase_levels(pack):
    for time, samples, _ in phrases(pack, MINUTES):
        lufs = sound_level.integrated(samples)
        if abs(lufs + 20) > 1:
            yield f"{time} is at {lufs:.1f} LUFS"


def timers(pack, phrases):
    for phrase in phrases:
        samples, joins = pack.joined_timer(phrase)
        yield timer_phrases.said(phrase), samples, joins


def timer_levels(pack):
    """The loudness of timer phrases. Single words are left out: they are clips, too short for this measure.

    A phrase of short words only, as "two hours left", comes out louder than its clips.
    """
    chains = [phrase for phrase in timer_phrases.ENGLISH if phrase not in timer_phrases.WORDS]
    for phrase, samples, _ in timers(pack, chains):
        lufs = sound_level.integrated(samples)
        if abs(lufs + 20) > 1.25:
            yield f"{phrase} is at {lufs:.1f} LUFS"


def timer_lengths(pack):
    """A timer phrase is as long as a sentence with its number of words."""
    for phrase, samples, _ in timers(pack, timer_phrases.ENGLISH):
        seconds, words = len(samples) / RATE, len(phrase.split())
        if not 0.2 * words < seconds < 0.35 + 0.5 * words:
            yield f"{phrase} takes {seconds:.2f} s"


def phrase_peaks(pack):
    quarters = phrases(pack, [(hour, minute) for hour, minute in MINUTES if minute % 15 == 0])
    for time, samples, _ in itertools.chain(quarters, timers(pack, [*timer_phrases.SAMPLE, ("untrusted",)])):
        peak = sound_level.true_peak(samples)
        if peak > -1:
            yield f"{time} peaks at {peak:.1f} dBTP"


def joins(pack):
    """No join steps. A step is a difference between two frames that neither clip has by itself."""
    for first, second in sorted(_neighbours(pack)):
        head, tail = pack.samples[second], pack.samples[first]
        joined, (start,) = join([tail, head], pack.crossfade)
        frames = slice(start - 1, start + pack.crossfade + 1)
        moves = np.abs(np.diff(joined[frames]))
        # Edges are held, so that the end of a clip that breaks off does not count as its own movement.
        held = np.pad(tail, (0, len(joined) - len(tail)), "edge"), np.pad(head, (len(joined) - len(head), 0), "edge")
        allowed = sum(np.abs(np.diff(piece[frames])) for piece in held)
        if np.any(moves - allowed > STEP):
            yield f"{first} to {second} steps by more than -40 dBFS"


@functools.lru_cache(maxsize=4)
def _neighbours(pack):
    return {pair for names in _chains(pack) for pair in zip(names, names[1:])}


def lengths(pack):
    """The clips flow into each other: no phrase takes longer than a whole sentence would."""
    for time, samples, _ in phrases(pack, MINUTES, CLOCKS):
        seconds = len(samples) / RATE
        if not 0.6 < seconds < 2.1:
            yield f"{time} takes {seconds:.2f} s"
    # The other styles have short and long phrases, so the limits depend on the number of words.
    for clock in pack.wordings[len(CLOCKS):]:
        for hour, minute in MINUTES:
            seconds, words = len(pack.joined(clock, hour, minute)[0]) / RATE, len(said(clock, hour, minute).split())
            if not 0.18 * words < seconds < 0.35 + 0.5 * words:
                yield f"{hour:02}:{minute:02} of clock {clock} takes {seconds:.2f} s"
