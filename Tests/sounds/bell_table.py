"""The bells as the tests see them: the figures of sounds/bells/bells.ini, and the sounds that ship."""

import functools
import pathlib
import re

import soundfile

BELLS = pathlib.Path(__file__).resolve().parents[2] / "sounds" / "bells"
OTHER_SOUNDS = ["pip", "pip-long", "cuckoo"]


class Bell:
    """A bell's figures from the table, and the names of its takes."""

    def __init__(self, name, lines, models):
        pairs = [tuple(part.strip() for part in line.split("=")) for line in lines]
        figures = dict(pairs)
        self.name = name
        self.strike, self.concert = float(figures["strike"]), float(figures["concert"])
        self.level = float(figures["level"])
        self.take_count = len(figures["seeds"].split())
        self.partials = [tuple(map(float, value.split())) for key, value in pairs if key == "partial"]
        if "from" in figures:
            model = models[figures["from"]]
            # The same metal: frequencies scale by the ratio of the strike notes, T60s by its inverse.
            ratio = self.strike / model.strike
            self.partials = [(hertz * ratio, t60 / ratio, level) for hertz, t60, level in model.partials]

    def file_names(self):
        return [f"{self.name.replace('#', 'sharp')}-{take + 1}.flac" for take in range(self.take_count)]


def read_table():
    """All bells of the table, by name."""
    bells = {}
    text = (BELLS / "bells.ini").read_text()
    for section in re.split(r"^\[bell (?=.*\]$)", text, flags=re.MULTILINE)[1:]:
        name, _, body = section.partition("]\n")
        bells[name] = Bell(name, [line for line in body.splitlines() if line], bells)
    return bells


class Recordings:
    """The takes of every bell, and the other sounds, from the files of a folder; full scale is 1."""

    def __init__(self, folder=BELLS):
        self.folder = folder
        self.table = read_table()

    @functools.cached_property
    def samples(self):
        names = {name: bell.file_names() for name, bell in self.table.items()}
        names |= {name: [f"{name}.flac"] for name in OTHER_SOUNDS}
        return {name: [soundfile.read(self.folder / file)[0] for file in files] for name, files in names.items()}

    def bells(self):
        """A list of (bell, its takes)."""
        return [(bell, self.samples[name]) for name, bell in self.table.items()]
