"""Copies of the voice for a test to break, or with words that take long."""

import shutil

import numpy
import soundfile

from program import VOICE


def copy_of_the_voice(folder):
    """Makes a copy in this new folder, and returns it. The clips in it are links."""
    folder.mkdir()
    for clip in VOICE.glob("*.flac"):
        (folder / clip.name).symlink_to(clip)
    shutil.copy(VOICE / "voice.conf", folder)
    shutil.copy(VOICE / "LICENCE", folder)
    return folder


def lengthen(pack, seconds, *clips):
    """Repeats these clips of a copy, each for so many seconds. What a test does during a phrase
    then comes in time on a slow machine too."""
    for name in clips:
        clip = pack / f"{name}.flac"
        clip.unlink()
        samples, rate = soundfile.read(VOICE / clip.name)
        soundfile.write(clip, numpy.resize(samples, seconds * rate), rate)
    return pack
