"""A voice pack as the tests see it: its clips, and the phrases they join into.

Nothing here comes from sounds/voices/make. Joining and the words of a time are
written a second time, so that the two can disagree.
"""

import configparser
import functools
import pathlib

import numpy as np
import soundfile

VOICES = pathlib.Path(__file__).resolve().parents[2] / "sounds" / "voices"
RATE = 48000
CLOCKS = 12, 24
# The styles that some voices have.
STYLES = "12 natural", "12 natural-day"
MINUTES = [(hour, minute) for hour in range(24) for minute in range(60)]


def shipped_packs():
    """The folders of every voice pack in the tree."""
    return sorted(conf.parent for conf in VOICES.glob("*/voice.conf"))


class Pack:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.name = self.folder.name
        self.conf = configparser.ConfigParser(delimiters="=", comment_prefixes=";", interpolation=None)
        self.conf.optionxform = str
        self.conf.read(self.folder / "voice.conf", encoding="utf-8")
        voice = self.conf["voice"]
        # A negative value is the silence between two clips.
        milliseconds = voice["crossfade"] if "crossfade" in voice else "-" + voice["gap"]
        self.crossfade = int(milliseconds.removesuffix("ms")) * RATE // 1000

    @functools.cached_property
    def texts(self):
        return dict(self.conf["clips"])

    @functools.cached_property
    def files(self):
        return {file.stem: file for file in sorted(self.folder.glob("*.flac"))}

    @functools.cached_property
    def samples(self):
        """Every clip as floats, full scale 1."""
        return {name: soundfile.read(file)[0] for name, file in self.files.items()}

    @functools.cached_property
    def wordings(self):
        """Both clocks, and the styles that the pack has."""
        return [*CLOCKS, *(style for style in STYLES if f"clock {style}" in self.conf)]

    @functools.cached_property
    def opening(self):
        """The clips of "it is"; none if the pack does not say it."""
        return self.conf["voice"].get("opening", "").split()

    def _template(self, section, digits):
        for pattern, phrase in self.conf[section].items():
            if all(p in ("*", d) for p, d in zip(pattern, digits, strict=True)):
                return phrase
        raise LookupError(f"no template of [{section}] matches {digits}")

    def _time(self, clock, hour, minute):
        """The names that say a time, by the first template of voice.conf that matches. CLOCK may have a style."""
        digits = f"{hour:02}{minute:02}"
        values = {"hour12": (hour + 11) % 12 + 1, "next12": hour % 12 + 1, "hour24": hour, "minute": minute,
                  "units": minute % 10, "until": 60 - minute, "ampm": "am" if hour < 12 else "pm"}
        if "day" in self.conf:
            values["day"] = self._template("day", digits)
        return self._template(f"clock {clock}", digits).format(**values)

    def clips_of(self, clock, hour, minute):
        """The clip names of a time."""
        return self._unchained(self._time(clock, hour, minute))

    def text_of(self, clock, hour, minute):
        """The words of a time as they are written."""
        return self._written(self._time(clock, hour, minute))

    def _written(self, phrase):
        """The words of a phrase: the spelling of a chain that has one, the words of every other clip."""
        spelling = self.conf["spelling"] if "spelling" in self.conf else {}
        return " ".join(
            spelling.get(name) or " ".join(self.texts.get(clip, "") for clip in self._unchained(name))
            for name in phrase.split())

    def _unchained(self, phrase):
        """The clip names of a phrase, with each chain replaced by its clips."""
        chains = self.conf["chains"] if "chains" in self.conf else {}
        return [clip for name in phrase.split() for clip in chains.get(name, name).split()]

    def clips_of_timer(self, kind, *numbers):
        """The clip names of a phrase of timer_phrases. LookupError if the voice has no words for it."""
        return self._unchained(self._timer(kind, *numbers))

    def text_of_timer(self, kind, *numbers):
        """Its words as they are written."""
        return self._written(self._timer(kind, *numbers))

    def _timer(self, kind, *numbers):
        """The names that say a phrase of timer_phrases."""
        if kind == "untrusted":
            return self.conf["answer"][kind]
        if kind not in ("left", "timer"):
            number, = numbers or [0]
            for key, phrase in self.conf["interval"].items():
                word, _, pattern = key.partition(" ")
                if word == kind and all(p in ("*", d) for p, d in zip(pattern or "**", f"{number:02}", strict=True)):
                    return phrase.format(number=number)
            raise LookupError(f"nothing in [interval] for {kind} {number}")
        if kind not in self.conf:
            raise LookupError(f"there is no [{kind}]")
        values = dict(zip(("hours", "minutes", "seconds"), numbers, strict=True))
        digits = "".join(f"{number:02}" for number in numbers)
        for pattern, phrase in self.conf[kind].items():
            if all(p in ("*", d) for p, d in zip(pattern, digits, strict=True)):
                return phrase.format(**values)
        raise LookupError(f"no template of [{kind}] matches {digits}")

    def joined_timer(self, phrase):
        return join([self.samples[name] for name in self.clips_of_timer(*phrase)], self.crossfade)

    def joined(self, clock, hour, minute):
        """The phrase of a time, and the frames at which its crossfades begin."""
        return join([self.samples[name] for name in self.clips_of(clock, hour, minute)], self.crossfade)

    def opened(self, clock, hour, minute):
        """As joined(), with "it is" before the time."""
        return join([self.samples[name] for name in self.opening + self.clips_of(clock, hour, minute)], self.crossfade)


def join(clips, crossfade):
    """Joins clips with an equal-power crossfade, or with silence between them. Returns the samples, and the frames
    at which the crossfades begin."""
    if crossfade <= 0:
        silent = np.zeros(-crossfade)
        return np.concatenate([part for clip in clips for part in (silent, clip)][1:]), []
    phase = (np.arange(crossfade) + 0.5) / crossfade * np.pi / 2
    joined, joins = clips[0], []
    for clip in clips[1:]:
        joins.append(len(joined) - crossfade)
        overlap = joined[-crossfade:] * np.cos(phase) + clip[:crossfade] * np.sin(phase)
        joined = np.concatenate([joined[:-crossfade], overlap, clip[crossfade:]])
    return joined, joins
