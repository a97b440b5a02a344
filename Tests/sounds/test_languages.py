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
# Written down by a speaker of the language, to check the reference itself.
TIMES = {
    "de": {"00:00": "null Uhr", "00:15": "null Uhr fünfzehn", "01:00": "ein Uhr", "01:01": "ein Uhr eins",
           "02:30": "zwei Uhr dreißig", "13:05": "dreizehn Uhr fünf", "15:45": "fünfzehn Uhr fünfundvierzig",
           "21:21": "einundzwanzig Uhr einundzwanzig", "23:59": "dreiundzwanzig Uhr neunundfünfzig"},
    "es": {"00:00": "las cero horas", "00:15": "las cero y quince", "01:00": "la una en punto", "01:01": "la una y uno",
           "02:30": "las dos y treinta", "13:05": "las trece y cinco", "15:45": "las quince y cuarenta y cinco",
           "21:21": "las veintiuna y veintiuno", "23:59": "las veintitrés y cincuenta y nueve"},
    "fr": {"00:00": "zéro heure", "00:15": "zéro heure quinze", "01:00": "une heure", "01:01": "une heure une",
           "02:30": "deux heures trente", "13:05": "treize heures cinq", "15:45": "quinze heures quarante-cinq",
           "21:21": "vingt et une heures vingt et une", "23:59": "vingt-trois heures cinquante-neuf"},
    "it": {"00:00": "mezzanotte", "00:15": "mezzanotte e quindici", "01:00": "ore una", "01:01": "ore una e uno",
           "02:30": "ore due e trenta", "13:05": "ore tredici e cinque", "15:45": "ore quindici e quarantacinque",
           "21:28": "ore ventuno e ventotto", "23:59": "ore ventitré e cinquantanove"},
    "ru": {"00:00": "ноль ноль-ноль", "00:15": "ноль пятнадцать", "01:00": "один ноль-ноль", "01:01": "один ноль один",
           "02:30": "два тридцать", "13:05": "тринадцать ноль пять", "15:45": "пятнадцать сорок пять",
           "21:21": "двадцать один двадцать один", "23:59": "двадцать три пятьдесят девять"},
}
# The same in the natural style.
NATURAL_TIMES = {
    "00:00": "Mitternacht", "00:05": "fünf nach zwölf", "00:30": "halb eins", "01:00": "ein Uhr", "03:15": "Viertel nach drei",
    "03:20": "zwanzig nach drei", "03:24": "vierundzwanzig Minuten nach drei", "03:25": "fünf vor halb vier",
    "03:29": "eine Minute vor halb vier", "15:30": "halb vier", "15:31": "eine Minute nach halb vier",
    "15:35": "fünf nach halb vier", "15:36": "vierundzwanzig Minuten vor vier", "15:45": "Viertel vor vier",
    "12:00": "zwölf Uhr mittags", "12:15": "Viertel nach zwölf", "12:50": "zehn vor eins", "13:01": "eine Minute nach eins",
    "23:00": "elf Uhr", "23:59": "eine Minute vor zwölf",
}


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


def test_the_reference_says_what_a_speaker_wrote_down(pack):
    for time, words in TIMES[pack.name].items():
        assert SAID[pack.name](*map(int, time.split(":")), 24) == words


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


@pytest.mark.parametrize("time, words", NATURAL_TIMES.items())
def test_the_german_reference_says_what_a_speaker_wrote_down(time, words):
    assert SAID["de"](*map(int, time.split(":")), "12 natural") == words


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
