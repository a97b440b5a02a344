"""Runs sounds/make, and compares what it makes with what ships."""

import pathlib
import subprocess
import sys

import numpy as np
import soundfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "sounds" / "make"


def made(folder, *words):
    """The files that the script makes when it is called with these words, in the order of their names."""
    subprocess.run([sys.executable, SCRIPT, folder, *words], check=True)
    return sorted(folder.glob("*/*.flac"))


def step_of_difference(one, other):
    """The greatest difference of two files in steps of 16 bits. One step may be the last bit of another exp or FFT.

    Compares samples, not files: releases of libFLAC may pack them differently.
    """
    first, second = (soundfile.read(file, dtype="int16")[0].astype(int) for file in (one, other))
    return np.abs(first - second).max() if len(first) == len(second) else np.inf
