"""Every voice in another language says all 1,440 minutes as its speakers do, and holds the targets of a clip."""

import shutil

import pytest

pytest.importorskip("num2words", reason="num2words is missing: apt install python3-num2words")

import configparser  # noqa: E402
import importlib.machinery  # noqa: E402
import importlib.util  # noqa: E402
import sys  # noqa: E402

import sound_level  # noqa: E402
import timer_phrases  # noqa: E402
import voice_checks as checks  # noqa: E402
from languages import SAID, bare, can_be_left_unsaid, left, shipped_languages  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, VOICES, Pack  # noqa: E402

PACKS = {folder.name: Pack(folder) for folder in shipped_languages()}
# As a speaker of the language wrote them down, so that the reference itself is judged.
TIMES = {
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


@pytest.fixture(params=sorted(PACKS))
def pack(request):
    return PACKS[request.param]


def clocks(pack):
    return [clock for clock in CLOCKS if f"clock {clock}" in pack.conf]


def wrong_times(pack):
    """Every minute that is said in other words than the reference has, or lacks a clip."""
    for clock in clocks(pack):
        for hour, minute in MINUTES:
            names = pack.clips_of(clock, hour, minute)
            lost = [name for name in names if name not in pack.files or name not in pack.texts]
            said = " ".join(pack.texts.get(name, "") for name in names)
            if lost:
                yield f"{hour:02}:{minute:02} needs {lost[0]}, which is not there"
            elif bare(said) != bare(SAID[pack.conf["voice"]["language"]](hour, minute, clock)):
                yield f"{hour:02}:{minute:02} of clock {clock} reads {said!r}"


def wrong_left(pack):
    """Everything that is told as left in other words, or not told although the language needs no other form."""
    language = pack.conf["voice"]["language"]
    for phrase in timer_phrases.LEFT:
        try:
            names = pack.clips_of_timer(*phrase)
        except LookupError:
            if not can_be_left_unsaid(language, phrase[1:]):
                yield f"nothing is said of {phrase}"
            continue
        lost = [name for name in names if name not in pack.files]
        said = " ".join(pack.texts.get(name, "") for name in names)
        if lost:
            yield f"{phrase} needs {lost[0]}, which is not there"
        elif bare(said) != bare(left(language, *phrase[1:])):
            yield f"{phrase} reads {said!r}"


def test_each_language_that_was_promised_ships():
    assert set(PACKS) == set(SAID)


def test_the_reference_says_what_a_speaker_wrote_down(pack):
    for time, words in TIMES[pack.name].items():
        assert bare(SAID[pack.name](*map(int, time.split(":")), 24)) == bare(words)


def test_all_minutes_are_said_as_the_reference_says_them(pack):
    assert 24 in clocks(pack)
    assert list(wrong_times(pack)) == []


def test_what_is_left_of_a_timer_is_said_in_the_right_forms(pack):
    assert list(wrong_left(pack)) == []


def test_no_two_times_of_24_hours_sound_alike(pack):
    assert len({tuple(pack.clips_of(24, *time)) for time in MINUTES}) == 1440


@pytest.mark.parametrize("check", [
    checks.formats, checks.silence, checks.fades, checks.ends, checks.dc, checks.full_scale, checks.true_peaks,
    checks.clip_loudness, checks.texts,
], ids=lambda check: check.__name__)
def test_a_language_holds(pack, check):
    assert list(check(pack)) == []


def test_every_clip_is_spoken(pack):
    spoken = {name for clock in clocks(pack) for time in MINUTES for name in pack.clips_of(clock, *time)}
    for phrase in timer_phrases.LEFT:
        try:
            spoken |= set(pack.clips_of_timer(*phrase))
        except LookupError:
            continue
    assert pack.files.keys() == spoken


def test_the_quarters_are_as_loud_as_other_voices_and_no_longer_than_is_patient(pack):
    for hour, minute in MINUTES:
        if minute % 15 == 0:
            samples = pack.joined(24, hour, minute)[0]
            assert abs(sound_level.integrated(samples) + 20) < 1.5, (hour, minute)
            assert 0.5 < len(samples) / RATE < 5, (hour, minute)


def test_licence_and_notice_name_the_makers_and_what_was_changed(pack):
    licence = (pack.folder / pack.conf["voice"]["licence"]).read_text()
    notice = (pack.folder / "NOTICE").read_text()
    name = {"es": "Allison Smith", "fr": "June Wallack", "it": "Carlo Flora", "ru": "Maxim Topal"}[pack.name]
    kind = "Attribution-ShareAlike 3.0" if pack.name in ("es", "fr") else "Attribution 3.0"
    assert name in notice and kind in notice and "Changes" in notice
    assert "THE WORK (AS DEFINED BELOW) IS PROVIDED UNDER THE TERMS OF THIS" in licence


def test_a_pack_is_small(pack):
    assert sum(file.stat().st_size for file in pack.folder.iterdir()) < 2_000_000


def test_each_clip_has_its_prompt(pack):
    table = configparser.ConfigParser(delimiters="=", comment_prefixes=";", interpolation=None)
    table.optionxform = str
    table.read(pack.folder / "prompts.ini", encoding="utf-8")
    assert dict(table["clips"]).keys() == pack.files.keys()
    assert table["source"]["package"] == f"asterisk-core-sounds-{pack.name}-g722"


# ---- Making one ------------------------------------------------------------------------

@pytest.fixture(scope="module")
def prompts():
    """sounds/voices/prompts, which has no suffix."""
    sys.path.append(str(VOICES))
    loader = importlib.machinery.SourceFileLoader("prompts", str(VOICES / "prompts"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("prompts", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("text, found", [
    ("hours", ("hours", None, None, 0)), ("hours -0.610", ("hours", None, 0.61, 0)),
    ("digits/at 0.260-", ("digits/at", 0.26, None, 0)), ("vm-a 0.1-0.6 -0.5 LU", ("vm-a", 0.1, 0.6, -0.5))])
def test_a_part_of_a_prompt_is_read(prompts, text, found):
    assert prompts.source(text) == found


@pytest.mark.parametrize("text", ["", "hours 0.1", "hours louder", "hours 0.1-0.2 3"])
def test_what_is_no_prompt_is_refused(prompts, text):
    with pytest.raises(SystemExit, match="is no prompt: write it as"):
        prompts.source(text)


def test_a_prompt_that_is_missing_is_told_with_its_package(prompts, tmp_path, monkeypatch):
    monkeypatch.setattr(prompts.shutil, "which", lambda command: command)
    with pytest.raises(SystemExit, match="1.g722 is missing: apt install asterisk-core-sounds-es-g722"):
        prompts.decoded(tmp_path / "1.g722", "asterisk-core-sounds-es-g722")


def test_a_word_is_cut_out_trimmed_and_levelled(prompts):
    rate, pause = 16000, [0.0] * 4800
    word = [0.3 * (-1) ** (frame // 20) for frame in range(8000)]
    whole = prompts.clip(prompts.np.array(pause + word + pause), rate, prompts.source("word"))
    half = prompts.clip(prompts.np.array(pause + word + pause), rate, prompts.source("word 0.550-"))
    assert len(whole) / RATE == pytest.approx(0.54, abs=0.01) and len(half) / RATE == pytest.approx(0.28, abs=0.01)
    for clip in whole, half:
        assert abs(sound_level.maximum_momentary(clip) + 19) < 1.1


# ---- Broken on purpose --------------------------------------------------------------

@pytest.mark.parametrize("language, rule, instead", [
    ("es", "hour-21 = las veinti una", "hour-21 = las number-21"), ("es", "hour-1 = la una", "hour-1 = las una"),
    ("fr", "number-21 = number-20 et une", "number-21 = number-20 une"),
    ("it", "ore una e number-{minute}", "ore number-1 e number-{minute}"),
    ("ru", "number-0 number-{minute}", "number-{minute}"),
])
def test_a_wrong_form_is_caught(tmp_path, language, rule, instead):
    folder = shutil.copytree(PACKS[language].folder, tmp_path / language)
    conf = folder / "voice.conf"
    assert rule in conf.read_text()
    conf.write_text(conf.read_text().replace(rule, instead))
    assert list(wrong_times(Pack(folder)))


def test_a_wrong_form_of_what_is_left_is_caught(tmp_path):
    folder = shutil.copytree(PACKS["es"].folder, tmp_path / "es")
    conf = folder / "voice.conf"
    conf.write_text(conf.read_text().replace("minutes-21 = veinti un minutos", "minutes-21 = number-21 minutos"))
    assert [problem for problem in wrong_left(Pack(folder)) if "21" in problem]


def test_a_clip_that_is_lost_is_caught(tmp_path):
    folder = shutil.copytree(PACKS["es"].folder, tmp_path / "es")
    (folder / "number-7.flac").unlink()
    assert list(wrong_times(Pack(folder)))
