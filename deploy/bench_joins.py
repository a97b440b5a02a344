"""The files of a Westminster announcement and their moments, for sox to join."""

import configparser
from pathlib import Path

SOUNDS = Path(__file__).resolve().parents[1] / "sounds"
# Both programs join the clips of this voice.
VOICE = SOUNDS / "voices/rms"
MOVEMENTS = {0: "hour", 15: "first", 30: "half", 45: "third"}


class Lines(dict):
    """The values of a section. The values of a repeated key are collected into one."""

    def __setitem__(self, key, value):
        if isinstance(value, list) and isinstance(self.get(key), list):
            value = self[key] + value
        super().__setitem__(key, value)


def movement(minute):
    tune = configparser.ConfigParser(dict_type=Lines, strict=False, comment_prefixes=";")
    tune.read(SOUNDS / "tunes/westminster.tune")
    section = tune[MOVEMENTS[minute]]
    return {key: section[key].split() for key in section}


def seconds(text):
    return float(text.removesuffix("s"))


def clips(hour, minute):
    """The clips of a time, by the pack's own grammar for the 12-hour clock."""
    hour12 = (hour + 11) % 12 + 1
    names = (
        [f"hour-{hour12}-oclock", "oclock"] if minute == 0
        else [f"hour-{hour12}", f"minute-{minute}", "am" if hour < 12 else "pm"])
    return [str(VOICE / f"{name}.flac") for name in names]


def blows(hour, minute):
    """The bells of a quarter with their moments, and the moment at which the words begin."""
    tune = movement(minute)
    notes = tune["notes"]
    moments, moment = [], 0.0
    for bell, gap in zip(notes[::2], [*notes[1::2], "0"]):
        moments.append((bell, moment))
        moment += float(gap)
    if minute == 0:
        moment = seconds(tune["lead"][0])
        for blow in range((hour + 11) % 12 + 1):
            if blow:
                moment += float(tune["gaps"][(blow - 1) % len(tune["gaps"])])
            moments.append((tune["strike"][0], moment))
    return moments, moments[-1][1] + seconds(tune["rest"][0])


def by_sox(hour, minute, length_of, output):
    """sox's command for an announcement with its chime, without crossfades between the words.

    :param length_of: returns the seconds of a file.
    """
    moments, words = blows(hour, minute)
    struck, parts = {}, []
    for bell, moment in moments:
        takes = sorted((SOUNDS / "bells").glob(f"{bell.replace('#', 'sharp')}-?.flac"))
        parts.append((str(takes[struck.get(bell, 0) % len(takes)]), moment))
        struck[bell] = struck.get(bell, 0) + 1
    for clip in clips(hour, minute):
        parts.append((clip, words))
        words += length_of(clip)
    files, starts = zip(*parts)
    sum_of_all = ",".join(f"{number}v1" for number in range(1, len(files) + 1))
    # Without the trim, silence would follow, as long as the longest file.
    end = max(start + length_of(file) for file, start in parts)
    return ["sox", "-D", "-M", *files, str(output), "delay", *(f"{start:.6f}" for start in starts),
            "remix", sum_of_all, "trim", "0", f"{end:.6f}"]
