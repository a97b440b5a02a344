#!/usr/bin/python3
"""Make the German voice: sounds/voices/german.py [--into DIR]

Every clip is cut out of a sentence, as those of the English voices are; sounds/languages/README.md says how the words
are found in it. Pico does not tell when it speaks which of them.
"""

import argparse
import ctypes
import functools
import pathlib
import shutil
import sys
import tempfile

# Write no bytecode into the tree.
sys.dont_write_bytecode = True

from cutting import CROSSFADE_MILLISECONDS, RATE, cut, level, spread_peaks, take  # noqa: E402
from german_carriers import CONF, clips, neighbours  # noqa: E402
from joins import edges, smoothest  # noqa: E402

import numpy as np  # noqa: E402
import soundfile  # noqa: E402
from scipy import signal  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "languages" / "de"
PICO_RATE = 16000
# In per cent. At 100 some vowels clip. The second is lower, to find where the marked words are.
VOLUME, MARKED_VOLUME = 50, 25
# The most silence before and after a clip, in milliseconds.
SILENCE = 10, 20
# How many of a sample's 16 bits are kept; the others are zero, which FLAC does not store.
BITS = 14


class Pico:
    """SVOX Pico's German voice, with the members that cutting.take needs: speak, bounds and silence."""

    silence = SILENCE

    def __init__(self):
        try:
            from py_nanotts import NanoTTS
        except ImportError as missing:
            sys.exit(f"german.py: {missing}: pip install py-nanotts, and start german.py with that Python; "
                     "sounds/languages/README.md says how")
        # Pico reads memory that it has not written. Freshly mapped memory is always zero, so map large blocks.
        ctypes.CDLL(None).mallopt(-3, 128 * 1024)
        self.engine = NanoTTS()
        self.speak = functools.cache(self._speak)

    def say(self, *parts):
        """Speaks the parts of a sentence, (text, volume), as one sentence."""
        text = " ".join(f'<volume level="{volume}">{text}</volume>' for text, volume in parts if text) + "."
        return np.frombuffer(self.engine.speak(text, voice="de-DE"), np.int16) / 32768

    def _speak(self, text):
        """Returns TEXT as samples without DC or rumble, their rate, and None instead of phones."""
        samples = self.say((text.rstrip("."), VOLUME))
        rumble = signal.butter(2, 40, "highpass", fs=PICO_RATE, output="sos")
        return spread_peaks(signal.sosfiltfilt(rumble, samples), PICO_RATE), PICO_RATE, None

    @functools.cache
    def boundary(self, before, after):
        """The second at which AFTER begins in the sentence: where the sound turns softer if AFTER is marked softer."""
        plain = self.say((f"{before} {after}", VOLUME))
        marked = self.say((before, VOLUME), (after, MARKED_VOLUME))
        hop, window = PICO_RATE // 500, np.ones(PICO_RATE // 100)
        # Pico may add a pause at the end.
        length = min(len(plain), len(marked))
        powers = [np.convolve(samples[:length] ** 2, window, "same")[::hop] for samples in (plain, marked)]
        half = (1 + (MARKED_VOLUME / VOLUME) ** 2) / 2
        # Positive where the sound is not softer (the first part), negative where it is (the second).
        is_first = np.sign(powers[1] - half * powers[0]) * np.sqrt(powers[0])
        at = int(np.argmax(np.cumsum(is_first)))
        wrong = -np.minimum(is_first[:at + 1], 0).sum() + np.maximum(is_first[at + 1:], 0).sum()
        if wrong > 0.1 * np.abs(is_first).sum():
            raise LookupError(f"{before!r} and {after!r} are not told apart")
        return (at + 1) * hop / PICO_RATE

    def bounds(self, carrier, _):
        """Seconds at which the bracketed part of the carrier begins and ends; None at an end of the sentence."""
        before, inside, after = (part.strip(" .") for part in carrier.replace("]", "[").split("["))
        return (self.boundary(before, f"{inside} {after}".strip()) if before else None,
                self.boundary(f"{before} {inside}".strip(), after) if after else None)


def told_apart(pico, clip):
    """The takes of a clip, from the carriers in which the ends of the words can be found."""
    takes = []
    for carrier in clip.carriers:
        try:
            takes.append(take(pico, carrier))
        except LookupError:
            continue
    if not takes:
        sys.exit(f"german.py: no carrier of {clip.name!r} tells where the words part: it needs another")
    return takes


def write_clip(path, samples):
    # soundfile counts full scale as 32767.
    step = 2 ** (16 - BITS) / 32767
    soundfile.write(path, np.round(samples / step) * step, RATE, "PCM_16")


def make(into):
    pico, wanted = Pico(), clips()
    takes = {clip.name: told_apart(pico, clip) for clip in wanted}
    candidates = {name: [edges(take) for take in several] for name, several in takes.items()}
    # Choose the most spoken clips first; the others then have to fit.
    chosen = {}
    for pairs in neighbours("times"), neighbours("times", "natural", "timers"):
        among = {name: candidates[name] for pair in pairs for name in pair}
        among |= {name: [candidates[name][index]] for name, index in chosen.items()}
        found, difference = smoothest(among, pairs)
        first = smoothest({name: several[:1] for name, several in among.items()}, pairs)[1]
        chosen = found | chosen
        print(f"mean difference at a join: {difference:.2f} dB; of the first carriers: {first:.2f} dB")
    with tempfile.TemporaryDirectory() as scratch:
        # Made in another folder first, so that an error leaves the voice unchanged.
        pack = pathlib.Path(scratch)
        for clip in wanted:
            best = takes[clip.name][chosen.get(clip.name, 0)]
            samples = level(cut(best), 0)
            write_clip(pack / f"{clip.name}.flac", samples)
            print(f"{clip.name}: {best.carrier}, {len(samples) * 1000 / RATE:.0f} ms")
        texts = "\n".join(f"{clip.name} = {clip.text}" for clip in wanted)
        (pack / "voice.conf").write_text(
            CONF.format(crossfade=CROSSFADE_MILLISECONDS, clips=texts), encoding="utf-8")
        for notice in "LICENCE", "NOTICE":
            if into != FOLDER:
                shutil.copyfile(FOLDER / notice, pack / notice)
        into.mkdir(parents=True, exist_ok=True)
        for old in into.glob("*.flac"):
            old.unlink()
        for file in sorted(pack.iterdir()):
            shutil.copyfile(file, into / file.name)


def main():
    parser = argparse.ArgumentParser(description="Make the German voice from nothing.")
    parser.add_argument("--into", metavar="DIR", type=pathlib.Path, default=FOLDER, help="instead of the voice's own folder")
    make(parser.parse_args().into)


if __name__ == "__main__":
    main()
