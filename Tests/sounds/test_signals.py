"""The signals of timers, intervals and alarms can be told apart by their notes and by their colour.

The script that computes them takes no part in that; it only has to make the same samples again.
"""

import types

import numpy as np
import pytest

import bell_checks
import signal_checks as checks
import signal_hearing as hearing
from made_again import made, step_of_difference

SOUNDS = checks.shipped()
KNOWN_BY = checks.references(SOUNDS)

every_signal = pytest.mark.parametrize("name", SOUNDS)
every_speaker = pytest.mark.parametrize(
    "speaker", [np.copy, hearing.small_speaker], ids=lambda function: function.__name__)


def test_files_are_mono_16_bit_flac_at_48_khz():
    assert list(bell_checks.formats(types.SimpleNamespace(folder=checks.FOLDER))) == []


@every_signal
@pytest.mark.parametrize("check", [checks.beginning, checks.ending, checks.level], ids=lambda check: check.__name__)
def test_each_signal_holds(check, name):
    assert list(check(name, SOUNDS[name])) == []


def test_every_pair_is_told_apart_by_colour_and_by_notes():
    assert list(checks.apart(KNOWN_BY)) == []


@every_signal
@every_speaker
def test_a_signal_alone_is_known_by_its_colour_and_by_its_notes(speaker, name):
    heard = checks.disturbed(SOUNDS[name], checks.alone, speaker, 0)
    assert list(checks.known(name, heard, KNOWN_BY)) == []
    assert list(checks.known_by_notes(name, heard[:len(SOUNDS[name])], KNOWN_BY)) == []


@every_signal
@every_speaker
@pytest.mark.parametrize("under", [checks.noise, checks.speech], ids=lambda function: function.__name__)
def test_over_others_a_signal_is_known_by_one_or_the_other_and_mostly_by_both(under, speaker, name):
    """A word that begins with a signal may add a note or a colour to it. The words are random."""
    by_colour, by_notes, unknown = 0, 0, []
    draws = range(10)
    for seed in draws:
        heard = checks.disturbed(SOUNDS[name], under, speaker, seed)
        colour = list(checks.known(name, heard, KNOWN_BY))
        notes = list(checks.known_by_notes(name, heard[:len(SOUNDS[name])], KNOWN_BY))
        by_colour += not colour
        by_notes += not notes
        if colour and notes:
            unknown += colour + notes
    print(f"{name}: of {len(draws)} draws {by_colour} by its colour, {by_notes} by its notes")
    assert unknown == []
    assert by_colour >= 8 and by_notes >= 7


# ---- Made again ------------------------------------------------------------------


def test_the_script_makes_the_samples_that_ship_again(tmp_path):
    files = made(tmp_path, *SOUNDS)
    assert {file.stem for file in files} == SOUNDS.keys()
    assert [file.stem for file in files if step_of_difference(file, checks.FOLDER / file.name) > 1] == []
