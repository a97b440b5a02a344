"""Every voice pack that ships meets the quality targets, by clip and joined."""

import pathlib

import pytest

import sound_level
import timer_phrases
import voice_checks as checks
import voice_pack
from remembered import remembered
from voice_pack import RATE


def test_the_configuration_names_language_description_and_crossfade(pack):
    assert pack.conf["voice"]["language"] and pack.conf["voice"]["description"]
    assert pack.crossfade == RATE * 20 // 1000
    assert max(map(len, (pack.folder / "voice.conf").read_text().splitlines())) < 180


@pytest.mark.parametrize("check", [
    checks.formats, checks.silence, checks.fades, checks.dc, checks.true_peaks,
    checks.clip_loudness, checks.clips_of_all_minutes, checks.clips_of_all_timers, checks.unused, checks.texts,
    checks.phrase_peaks, checks.joins, checks.lengths, checks.timer_lengths,
], ids=lambda check: check.__name__)
def test_a_pack_holds(pack, check):
    assert list(check(pack)) == []


def test_every_phrase_of_both_clocks_and_of_timers_is_as_loud_as_the_others(pack):
    code = [pathlib.Path(module.__file__) for module in (checks, sound_level, timer_phrases, voice_pack)]
    files = [*code, pack.folder / "voice.conf", *pack.files.values()]
    assert remembered("phrase-levels", files, lambda: list(checks.phrase_levels(pack))) == []
    assert remembered("timer-levels", files, lambda: list(checks.timer_levels(pack))) == []
