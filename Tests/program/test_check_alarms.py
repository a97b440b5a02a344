"""What `check` says about alarms, signals, and the words that timers and intervals are set to say."""

import shutil

import pytest

from program import PROGRAM, ROOT, about

TUNE = "[tune]\ndescription = mine\n[hour]\nnotes = "


def configured(clocksmith, name, rest, **options):
    return about(clocksmith.run("check", "--config", clocksmith.configuration(rest=rest, **options)), name)


def alarm(name="school", time="06:45", *keys):
    return "\n".join([f"[alarm {name}]", f"time = {time}", *keys]) + "\n"


def test_alarms_that_can_ring_are_counted(clocksmith):
    assert configured(clocksmith, "alarms", "") == "ok    alarms        none"
    assert configured(clocksmith, "alarms", alarm()) == "ok    alarms        1, which can ring"
    two = alarm() + alarm("milk", "05:00", "tune = whittington")
    assert configured(clocksmith, "alarms", two).endswith(" 2, which can ring")


def test_a_tune_without_its_bells_is_the_alarms_fault_and_not_that_of_the_chime(clocksmith):
    tune = clocksmith.folder / "mine.tune"
    tune.write_text(TUNE + "H9\n")
    rest = alarm("school", "06:45", f"tune = {tune}")
    found = configured(clocksmith, "alarms", rest)
    assert found.startswith(
        f'FOUND alarms        alarm "school" cannot ring with its tune: tune {tune}: there is no '
        "bell 'H9'; looked in ")
    assert found.endswith("; set it with another")
    assert configured(clocksmith, "voice", rest).startswith("ok ")
    assert configured(clocksmith, "chime", rest).startswith("ok ")


def test_a_time_that_the_voice_does_not_say_is_told(clocksmith, brought_in):
    _, pack = brought_in()
    found = configured(clocksmith, "alarms", alarm("school", "06:47"), voice=pack)
    assert found.startswith(
        'FOUND alarms        alarm "school" rings at 06:47, which is not said: ')
    assert configured(clocksmith, "alarms", alarm("school", "06:45"), voice=pack).startswith("ok ")


@pytest.mark.parametrize("setting, phrase", [
    ("tell_left = half", "1 s left"), ("say_phases = Yes", "work"), ("say_phases = on", "work")])
def test_words_that_are_wanted_and_missing_are_told(clocksmith, brought_in, setting, phrase):
    _, pack = brought_in()
    rest = f"[timers]\n{setting}"
    found = configured(clocksmith, "timers", rest, voice=pack)
    key = setting.split()[0]
    assert found.startswith(
        f"FOUND timers        {key} wants words that the voice {pack} lacks, for '{phrase}' and ")
    assert found.endswith("or take another voice")
    assert configured(clocksmith, "timers", rest).endswith(f" the voice has all words for {key}")
    assert configured(clocksmith, "timers", "", voice=pack).startswith("ok ")


def test_a_signal_that_is_missing_or_torn_is_told(clocksmith, tmp_path, monkeypatch):
    program, signals = tmp_path / "usr/bin/clocksmith", tmp_path / "usr/share/clocksmith/signals"
    program.parent.mkdir(parents=True)
    shutil.copy(PROGRAM, program)
    shutil.copytree(ROOT / "sounds/signals", signals)
    monkeypatch.setattr("program.PROGRAM", program)
    assert configured(clocksmith, "signals", "") == "ok    signals       all 11 of them; a timer can ring"
    ring = signals / "ring.flac"
    ring.write_bytes(ring.read_bytes()[:5000])
    found = configured(clocksmith, "signals", "")
    assert found.startswith("FOUND") and f"cannot read {ring}" in found
    ring.unlink()
    found = configured(clocksmith, "signals", "")
    assert found.startswith("FOUND") and "signal 'ring': it is missing; install clocksmith" in found
