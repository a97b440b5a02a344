"""Every voice pack that ships meets the quality targets, by clip and joined; and each check can fail."""

import pathlib
import shutil

import numpy as np
import pytest
import soundfile

import sound_level
import timer_phrases
import voice_checks as checks
import voice_pack
from remembered import remembered
from voice_pack import RATE, Pack, shipped_packs


def test_a_voice_pack_ships():
    assert shipped_packs()


def test_the_licence_named_in_the_pack_is_there(pack):
    assert (pack.folder / pack.conf["voice"]["licence"]).read_text().strip()


def test_the_configuration_names_language_description_and_crossfade(pack):
    assert pack.conf["voice"]["language"] and pack.conf["voice"]["description"]
    assert pack.crossfade == RATE * 20 // 1000
    assert max(map(len, (pack.folder / "voice.conf").read_text().splitlines())) < 180


@pytest.mark.parametrize("check", [
    checks.formats, checks.silence, checks.fades, checks.ends, checks.dc, checks.full_scale, checks.true_peaks,
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


# ---- Broken on purpose: each check catches its fault ------------------------------

CLIP = "hour-3"


@pytest.fixture
def broken(pack, tmp_path):
    """A function that changes one clip of a copy of the pack and returns the copy."""
    def change(function, **how):
        folder = shutil.copytree(pack.folder, tmp_path / pack.name)
        file = folder / f"{CLIP}.flac"
        samples, rate = soundfile.read(file)
        soundfile.write(file, function(samples), how.pop("rate", rate), how.pop("subtype", "PCM_16"))
        return Pack(folder)
    return change


def assert_caught(check, pack):
    assert [problem for problem in check(pack) if CLIP in problem]


@pytest.mark.parametrize("check, change", [
    (checks.silence, lambda s: np.concatenate([np.zeros(RATE // 50), s])),
    (checks.silence, lambda s: np.concatenate([s, np.zeros(RATE // 20)])),
    (checks.fades, lambda s: s[RATE // 8:]),
    (checks.fades, lambda s: s[:-RATE // 8]),
    (checks.ends, lambda s: np.concatenate([s, [0.01]])),
    (checks.dc, lambda s: s + 0.002),
    (checks.full_scale, lambda s: np.clip(8 * s, -1, 1)),
    (checks.true_peaks, lambda s: s / np.abs(s).max()),
    (checks.clip_loudness, lambda s: s * 0.7),
], ids=lambda value: getattr(value, "__name__", "").strip("<>"))
def test_a_broken_clip_is_caught(broken, check, change):
    assert_caught(check, broken(change))


def test_a_clip_at_another_rate_is_caught(broken):
    assert_caught(checks.formats, broken(lambda s: s, rate=44100))


def test_a_clip_with_24_bits_is_caught(broken):
    assert_caught(checks.formats, broken(lambda s: s, subtype="PCM_24"))


def test_a_phrase_out_of_level_is_caught(broken):
    assert next(checks.phrase_levels(broken(lambda s: s * 0.3)), None)


def test_a_phrase_that_peaks_is_caught(broken):
    assert next(checks.phrase_peaks(broken(lambda s: s / np.abs(s).max())), None)


def test_a_step_is_caught_where_a_clip_breaks_off_and_nothing_crossfades(broken):
    pack = broken(lambda s: s[:np.argmax(np.abs(s))])
    pack.crossfade = 1
    assert_caught(checks.joins, pack)


def test_a_clip_that_goes_on_too_long_is_caught(broken):
    assert list(checks.lengths(broken(lambda s: np.tile(s, 4))))


def test_a_missing_clip_is_caught(broken):
    pack = broken(lambda s: s)
    (pack.folder / f"{CLIP}.flac").unlink()
    assert_caught(checks.clips_of_all_minutes, pack)
    assert_caught(checks.texts, pack)


def test_a_missing_word_of_a_timer_is_caught(broken):
    pack = broken(lambda s: s)
    (pack.folder / "left.flac").unlink()
    assert list(checks.clips_of_all_timers(pack))


def test_a_clip_that_is_never_spoken_is_caught(broken):
    pack = broken(lambda s: s)
    shutil.copy(pack.folder / f"{CLIP}.flac", pack.folder / f"{CLIP}-again.flac")
    assert_caught(checks.unused, pack)


def test_a_wrong_text_is_caught(broken):
    pack = broken(lambda s: s)
    conf = pack.folder / "voice.conf"
    conf.write_text(conf.read_text().replace(f"{CLIP} = three", f"{CLIP} = four"))
    assert list(checks.clips_of_all_minutes(Pack(pack.folder)))


@pytest.mark.parametrize("rule, instead, time", [
    ("**45 = to-{until} hour-{next12}-end", "**45 = to-{until} hour-{hour12}-end", "15:45"),
    ("1200 = noon", "1200 = midnight", "12:00"), ("18** = evening", "18** = night", "18:30")])
def test_a_wrong_rule_of_a_style_is_caught(broken, rule, instead, time):
    pack = broken(lambda s: s)
    if not pack.wordings[2:]:
        pytest.skip(f"{pack.name} has no other style")
    conf = pack.folder / "voice.conf"
    assert rule in conf.read_text()
    conf.write_text(conf.read_text().replace(rule, instead))
    assert [problem for problem in checks.clips_of_all_minutes(Pack(pack.folder)) if problem.startswith(time)]


def test_a_wrong_text_of_a_timer_is_caught(broken):
    pack = broken(lambda s: s)
    conf = pack.folder / "voice.conf"
    conf.write_text(conf.read_text().replace("number-3 = three", "number-3 = four"))
    assert list(checks.clips_of_all_timers(Pack(pack.folder)))


def test_a_phrase_of_a_timer_out_of_level_or_too_long_is_caught(broken):
    pack = broken(lambda s: s)
    pack.samples["left"] = np.tile(pack.samples["left"], 6)
    assert next(checks.timer_lengths(pack), None)
    pack.samples["round"] = pack.samples["round"] * 3
    assert [problem for problem in checks.timer_levels(pack) if problem.startswith("round ")]
