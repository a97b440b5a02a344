"""The parts of sounds/voices/make: it names words that it cannot say, finds the words, and chooses the cuts."""

import sys

import numpy as np
import pytest

import naturalness
import voice_checks
from voice_pack import VOICES, Pack

sys.path.append(str(VOICES))
import carriers  # noqa: E402
import engines  # noqa: E402
import joins  # noqa: E402


def test_a_word_without_phonemes_is_named_with_its_sentence_and_what_to_do():
    with pytest.raises(SystemExit, match=r"no phonemes for 'thirteenth' in 'ten thirteenth\.': add them to PHONEMES"):
        engines.phonemes("ten thirteenth.")


def test_a_phoneme_that_the_model_does_not_know_is_named():
    with pytest.raises(SystemExit, match=r"does not know the phoneme 'ɚ' of 'tˈImɚ\.': correct PHONEMES"):
        engines.phoneme_ids("tˈImɚ.", dict.fromkeys("tˈIm.", 1))


def test_every_carrier_has_phonemes():
    for clip in carriers.clips_in_plenty():
        assert clip.carriers, clip.name
        for carrier in clip.carriers:
            engines.phonemes(carrier.replace("[", "").replace("]", ""))


def flat(level, pitch):
    """The edges of a clip with a constant level and pitch."""
    return np.full(21, float(level)), pitch, np.full(21, float(level)), pitch


def test_the_cut_is_taken_that_meets_its_neighbours_best():
    candidates = {"a": [flat(-20, 90), flat(-30, 90)], "b": [flat(-40, 90), flat(-29, 90), flat(-20, 98)]}
    chosen, difference = joins.smoothest(candidates, {("a", "b"): 1})
    assert (chosen, difference) == ({"a": 1, "b": 1}, 1)


def test_every_join_that_is_heard_is_weighed():
    heard = voice_checks._neighbours(Pack(VOICES / "heart"))
    assert heard <= carriers.neighbours().keys() | carriers.natural_neighbours().keys()


@pytest.mark.skipif(naturalness.missing() is not None, reason=str(naturalness.missing()))
@pytest.mark.parametrize("clock", [12, 24, "12 natural", "12 natural-day"])
def test_the_quarters_of_heart_sound_natural(clock):
    pack, listener = Pack(VOICES / "heart"), naturalness.Listener()
    times = [(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)]
    assert np.mean([listener.opinion(pack.joined(clock, *time)[0]) for time in times]) >= 3.7
