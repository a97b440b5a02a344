"""A speech recogniser hears in the joined clips the time they are meant to say.

All 1,440 minutes of both clocks take some minutes: CLOCKSMITH_ALL_MINUTES=1.
"""

import hashlib
import json
import os
import pathlib
import shutil

import pytest

import recognition
from sayings import as_heard, cardinal, said
from voice_pack import CLOCKS, MINUTES, Pack

pytestmark = pytest.mark.skipif(recognition.missing() is not None, reason=str(recognition.missing()))

# What the outcome depends on besides the clips.
HERE = "recognition.py", "sayings.py", "test_voice_recognition.py", "voice_pack.py"
QUARTERS = [(hour, minute) for hour, minute in MINUTES if minute % 15 == 0]
WORDS = {f"hour-{hour}": cardinal(hour) for hour in range(1, 13)} | {
    f"minute-{minute}": cardinal(minute) for minute in (15, 30, 45)} | {"am": "am", "pm": "pm", "oclock": "oclock"}


def misheard_words(pack, scratch):
    heard = recognition.recognise({name: pack.samples[name] for name in WORDS}, "words", scratch)
    return {name: heard[name] for name, word in WORDS.items() if heard[name] != word}


def misheard_phrases(pack, clock, times, scratch):
    heard = recognition.recognise({time: pack.joined(clock, *time)[0] for time in times}, clock, scratch)
    return {said(clock, *time): heard[time] for time in times if heard[time] != said(clock, *time)}


def cached(pack, name, function):
    """FUNCTION's result for these very clips and this recogniser; None if it is not known and not asked for."""
    digest = hashlib.sha256()
    here = [pathlib.Path(__file__).with_name(name) for name in HERE]
    sources = [*here, pack.folder / "voice.conf", *pack.files.values()]
    for file in sorted(sources):
        digest.update(f"{file.name} {file.stat().st_size}\n".encode() + file.read_bytes())
    folder = pathlib.Path(os.environ.get("CLOCKSMITH_CACHE") or pathlib.Path.home() / ".cache" / "clocksmith")
    store = folder / f"recognition-{name}-{digest.hexdigest()[:24]}.json"
    if store.exists():
        return json.loads(store.read_text())
    if os.environ.get("CLOCKSMITH_ALL_MINUTES") != "1":
        return None
    result = function()
    folder.mkdir(parents=True, exist_ok=True)
    store.write_text(json.dumps(result))
    return result


def test_every_word_by_itself_is_recognised(pack, tmp_path):
    assert misheard_words(pack, tmp_path) == {}


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_quarter_of_an_hour_is_recognised(pack, clock, tmp_path):
    assert misheard_phrases(pack, clock, QUARTERS, tmp_path) == {}


@pytest.mark.parametrize("clock", CLOCKS)
def test_nearly_every_minute_is_recognised(pack, clock, tmp_path):
    misheard = cached(pack, clock, lambda: misheard_phrases(pack, clock, MINUTES, tmp_path))
    if misheard is None:
        pytest.skip("takes minutes: CLOCKSMITH_ALL_MINUTES=1 /usr/bin/python3 -m pytest Tests/sounds")
    print(f"{pack.name}, {clock}-hour clock: {1440 - len(misheard)} of 1440; misheard: {misheard}")
    assert len(misheard) <= 1440 * 0.02, misheard


def test_two_clips_taken_for_each_other_are_heard(pack, tmp_path):
    folder = shutil.copytree(pack.folder, tmp_path / pack.name)
    first, second, aside = folder / "hour-3.flac", folder / "hour-4.flac", tmp_path / "aside.flac"
    first.rename(aside), second.rename(first), aside.rename(second)
    swapped = Pack(folder)
    assert misheard_words(swapped, tmp_path) == {"hour-3": "four", "hour-4": "three"}
    assert misheard_phrases(swapped, 12, [(3, 15)], tmp_path) == {"three fifteen am": "four fifteen am"}


def test_the_recogniser_writes_every_word_of_the_pack(pack):
    assert {word for text in pack.texts.values() for word in as_heard(text).split()} <= recognition.SAID.keys()
