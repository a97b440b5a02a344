"""A voice recorded with a microphone: a person is led through its words, and meets troubles."""

import contextlib
import re
import signal
from pathlib import Path

import numpy
import pytest
import soundfile

from microphone import Microphone, Person
from program import SILENT_ALSA, Clocksmith, refusal
from sound_server import RATE, wait_until

HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
WORDS = [*HOURS, "fifteen", "thirty", "forty-five", "A M", "P M", "o'clock", "I do not", "know the time yet"]
FILES = [*range(1, 13), 15, 30, 45, "am", "pm", "oclock", "i-do-not", "know-the-time-yet"]


def pitch(word):
    """Each made-up word has its own pitch."""
    return 150 + 20 * WORDS.index(word)


def spoken(word, level=0.6):
    times = numpy.arange(int(0.2 * RATE)) / RATE
    voiced = sum(numpy.sin(2 * numpy.pi * pitch(word) * n * times) / n for n in (1, 2, 3))
    return voiced * level / 2 * numpy.sin(numpy.pi * times / 0.2) ** 0.5


def shown(word):
    dots = "." if word in ("A M", "P M", "o'clock", "know the time yet") else " ..."
    return f"{WORDS.index(word) + 1} of 20    {word}{dots}"


def is_open(process, path):
    """True while a process has this file open."""
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if descriptor.readlink() == path:
                return True
    return False


def pitches(samples):
    """The pitches of the sounds between two silences, in order."""
    sounding = numpy.flatnonzero(numpy.abs(samples) > 0.01)
    cuts = numpy.flatnonzero(numpy.diff(sounding) > RATE * 40 // 1000) + 1
    for part in numpy.split(sounding, cuts):
        piece = samples[part[0]:part[-1]]
        spectrum = numpy.abs(numpy.fft.rfft(piece * numpy.hanning(len(piece)), 1 << 17))
        yield spectrum.argmax() * RATE / (1 << 17)


@pytest.fixture(scope="module")
def microphone(surroundings, memory):
    made = Microphone(memory / "microphone", surroundings)
    yield made
    made.close()


@pytest.fixture
def sit_down(clocksmith, tmp_path):
    """Starts to record into a folder: the person."""
    people = []

    def begin(microphone, folder=tmp_path / "mine", *words, device="microphone", **options):
        alsa = microphone.alsa if microphone else SILENT_ALSA
        people.append(Person(
            clocksmith, alsa, "voice", "record", "--device", device, *words, folder, **options))
        return people[-1]
    yield begin
    for person in people:
        person.leave()


def say(person, microphone, word):
    """Says the word that is shown."""
    person.wait_for(shown(word))
    person.say(microphone, spoken(word), "good: ")


def lay(folder, count):
    """Writes recordings of the first words, as an earlier run would have."""
    folder.mkdir()
    for word, name in list(zip(WORDS, FILES))[:count]:
        quiet = numpy.zeros(RATE * 3 // 10)
        samples = numpy.concatenate([quiet, spoken(word), quiet])
        samples += numpy.random.default_rng(1).normal(0, 0.0005, len(samples))
        soundfile.write(folder / f"{name}.wav", samples, RATE)


def recordings(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def record(surroundings, scratch):
    """A voice recorded in two runs: (folder, two people, recordings between)."""
    scratch.mkdir()
    clocksmith, folder = Clocksmith(surroundings, scratch), scratch / "mine"
    microphone = Microphone(scratch / "server", surroundings)
    people, between = [], None
    try:
        for words in WORDS[:4], WORDS[4:]:
            person = Person(
                clocksmith, microphone.alsa, "voice", "record", "--device", "microphone", folder)
            people.append(person)
            for word in words:
                say(person, microphone, word)
            if between is None:
                person.wait_for(shown(WORDS[4]))
                person.process.send_signal(signal.SIGTERM)
                person.status = person.end()
                between = recordings(folder)
        person.wait_for("Enter makes the voice")
        person.press("\r")
        person.status = person.end()
        return folder, people, between
    finally:
        for person in people:
            person.leave()
        microphone.close()


@pytest.fixture(scope="module")
def recorded(surroundings, memory):
    return record(surroundings, memory / "recorded")


# MARK: While it records


def test_a_word_that_is_unfit_is_told_and_asked_for_again(microphone, sit_down, tmp_path):
    person = sit_down(microphone)
    person.wait_for(shown("one"))
    person.say(microphone, numpy.clip(spoken("one", 5), -1, 1), "too loud: ")
    person.wait_for(shown("one"))
    person.press("pq")
    person.wait_for("nothing is recorded yet")
    assert person.end() == 0 and not (tmp_path / "mine").exists()


def test_a_word_can_be_played_and_said_again(microphone, sit_down, clocksmith, tmp_path):
    lay(tmp_path / "mine", 18)
    configuration = clocksmith.configuration(rest="[speaker]\ndevice = speaker")
    person = sit_down(microphone, tmp_path / "mine", "--config", configuration)
    say(person, microphone, "I do not")
    first = (tmp_path / "mine/i-do-not.wav").read_bytes()
    person.wait_for(shown("know the time yet"))
    person.press("p")
    wait_until(microphone.speaker.played.exists, 60, "the word")
    wait_until(lambda: not is_open(person.process, microphone.speaker.played), 60, "its end")
    heard = microphone.speaker.recording().samples
    assert list(pitches(heard)) == pytest.approx([pitch("I do not")], abs=5)
    person.wait_for(shown("know the time yet"))
    person.press("b")
    say(person, microphone, "I do not")
    person.wait_for(shown("know the time yet"))
    person.press("q")
    assert person.end() == 0
    assert (tmp_path / "mine/i-do-not.wav").read_bytes() != first


def test_a_microphone_that_goes_away_keeps_what_was_recorded(surroundings, sit_down, tmp_path):
    lay(tmp_path / "mine", 3)
    before = recordings(tmp_path / "mine")
    microphone = Microphone(tmp_path / "server", surroundings)
    try:
        person = sit_down(microphone)
        say(person, microphone, "four")
        person.wait_for(shown("five"))
        microphone.pull_out()
        assert person.end() == 1
    finally:
        microphone.close()
    assert person.screen()[-2] == "clocksmith: 4 of 20 words are recorded; run it again to go on"
    assert re.match(r"clocksmith: .*microphone microphone: ", person.screen()[-1])
    after = recordings(tmp_path / "mine")
    assert len(after) == 4 and before.items() <= after.items()


# MARK: How it is ended, and what it needs


@pytest.mark.parametrize("how", ["q", "\x03", signal.SIGTERM, "hang up"])
def test_it_can_be_ended_and_what_was_recorded_stays(microphone, sit_down, tmp_path, how):
    lay(tmp_path / "mine", 3)
    before = recordings(tmp_path / "mine")
    person = sit_down(microphone)
    person.wait_for(shown("four"))
    if how == "hang up":
        person.hang_up()
    elif isinstance(how, str):
        person.press(how)
    else:
        person.process.send_signal(how)
    assert person.end() == 0
    if how != "hang up":
        assert person.screen()[-1] == (
            "clocksmith: 3 of 20 words are recorded; run it again to go on")
    assert recordings(tmp_path / "mine") == before


def test_without_a_terminal_it_says_that_it_needs_one(clocksmith, tmp_path):
    done = clocksmith.run("voice", "record", tmp_path / "mine")
    assert "voice record needs a terminal" in refusal(done, 2)
    assert not (tmp_path / "mine").exists()


def test_a_microphone_that_is_not_there_is_told(sit_down, tmp_path):
    person = sit_down(None, tmp_path / "mine")
    assert person.end() == 1
    assert re.fullmatch(".*: there is no such microphone .*; --device names another microphone", *person.screen())
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("name, advice", [
    ("mine-voice", "remove it, or name another with --output"),
    ("mine/voice.conf", "give another folder for the recordings")])
def test_a_voice_that_is_there_is_not_recorded_over(sit_down, tmp_path, name, advice):
    (tmp_path / name).mkdir(parents=True)
    person = sit_down(None, tmp_path / "mine")
    assert person.end() == 1
    assert person.screen() == [
        f"clocksmith: cannot record into {tmp_path}/mine: {tmp_path}/{name} is there already; {advice}"]


def test_a_full_disk_is_told(microphone, sit_down, full_disk):
    person = sit_down(microphone, full_disk / "mine")
    person.wait_for(shown("one"))
    microphone.speak(numpy.concatenate([numpy.zeros(RATE), spoken("one")]))
    assert person.end() == 1
    assert "No space left on device" in person.screen()[-1]
    assert person.screen()[-2].startswith("clocksmith: 0 of 20 words are recorded")
    assert not list(full_disk.iterdir())


# MARK: What becomes of it


def test_the_next_run_goes_on_where_the_first_stopped(recorded):
    folder, (_, second), between = recorded
    assert len(between) == 4 and between.items() <= recordings(folder).items()
    lines = [line for line in second.screen() if re.match(r"\d+ of 20 ", line)]
    assert lines[0] == shown(WORDS[4]) and lines[-1] == shown(WORDS[-1])


def test_what_was_recorded_becomes_a_voice(recorded):
    folder, (_, second), _ = recorded
    assert second.status == 0
    pack = f"{folder}-voice"
    assert second.screen()[-9:] == [
        f"made {pack}: 20 clips", "in 12 hours it says the quarters of an hour",
        "it has no words of timers, which give a signal alone", "to hear it:",
        f"  clocksmith voice try {pack} 15:15", "to put it where the service can read it:",
        f"  sudo install -D -m 644 -t /usr/local/share/mine-voice {pack}/LICENCE {pack}/voice.conf {pack}/*.flac",
        "to use it, in [announce] of the configuration:", "  voice = /usr/local/share/mine-voice"]


@pytest.mark.parametrize(
    "time, text", [("15:45", "three forty-five P M"), ("00:15", "twelve fifteen A M"),
                   ("04:00", "four o'clock")])
def test_the_voice_speaks(clocksmith, recorded, tmp_path, time, text):
    output = tmp_path / "said.wav"
    done = clocksmith.run(
        "say", time, "--output", output, "--config",
        clocksmith.configuration(voice=f"{recorded[0]}-voice"))
    assert done.stdout == f"{text}\n", done.stderr
    words = text.replace(" M", "_M").split()
    heard = list(pitches(soundfile.read(output)[0]))
    assert heard == pytest.approx([pitch(word.replace("_", " ")) for word in words], abs=5)


def test_the_meter_shows_the_level_while_one_speaks(recorded):
    _, people, _ = recorded
    assert max(meter.count("#") for person in people for meter in person.meters()) in range(30, 38)
    assert max(map(len, people[1].meters())) == 40
