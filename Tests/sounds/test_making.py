"""The parts of sounds/voices/make: it names words that it cannot say, finds the words, and chooses the cuts."""

import sys

import numpy as np
import pytest

import figures
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


def test_what_parts_two_words_belongs_to_the_second_and_stress_to_the_phone_behind_it():
    ends = engines.phone_ends("tˈu tˈɛn.", [10, 2, 1, 3, 2, 2, 1, 3, 2, 4, 5], 0.025)
    starts_at = 10 * 0.025 - engines.EARLY_SECONDS
    counts = [("pau", 0), ("t", 2), ("u", 6), ("t", 10), ("ɛ", 14), ("n", 16), ("pau", 20)]
    assert [phone for phone, _ in ends] == [phone for phone, _ in counts]
    assert [end for _, end in ends] == pytest.approx([starts_at + count * 0.025 for _, count in counts])


def flat(level, pitch):
    """The edges of a clip with a constant level and pitch."""
    return np.full(21, float(level)), pitch, np.full(21, float(level)), pitch


def test_the_cut_is_taken_that_meets_its_neighbours_best():
    candidates = {"a": [flat(-20, 90), flat(-30, 90)], "b": [flat(-40, 90), flat(-29, 90), flat(-20, 98)]}
    chosen, difference = joins.smoothest(candidates, {("a", "b"): 1})
    assert (chosen, difference) == ({"a": 1, "b": 1}, 1)


def test_of_two_joins_the_one_that_is_heard_more_often_decides():
    candidates = {"a": [flat(-20, 90)], "b": [flat(-22, 90), flat(-28, 90)], "c": [flat(-30, 90)]}
    assert joins.smoothest(candidates, {("a", "b"): 1, ("b", "c"): 10})[0]["b"] == 1
    assert joins.smoothest(candidates, {("a", "b"): 10, ("b", "c"): 1})[0]["b"] == 0


def test_a_jump_in_pitch_counts_where_both_sides_are_voiced():
    voiced, higher, unvoiced = flat(-20, 90), flat(-20, 94), flat(-20, np.nan)
    assert joins.difference([voiced], [voiced, higher, unvoiced]).tolist() == [[0, 4 * joins.SEMITONE_DB, 0]]


def test_the_pitch_at_the_end_is_that_of_the_end():
    rate = 24000
    glide = np.sin(2 * np.pi * np.cumsum(np.linspace(150, 300, rate // 2)) / rate) * 0.1
    assert joins.pitch_at_end(glide, rate) == pytest.approx(12 * np.log2(300), abs=0.7)
    assert np.isnan(joins.pitch_at_end(np.random.default_rng(0).normal(size=rate // 2) * 0.1, rate))


def test_every_join_that_is_heard_is_weighed():
    heard = voice_checks._neighbours(Pack(VOICES / "heart"))
    assert heard <= carriers.neighbours().keys() | carriers.natural_neighbours().keys()


def test_heart_comes_with_licence_and_notice():
    assert "Apache License" in (VOICES / "heart" / "LICENCE").read_text()
    assert "Kokoro-82M" in (VOICES / "heart" / "NOTICE").read_text()


@pytest.mark.skipif(naturalness.missing() is not None, reason=str(naturalness.missing()))
@pytest.mark.parametrize("clock", [12, 24, "12 natural", "12 natural-day"])
def test_the_quarters_of_heart_sound_natural(clock):
    pack, listener = Pack(VOICES / "heart"), naturalness.Listener()
    times = [(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)]
    assert np.mean([listener.opinion(pack.joined(clock, *time)[0]) for time in times]) >= 3.7


@pytest.fixture
def opinions(monkeypatch, capsys):
    """Prints the figures of a voice whose clips and sentences are heard as GIVEN: (exit status, table, complaints)."""
    def opinions(name, given):
        def nothing(*_):
            return iter(())
        for part in "clip_figures", "phrase_figures", "timer_figures":
            monkeypatch.setattr(figures, part, nothing)
        monkeypatch.setattr(naturalness, "Listener", object)
        monkeypatch.setattr(naturalness, "of_quarters", lambda pack, clock, listener: given.get(clock, (3.8, 3.8)))
        try:
            figures.main([name])
        except SystemExit as end:
            return end.code, capsys.readouterr().out
        return None, capsys.readouterr().out
    monkeypatch.setattr(naturalness, "missing", lambda: None)
    return opinions


@pytest.mark.parametrize("name, given, complaint", [
    ("heart", {12: (3.70, 3.80)}, None),
    ("heart", {24: (3.69, 3.70)}, "figures: 24 h, opinion of 96 quarters, chained and whole: heart has 3.690, less than 3.7"),
    ("heart", {"12 natural": (3.75, 3.86)},
     "figures: 12 h natural, opinion of 96 quarters, chained and whole: heart has 3.750 chained and 3.860 whole, more than "
     "0.1 apart"),
    ("heart", {12: (3.9, 3.75)},
     "figures: 12 h, opinion of 96 quarters, chained and whole: heart has 3.900 chained and 3.750 whole, more than 0.1 apart"),
    ("rms", {12: (3.3, 3.0)}, None),
])
def test_the_figures_end_with_the_row_in_which_the_default_voice_misses_its_target(opinions, name, given, complaint):
    told, table = opinions(name, given)
    assert told == complaint
    assert "| 12 h natural-day, opinion of 96 quarters, chained and whole | 3.7, within 0.1 | 3.80 and 3.80 |" in table


def test_without_speechmos_the_figures_are_skipped(opinions, monkeypatch):
    monkeypatch.setattr(naturalness, "missing", lambda: "speechmos is missing: pip install speechmos")
    told, table = opinions("heart", {12: (1.0, 2.0)})
    assert told is None and "| skipped: speechmos is missing: pip install speechmos |" in table


def test_without_speechmos_the_figures_name_what_is_missing(monkeypatch):
    monkeypatch.setattr(naturalness.importlib.util, "find_spec", lambda module: None)
    assert naturalness.missing() == "speechmos is missing: pip install speechmos"
