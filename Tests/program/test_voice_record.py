"""A voice recorded with a microphone: a person is led through its phrases, and meets troubles."""

import contextlib
import re
import signal
from pathlib import Path

import numpy
import pytest
import soundfile

from microphone import Microphone
from program import SILENT_ALSA, Clocksmith, refusal
from sound_server import RATE, wait_until
from terminal import Terminal

HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
WORDS = [*HOURS, "fifteen", "thirty", "forty-five", "A M", "P M", "o'clock", "I do not", "know the time yet"]
PHRASES = [
    f"{hour} ... {['forty-five', 'fifteen', 'thirty'][number % 3]} ... {'AP'[number % 2 == 0]} M"
    for number, hour in enumerate(HOURS, 1)] + [
        "ten ... o'clock", "I do not ... know the time yet"]
PAUSE = numpy.zeros(RATE * 16 // 100)


def pitch(word):
    """Each made-up word has its own pitch."""
    return 150 + 20 * WORDS.index(word)


def spoken(word, level=0.6):
    times = numpy.arange(int(0.14 * RATE)) / RATE
    voiced = sum(numpy.sin(2 * numpy.pi * pitch(word) * n * times) / n for n in (1, 2, 3))
    return voiced * level / 2 * numpy.sin(numpy.pi * times / 0.14) ** 0.5


def phrase(text, level=0.6, pause=PAUSE):
    """The sound of a phrase as it is shown."""
    parts = [part for word in text.split(" ... ") for part in (spoken(word, level), pause)]
    return numpy.concatenate(parts[:-1])


def is_open(process, path):
    """True while a process has this file open."""
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if descriptor.readlink() == path:
                return True
    return False


def pitches(samples):
    """The pitches of the sounds between two silences, in order."""
    sounding = numpy.flatnonzero(numpy.abs(samples) > 0.003)
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


def begin(clocksmith, microphone, folder, *words):
    """Starts to record into a folder: the person."""
    configuration = clocksmith.folder / "asound.conf"
    configuration.write_text(microphone.alsa if microphone else SILENT_ALSA)
    clocksmith.environment["ALSA_CONFIG_PATH"] = str(configuration)
    return Terminal(clocksmith, "voice", "record", "--device", "microphone", *words, folder)


@pytest.fixture
def sit_down(clocksmith, tmp_path):
    people = []

    def sit_down(microphone, folder=tmp_path / "mine", *words):
        people.append(begin(clocksmith, microphone, folder, *words))
        return people[-1]
    yield sit_down
    for person in people:
        person.leave()


def say(person, microphone, samples, words):
    """Says this until the screen shows the words. A busy machine breaks up the sound at times:
    then the program asks for it again, or hears nothing."""
    for _ in range(12):
        # The program ignores the first 0.25 s after a key, because a key clicks.
        microphone.speak(numpy.concatenate([numpy.zeros(RATE * 3 // 10), samples]))
        with contextlib.suppress(AssertionError):
            if person.wait_for(words, " again", seconds=10) == words:
                return
    raise AssertionError(f"never answered {words!r}; the screen: {person.screen()}")


def say_well(person, microphone, text):
    """Says the phrase that is shown, and keeps it."""
    person.wait_for(text)
    say(person, microphone, phrase(text), "good: ")
    person.press("\r")


def lay(folder, *texts):
    """Writes takes of these phrases, as an earlier run would have."""
    names = {word: str(number) for number, word in enumerate(HOURS, 1)} | {
        "fifteen": "15", "thirty": "30", "forty-five": "45", "A M": "am", "P M": "pm",
        "o'clock": "oclock", "I do not": "i-do-not", "know the time yet": "know-the-time-yet"}
    (folder / "takes").mkdir(parents=True)
    for text in texts:
        name = "-".join(names[word] for word in text.split(" ... "))
        samples = phrase(text) + numpy.random.default_rng(1).normal(0, 0.0005, len(phrase(text)))
        soundfile.write(folder / "takes" / f"{name}.wav", samples, RATE)


def takes(folder):
    return {path.name: path.read_bytes() for path in (folder / "takes").iterdir()}


@pytest.fixture(scope="module")
def recorded(surroundings, memory):
    """A voice recorded in two runs: (folder, two people, takes between)."""
    scratch = memory / "recorded"
    scratch.mkdir()
    clocksmith, folder = Clocksmith(surroundings, scratch), scratch / "mine"
    microphone = Microphone(scratch / "server", surroundings)
    people, between = [], None
    try:
        for texts in PHRASES[:4], PHRASES[4:]:
            person = begin(clocksmith, microphone, folder)
            people.append(person)
            for text in texts:
                say_well(person, microphone, text)
            if between is None:
                person.wait_for(PHRASES[4])
                assert person.end(signal.SIGTERM) == 0
                between = takes(folder)
        person.wait_for("Enter makes the voice")
        person.press("\r")
        assert person.end() == 0
        return folder, people, between
    finally:
        for person in people:
            person.leave()
        microphone.close()


# MARK: What is refused


def test_a_take_that_is_unfit_is_told_with_what_to_do(microphone, sit_down, tmp_path):
    person = sit_down(microphone)
    person.wait_for(PHRASES[0])
    text = PHRASES[0]
    for samples, words in [
        (numpy.clip(phrase(text, 5), -1, 1), "clipped or too loud: "),
        (phrase(text, pause=numpy.zeros(RATE // 20)), "it is not clear where the 3 words part; "),
    ]:
        say(person, microphone, samples, words)
        person.wait_for("say ")
    person.press("\rq")
    person.wait_for("nothing is recorded of it yet: say it")
    assert person.end() == 0 and not (tmp_path / "mine").exists()


def test_a_microphone_that_goes_away_keeps_what_was_recorded(surroundings, sit_down, tmp_path):
    lay(tmp_path / "mine", *PHRASES[:3])
    before = takes(tmp_path / "mine")
    microphone = Microphone(tmp_path / "server", surroundings)
    try:
        person = sit_down(microphone)
        say_well(person, microphone, PHRASES[3])
        person.wait_for(PHRASES[4])
        microphone.speak(phrase(PHRASES[4]))
        microphone.server.kill()
        assert person.end() == 1
    finally:
        microphone.close()
    assert person.screen()[-2] == "clocksmith: 4 of 14 phrases are recorded; run it again to go on"
    assert re.match(r"clocksmith: .*microphone microphone: ", person.screen()[-1])
    after = takes(tmp_path / "mine")
    assert len(after) == 4 and before.items() <= after.items()


# MARK: How it is ended, and what it needs


@pytest.mark.parametrize("how", ["q", "\x03", signal.SIGHUP])
def test_it_can_be_ended_and_what_was_recorded_stays(microphone, sit_down, tmp_path, how):
    lay(tmp_path / "mine", *PHRASES[:3])
    before = takes(tmp_path / "mine")
    person = sit_down(microphone)
    person.wait_for("quiet, please")
    if isinstance(how, str):
        person.press(how)
    assert person.end(how if how == signal.SIGHUP else 0) == 0
    assert person.screen()[-1] == "clocksmith: 3 of 14 phrases are recorded; run it again to go on"
    assert takes(tmp_path / "mine") == before


def test_a_take_is_played_as_the_clock_will_say_it(microphone, sit_down, clocksmith, tmp_path):
    lay(tmp_path / "mine", *PHRASES)
    configuration = clocksmith.configuration(rest="[speaker]\ndevice = speaker")
    person = sit_down(microphone, tmp_path / "mine", "--config", configuration)
    person.wait_for("Enter makes the voice")
    person.press("bp")
    wait_until(microphone.speaker.played.exists, 60, "the take")
    wait_until(lambda: not is_open(person.process, microphone.speaker.played), 60, "its end")
    person.press("q")
    assert person.end() == 0
    heard = microphone.speaker.recording().samples
    assert list(pitches(heard)) == pytest.approx([pitch("I do not"), pitch("know the time yet")], abs=5)


def test_without_a_terminal_it_says_that_it_needs_one(clocksmith, tmp_path):
    done = clocksmith.run("voice", "record", tmp_path / "mine")
    assert "voice record needs a terminal" in refusal(done, 2)
    assert not (tmp_path / "mine").exists()


def test_a_microphone_that_is_not_there_is_told(sit_down, tmp_path):
    person = sit_down(None, tmp_path / "mine")
    assert person.end() == 1
    assert re.fullmatch(".*: there is no such microphone .*; --device names another microphone", *person.screen())
    assert not (tmp_path / "mine").exists()


def test_a_full_disk_loses_nothing_that_was_kept(microphone, sit_down, full_disk):
    person = sit_down(microphone, full_disk / "mine")
    say_well(person, microphone, PHRASES[0])
    assert person.end() == 1
    assert "No space left on device" in person.screen()[-1]
    assert "0 of 14" in person.screen()[-2]


# MARK: What becomes of it


def test_the_next_run_goes_on_where_the_first_stopped(recorded):
    folder, (_, second), between = recorded
    assert len(between) == 4 and between.items() <= takes(folder).items()
    shown = [line for line in second.screen() if re.match(r"\d+ of 14  ", line)]
    assert shown[0].endswith(PHRASES[4]) and len(shown) == 10


def test_what_was_recorded_becomes_a_pack(recorded):
    folder, (_, second), _ = recorded
    assert second.screen()[-9:] == [
        f"made {folder}: 20 clips", "in 12 hours it says the quarters of an hour",
        "it has no words of timers, which give a signal alone", "to hear it:",
        f"  clocksmith voice try {folder} 15:15", "to put it where the service can read it:",
        f"  sudo install -D -m 644 -t /usr/local/share/{folder.name} {folder}/LICENCE {folder}/voice.conf {folder}/*.flac",
        "to use it, in [announce] of the configuration:", f"  voice = /usr/local/share/{folder.name}"]
    assert {path.name for path in folder.iterdir() if path.suffix != ".flac"} == {
        "takes", "voice.conf", "LICENCE"}


@pytest.mark.parametrize(
    "time, text", [("15:45", "three forty-five P M"), ("00:15", "twelve fifteen A M"),
                   ("04:00", "four o'clock")])
def test_the_pack_speaks(clocksmith, recorded, tmp_path, time, text):
    output = tmp_path / "said.wav"
    done = clocksmith.run(
        "say", time, "--output", output, "--config", clocksmith.configuration(voice=recorded[0]))
    assert done.stdout == f"{text}\n", done.stderr
    words = text.replace(" M", "_M").split()
    heard = list(pitches(soundfile.read(output)[0]))
    assert heard == pytest.approx([pitch(word.replace("_", " ")) for word in words], abs=5)


def test_the_meter_shows_the_level_while_one_speaks(recorded):
    _, people, _ = recorded
    meters = [meter for person in people for meter in re.findall(r"  ([#.|]{40}) ", person.text)]
    assert max(meter.count("#") for meter in meters) in range(30, 38)
