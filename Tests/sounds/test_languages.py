"""Every voice in another language says all 1,440 minutes as its speakers do, and its clips meet their targets."""


import pytest

pytest.importorskip("num2words", reason="num2words is missing: apt install python3-num2words")
pytest.importorskip("babel", reason="babel is missing: apt install python3-babel")

import configparser  # noqa: E402
import sys  # noqa: E402

import sound_level  # noqa: E402
import timer_phrases  # noqa: E402
import voice_checks as checks  # noqa: E402
from languages import SAID, bare, can_be_left_unsaid, left, round_of, shipped_languages, timer  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, VOICES, Pack  # noqa: E402

# The voices in other languages that are made of prompts.
PROMPTED = "es", "fr", "it", "ru"
PACKS = {folder.name: Pack(folder) for folder in shipped_languages()}


@pytest.fixture(params=sorted(PACKS))
def pack(request):
    return PACKS[request.param]


def clocks(pack):
    return [clock for clock in (*CLOCKS, "12 natural") if f"clock {clock}" in pack.conf]


def wrong_times(pack):
    """Yields every minute whose words differ from the reference, as they are heard or as they are written, or that
    lacks a clip."""
    for clock in clocks(pack):
        for hour, minute in MINUTES:
            names = pack.clips_of(clock, hour, minute)
            lost = [name for name in names if name not in pack.files or name not in pack.texts]
            said = " ".join(pack.texts.get(name, "") for name in names)
            written, right = pack.text_of(clock, hour, minute), SAID[pack.conf["voice"]["language"]](hour, minute, clock)
            if lost:
                yield f"{hour:02}:{minute:02} needs {lost[0]}, which is not there"
            elif bare(said) != bare(right):
                yield f"{hour:02}:{minute:02} of clock {clock} says {said!r}"
            elif written != right:
                yield f"{hour:02}:{minute:02} of clock {clock} is written {written!r}"


def wrong_phrases(pack, phrases, reference, may_be_unsaid=lambda language, numbers: False):
    """Yields every phrase of timers whose words differ from the reference, or that the voice wrongly lacks."""
    language = pack.conf["voice"]["language"]
    for phrase in phrases:
        numbers = phrase[1:]
        try:
            names = pack.clips_of_timer(*phrase)
        except LookupError:
            if not may_be_unsaid(language, numbers):
                yield f"nothing is said of {phrase}"
            continue
        lost = [name for name in names if name not in pack.files]
        said = " ".join(pack.texts.get(name, "") for name in names)
        written, right = pack.text_of_timer(*phrase), reference(language, *numbers)
        if lost:
            yield f"{phrase} needs {lost[0]}, which is not there"
        elif bare(said) != bare(right):
            yield f"{phrase} says {said!r}"
        elif written != right:
            yield f"{phrase} is written {written!r}"


def wrong_left(pack):
    return wrong_phrases(pack, timer_phrases.LEFT, left, can_be_left_unsaid)


def test_each_language_that_was_promised_ships():
    assert set(PACKS) == set(SAID)


def test_all_minutes_are_said_as_the_reference_says_them(pack):
    assert 24 in clocks(pack)
    assert list(wrong_times(pack)) == []


def test_what_is_left_of_a_timer_is_said_in_the_right_forms(pack):
    assert list(wrong_left(pack)) == []


def test_a_round_is_told_by_its_number_as_it_is_counted(pack):
    assert list(wrong_phrases(pack, timer_phrases.ROUNDS, round_of)) == []


def test_a_german_timer_is_told_by_its_length():
    assert list(wrong_phrases(PACKS["de"], timer_phrases.TIMERS, timer)) == []
    assert timer("de", 1, 5, 1) == "Timer über eine Stunde fünf Minuten und eine Sekunde"


@pytest.mark.parametrize("check", [
    checks.formats, checks.silence, checks.fades, checks.dc, checks.true_peaks,
    checks.clip_loudness, checks.texts,
], ids=lambda check: check.__name__)
def test_a_language_holds(pack, check):
    assert list(check(pack)) == []


def test_every_clip_is_spoken(pack):
    spoken = {name for clock in clocks(pack) for time in MINUTES for name in pack.clips_of(clock, *time)}
    for phrase in timer_phrases.ALL:
        try:
            spoken |= set(pack.clips_of_timer(*phrase))
        except LookupError:
            continue
    assert pack.files.keys() == spoken


def test_the_quarters_are_as_loud_as_other_voices_and_no_longer_than_is_patient(pack):
    for hour, minute in MINUTES:
        if minute % 15 == 0:
            samples = pack.joined(24, hour, minute)[0]
            # A phrase of one clip is too short for this measure; clip_loudness checks it.
            if len(pack.clips_of(24, hour, minute)) > 1:
                assert abs(sound_level.integrated(samples) + 20) < 1.5, (hour, minute)
            assert 0.5 < len(samples) / RATE < 5, (hour, minute)


def test_licence_and_notice_name_the_makers_and_what_was_changed(pack):
    licence = (pack.folder / pack.conf["voice"]["licence"]).read_text()
    notice = (pack.folder / "NOTICE").read_text()
    name = {"de": "SVOX AG", "es": "Allison Smith", "fr": "June Wallack", "it": "Carlo Flora", "ru": "Maxim Topal"}[pack.name]
    kind = {"de": "Apache License, Version 2.0", "es": "Attribution-ShareAlike 3.0", "fr": "Attribution-ShareAlike 3.0",
            "it": "Attribution 3.0", "ru": "Attribution 3.0"}[pack.name]
    assert name in notice and kind in notice and "Changes" in notice
    assert ("Apache License" if pack.name == "de" else "THE WORK (AS DEFINED BELOW) IS PROVIDED UNDER THE TERMS") in licence


@pytest.mark.parametrize("language", PROMPTED)
def test_each_clip_has_its_prompt(language):
    pack = PACKS[language]
    table = configparser.ConfigParser(delimiters="=", comment_prefixes=";", interpolation=None)
    table.optionxform = str
    table.read(pack.folder / "prompts.ini", encoding="utf-8")
    assert dict(table["clips"]).keys() == pack.files.keys()
    assert table["source"]["package"] == f"asterisk-core-sounds-{pack.name}-g722"


def test_each_german_clip_has_its_sentences():
    sys.path.append(str(VOICES))
    import german_carriers
    clips = {clip.name: clip.text for clip in german_carriers.clips()}
    assert clips == PACKS["de"].texts
    assert all("[" in carrier and "]" in carrier for clip in german_carriers.clips() for carrier in clip.carriers)
