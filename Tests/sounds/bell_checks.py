"""The targets for the strikes. A check yields a sentence for each fault, and nothing if all is well."""

import numpy as np
import scipy.fft
import soundfile

import bell_partials
import bell_tunes
import sound_level
from sound_level import RATE, decibels

FADE_SECONDS = 2.5
FLOOR = 10 ** (-60 / 20)
# How far a blow may differ from the table, plus the error of the measurement, in dB.
SPREAD = 2.0 + 2.0


def is_masked(t60, level):
    """True if a partial cannot be told from the hammer's noise: in bells scaled to be small, some partials die as
    fast as the noise, or lie under it until they are gone."""
    return t60 < 1.6 or level - 60 / t60 < -58


def partials(bell, takes):
    """Every partial: frequency within 0.5 Hz, T60 within 15 %, and in every take its level within SPREAD."""
    heard = [take[:-int(FADE_SECONDS * RATE)] for take in takes]
    chance = np.random.default_rng(1)
    # The fit starts beside the table's figures, so it has to find the sound's own figures by itself.
    guesses = [(hertz + chance.uniform(-0.1, 0.1), t60 * chance.uniform(0.8, 1.25))
               for hertz, t60, _ in bell.partials]
    found = bell_partials.fit(heard, guesses)
    for (hertz, t60, level), (hertz_found, t60_found, *amplitudes) in zip(bell.partials, found, strict=True):
        if is_masked(t60, level):
            continue
        partial = f"{bell.name}: partial of {hertz:.2f} Hz"
        if abs(hertz_found - hertz) > 0.5:
            yield f"{partial} is at {hertz_found:.2f} Hz"
        if abs(t60_found / t60 - 1) > 0.15:
            yield f"{partial} has a T60 of {t60_found:.2f} s, not {t60:.2f} s"
        for take, amplitude in enumerate(amplitudes, 1):
            off = decibels(amplitude) - bell.level - level
            if not abs(off) <= SPREAD:
                yield f"{partial} is {off:+.1f} dB off its level in take {take}"


def level(samples, start, seconds):
    piece = samples[int(start * RATE):int((start + seconds) * RATE)]
    return decibels(np.sqrt(np.mean(piece ** 2)))


def formats(recordings):
    for file in sorted(recordings.folder.glob("*.flac")):
        info = soundfile.info(file)
        found = info.format, info.subtype, info.channels, info.samplerate
        if found != ("FLAC", "PCM_16", 1, RATE):
            yield f"{file.name} is {found}, not mono 16 bit FLAC at 48 kHz"


def ends(name, takes):
    for take, samples in enumerate(takes, 1):
        if max(abs(samples[0]), abs(samples[-1])) >= FLOOR:
            yield f"{name}, take {take} does not begin and end under -60 dBFS"
        # In the first and last millisecond no step between frames exceeds -34 dBFS.
        if max(np.abs(np.diff(samples[:48])).max(), np.abs(np.diff(samples[-48:])).max()) > 0.02:
            yield f"{name}, take {take} clicks"


def tails(bell, takes):
    """A strike is not cut off: it falls by 60 dB before it ends."""
    for take, samples in enumerate(takes, 1):
        last = np.abs(samples[-int(0.75 * RATE):]).max() / np.abs(samples).max()
        if last >= FLOOR:
            yield f"{bell.name}, take {take} ends {decibels(last):.1f} dB under its peak"
        if abs(samples.mean()) > 0.001:
            yield f"{bell.name}, take {take} has DC"


def tunes():
    """The notes of tunes, by name."""
    everything = {f"Westminster, {name}": bell_tunes.quarter(name) for name in bell_tunes.QUARTERS}
    everything |= {f"Westminster, {hour} o'clock": bell_tunes.westminster(hour) for hour in (1, 6, 12)}
    everything |= {f"hour bell, {hour}": bell_tunes.hour_bell(hour) for hour in (1, 2, 12)}
    everything |= {name: bell_tunes.ring(name) for name in bell_tunes.RINGS}
    everything |= {f"ship's bell, {strokes}": bell_tunes.ships_bell(strokes) for strokes in range(1, 9)}
    everything |= {f"cuckoo, {hour}": bell_tunes.cuckoo(hour) for hour in (1, 12)}
    everything["pips"] = bell_tunes.pips()
    return everything


def loudness(name, notes, samples):
    heard = bell_tunes.mixed(notes, samples)
    lufs, peak = sound_level.integrated(heard), sound_level.true_peak(heard)
    if abs(lufs + 20) > 1:
        yield f"{name} is at {lufs:.1f} LUFS"
    if peak > -1:
        yield f"{name} peaks at {peak:.1f} dBTP"


def strongest_hertz(samples):
    """The highest peak of the spectrum, between the lines of the FFT by a parabola through three of them."""
    size = 1 << 21
    spectrum = np.log(np.abs(scipy.fft.rfft(samples * np.hanning(len(samples)), size)) + 1e-12)
    line = int(np.argmax(spectrum))
    left, middle, right = spectrum[line - 1:line + 2]
    return (line + 0.5 * (left - right) / (left - 2 * middle + right)) * RATE / size


def pip(samples, seconds):
    sounding = np.flatnonzero(samples)
    if abs(len(samples) / RATE - seconds) > 1e-4 or sounding[0] > 8 or sounding[-1] < len(samples) - 9:
        yield f"it sounds from frame {sounding[0]} to {sounding[-1]} of {len(samples)}"
    if abs(strongest_hertz(samples) - 1000) > 0.5:
        yield f"it is at {strongest_hertz(samples):.1f} Hz"
    peak = np.abs(samples).max()
    cycles = [np.abs(samples[start:start + 24]).max() for start in range(0, 12 * 24, 24)]
    # Half a period of 1 kHz is 0.5 ms. The ramp ends with the first half period that reaches the peak.
    ramp = 0.5 * (1 + int(np.argmax(np.array(cycles) > 0.98 * peak)))
    if not 2 <= ramp <= 5:
        yield f"it rises in {ramp} ms"


def cuckoo(samples):
    for start, end, wanted in ((0.03, 0.2, 784), (0.4, 0.68, 659)):
        found = strongest_hertz(samples[int(start * RATE):int(end * RATE)])
        if abs(found - wanted) > 1:
            yield f"from {start} s on it is at {found:.1f} Hz, not {wanted} Hz"
    if level(samples, 0.28, 0.04) > level(samples, 0.1, 0.1) - 40:
        yield "its two notes are not apart"
