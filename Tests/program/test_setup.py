"""The questions of `setup`, and the file that the answers make."""

import glob
import signal

import pytest

from exact_speaker import ExactSpeaker
from pretended_card import pretended_card
from pretended_line import PretendedLine
from program import ROOT, SILENT_ALSA, refusal
from sound_server import wait_until
from terminal import Terminal

WITHOUT_GPIO = pytest.mark.skipif(
    bool(glob.glob("/dev/gpiochip*")), reason="SKIP: this machine has GPIO chips of its own")


@pytest.fixture
def sit_down(clocksmith, tmp_path):
    """Starts the setup at a terminal, with one sound card: the person."""
    people = []
    speaker = ExactSpeaker(tmp_path)
    card = pretended_card(tmp_path)
    (tmp_path / "asound.conf").write_text(SILENT_ALSA + speaker.device("card"))

    def begin(*words, line=None, output=tmp_path / "made.conf", command=("setup",)):
        libraries = [card["LD_PRELOAD"], line.environment["LD_PRELOAD"]] if line else [card["LD_PRELOAD"]]
        clocksmith.environment = clocksmith.environment | {"LD_PRELOAD": ":".join(libraries)}
        clocksmith.environment["ALSA_CONFIG_PATH"] = str(tmp_path / "asound.conf")
        if output:
            words = ("--output", output, *words)
        people.append(Terminal(clocksmith, *command, *words))
        people[-1].speaker, people[-1].made = speaker, output
        return people[-1]
    yield begin
    for person in people:
        person.leave()


HEARD = "Did you hear it? y or n [n]"
AGAIN = "Try again? y or n [n]"
VOICE = "Voice [heart]"
TAKE = "Take this voice? y or n [y]"
QUIET = "Quiet [none]"
SWITCH = "or none [none]"
RTC = "RTC: auto, none, or its name [auto]"
ZONE = "Zone: none for the system's, or as in Europe/London [none]"
WRITE = "Write it? y or n [y]"
QUESTIONS = [HEARD, HEARD, VOICE, TAKE, QUIET, RTC, ZONE, WRITE]


def answer(person, *dialogue):
    """Waits for each question, and gives its answer; alone, a question is answered by Return."""
    for each in dialogue:
        question, words = (each, "") if isinstance(each, str) else each
        # A busy machine breaks off what sounds.
        while person.wait_for(question, AGAIN) != question:
            person.press("y\r")
        person.press(f"{words}\r")


def entries(person):
    """The file that was written, without its comment."""
    return person.made.read_text(encoding="utf-8").splitlines()[1:]


# MARK: What the answers make


def test_return_leaves_everything_as_it_is(sit_down):
    person = sit_down()
    answer(person, *QUESTIONS)
    assert person.end() == 0
    assert entries(person) == [
        "[speaker]", "device = default", "[announce]", "voice = heart", "quiet = none",
        "[switch]", "line = none", "active = low", "[clock]", "rtc = auto"]
    assert not list(person.made.parent.glob("*.part"))


def test_the_answers_are_written_and_those_that_cannot_be_used_are_asked_again(sit_down, clocksmith):
    person = sit_down()
    answer(person, (HEARD, "y"))
    for question, wrong, told, right in [
        (VOICE, "nobody", "nobody: there is no such voice", "slt"),
        (TAKE, "perhaps", "", ""),
        (QUIET, "22-7", "'22-7' is not a time of day from-to", "mon-fri 22:00-07:00"),
        (RTC, "ds9999", "rtc = ds9999: there is no", "none"),
        (ZONE, "Europe/Nowhere", "zone 'Europe/Nowhere': not in the tz database", "Europe/Paris"),
    ]:
        if question == ZONE:
            person.wait_for("the system's is Europe/London, where it is ")
        answer(person, (question, wrong))
        person.wait_for(told)
        answer(person, (question, right))
    answer(person, WRITE)
    assert person.end() == 0
    assert entries(person) == [
        "[speaker]", "device = plughw:CARD=Pretended,DEV=0", "[announce]", "voice = slt",
        "quiet = mon-fri 22:00-07:00", "[switch]", "line = none", "active = low", "[clock]", "rtc = none",
        "zone = Europe/Paris"]


def test_each_card_and_each_voice_is_heard(sit_down):
    person = sit_down()
    person.wait_for("said \"three fifteen P M\"")
    assert person.speaker.is_heard()
    person.speaker.played.unlink()
    # The other speaker is silent: the voice is heard on the one that was chosen.
    answer(person, (HEARD, "y"))
    person.wait_for(VOICE)
    assert not person.speaker.played.exists()
    person.press("rms\r")
    person.wait_for("said \"three fifteen P M\"")
    assert person.speaker.is_heard()
    answer(person, (TAKE, "n"), VOICE, TAKE, QUIET, RTC, ZONE, WRITE)
    assert person.end() == 0
    assert "voice = heart" in entries(person)


@WITHOUT_GPIO
@pytest.mark.parametrize("name, number, reply", [("SWITCH", 0, "SWITCH"), ("GPIO17", 17, "find"), ("GPIO17", 17, "GPIO17")])
def test_the_line_of_the_switch_is_shown_while_it_is_toggled(sit_down, tmp_path, name, number, reply):
    line = PretendedLine(tmp_path, number)
    person = sit_down(line=line)
    answer(person, HEARD, HEARD, VOICE, TAKE, QUIET, (SWITCH, reply))
    person.wait_for("Toggle the switch")
    line.put(True)
    person.wait_for(f"{name} connected to ground: silent")
    line.put(False)
    person.wait_for(f"{name} open: may sound")
    answer(person, "", RTC, ZONE, WRITE)
    assert person.end() == 0
    assert f"line = {name}" in entries(person)


@WITHOUT_GPIO
def test_a_line_with_another_function_is_not_taken(sit_down, tmp_path):
    person = sit_down(line=PretendedLine(tmp_path, 2))
    answer(person, HEARD, HEARD, VOICE, TAKE, QUIET, (SWITCH, "GPIO2"))
    person.wait_for("GPIO2: it is in use, or would end another function; take a free line")
    answer(person, SWITCH, RTC, ZONE, WRITE)
    assert person.end() == 0
    assert "line = none" in entries(person)


@WITHOUT_GPIO
def test_a_switch_that_changes_no_line_is_asked_for_again(sit_down, tmp_path):
    person = sit_down(line=PretendedLine(tmp_path, 17))
    answer(person, HEARD, HEARD, VOICE, TAKE, QUIET, (SWITCH, "GPIO99"))
    person.wait_for("there is no such line")
    answer(person, (SWITCH, "find"), "then press Return")
    person.wait_for("no line has changed")
    answer(person, SWITCH, RTC, ZONE, WRITE)
    assert person.end() == 0
    assert "line = none" in entries(person)


# MARK: How it ends


@pytest.mark.parametrize("keys, number, status", [
    ("q\r", 0, 1), ("q\r", len(QUESTIONS) - 1, 1), ("\x04", 3, 1), ("\x03", 2, -signal.SIGINT)],
    ids=["q", "q at the end", "end of input", "Ctrl-C"])
def test_it_can_be_ended_at_a_question_and_nothing_is_written(sit_down, keys, number, status):
    person = sit_down()
    answer(person, *QUESTIONS[:number])
    person.wait_for(QUESTIONS[number])
    person.press(keys)
    assert person.end() == status
    if status == 1:
        assert person.screen()[-1] == "clocksmith: setup has ended; nothing is written"
    assert not list(person.made.parent.glob("made.conf*"))


@pytest.mark.parametrize("command", ["setup", "check --speaker"])
def test_without_a_terminal_it_says_that_it_needs_one(clocksmith, command):
    assert f"{command} needs a terminal" in refusal(clocksmith.run(*command.split()), 2)


def test_a_file_that_is_there_is_replaced_only_if_the_person_says_so(sit_down, tmp_path):
    (tmp_path / "made.conf").write_text("mine\n")
    for reply, status in ("", 1), ("y", 0):
        person = sit_down()
        answer(person, *QUESTIONS[:-1], ("It is there already. Replace it? y or n [n]", reply))
        assert person.end() == status
        assert (person.made.read_text() == "mine\n") == (status == 1)


# MARK: With the service


def test_a_speaker_that_is_not_free_is_told_and_tried_again(sit_down, start, on_the_bus, slow_voice):
    start(voice=slow_voice)
    assert on_the_bus.run("say", "11:45").returncode == 0
    wait_until(lambda: '"playing"' in on_the_bus.run("status", "--json").stdout, 20, "the words")
    person = sit_down()
    person.wait_for("the clock is saying 'eleven forty-five A M'; wait until it is silent, or 'clocksmith stop' it")
    person.wait_for(AGAIN)
    assert on_the_bus.run("stop").returncode == 0
    wait_until(lambda: '"playing"' not in on_the_bus.run("status", "--json").stdout, 20, "silence")
    person.press("y\r")
    person.wait_for("said \"three fifteen P M\"")


@pytest.fixture
def in_etc(etc, monkeypatch):
    """The folder that is /etc/clocksmith on the terminal, where the unit is installed."""
    unit = etc.root / "systemd/system/clocksmith.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    monkeypatch.setattr("terminal.PROGRAM", etc.program)
    return etc.folder


START = ("Start the clock with it, or let the running one read it? y or n [y]", "n")


def test_what_the_owner_has_added_stays_and_only_what_differs_is_written(sit_down, in_etc):
    """Neither an alarm nor a comment is lost, and no line of another file is hidden behind a default."""
    (in_etc / "clocksmith.conf").write_text("[announce]\nvoice = rms\nquiet = 22:00-07:00\n")
    made = in_etc / "conf.d/50-setup.conf"
    made.write_text("; mine\r\n[alarm school]\ntime = 07:00\n[announce]\nvoice = slt\ninterval = 30\n"
                    "[clock]\nrtc = none\n")
    person = sit_down(output=None)
    answer(person, HEARD, HEARD, ("Voice [slt]", "rms"), TAKE, ("Quiet [22:00-07:00]", ""),
           (RTC.replace("auto]", "none]"), ""), (ZONE, "Europe/Paris"),
           ("It is there already. Replace it? y or n [n]", "YES"), START)
    assert person.end() == 0
    assert made.read_bytes().decode() == (
        "; mine\r\n[alarm school]\ntime = 07:00\n[announce]\ninterval = 30\n"
        "[clock]\nrtc = none\nzone = Europe/Paris\n")


def test_nothing_is_written_if_everything_is_set_like_that_already(sit_down, in_etc):
    (in_etc / "clocksmith.conf").write_text("[announce]\nvoice = rms\n")
    person = sit_down(output=None)
    answer(person, HEARD, HEARD, "Voice [rms]", TAKE, QUIET, RTC, ZONE)
    person.wait_for("Everything is set like that already; nothing is written.")
    answer(person, START)
    assert person.end() == 0
    assert not list((in_etc / "conf.d").iterdir())


def test_an_answer_that_no_file_can_hold_is_asked_for_again(sit_down, in_etc):
    person = sit_down(output=None)
    long = ", ".join(f"{day} 22:00-07:00, {day} 12:00-13:00" for day in "mon tue wed thu fri sat sun".split())
    answer(person, HEARD, HEARD, VOICE, TAKE, (QUIET, long))
    person.wait_for("50-setup.conf:3: the line is longer than 198 characters; shorten it")
    answer(person, (QUIET, "22:00-07:00"), RTC, ZONE, WRITE, START)
    assert person.end() == 0
    assert "quiet = 22:00-07:00\n" in (in_etc / "conf.d/50-setup.conf").read_text()


def test_a_file_that_cannot_be_read_is_told_and_can_be_replaced(sit_down, in_etc):
    made = in_etc / "conf.d/50-setup.conf"
    made.write_text("[announce]\nquiet = " + "x" * 200 + "\n")
    person = sit_down(output=None)
    person.wait_for("50-setup.conf:2: the line is longer")
    person.wait_for("; a new file will have nothing of what is in it")
    answer(person, HEARD, HEARD, (VOICE, "slt"), TAKE, QUIET, RTC, ZONE,
           ("It is there already. Replace it? y or n [n]", "Yes"), START)
    assert person.end() == 0
    assert made.read_text().splitlines()[1:] == ["[announce]", "voice = slt"]


def test_a_voice_that_is_not_there_is_not_taken(sit_down, in_etc):
    (in_etc / "clocksmith.conf").write_text("[announce]\nvoice = gone\n")
    person = sit_down(output=None)
    for _ in range(2):
        person.wait_for(AGAIN)
        person.press("n\r")
    answer(person, "Voice [gone]")
    person.wait_for("voice 'gone': not found")
    answer(person, ("Voice [gone]", "slt"), TAKE, QUIET, RTC, ZONE, WRITE, START)
    assert person.end() == 0
    assert "voice = slt\n" in (in_etc / "conf.d/50-setup.conf").read_text()


def test_a_voice_with_words_for_another_clock_brings_that_clock(sit_down, in_etc):
    voice = ROOT / "sounds/languages/fr"
    (in_etc / "clocksmith.conf").write_text(f"[announce]\nvoice = {voice}\n")
    person = sit_down(output=None)
    clock = "It has words for clock = 24 only. Set that? y or n [y]"
    for _ in range(2):
        person.wait_for(AGAIN)
        person.press("n\r")
    answer(person, f"Voice [{voice}]", (clock, "No"), f"Voice [{voice}]", clock, TAKE, QUIET, RTC, ZONE, WRITE, START)
    assert person.end() == 0
    assert (in_etc / "conf.d/50-setup.conf").read_text().splitlines()[1:] == ["[announce]", "clock = 24"]


@pytest.mark.parametrize("reply", ["", "n", "q"])
def test_the_file_of_the_service_is_written_and_the_service_reads_it(
        sit_down, clocksmith, in_etc, tmp_path, reply):
    told = tmp_path / "told"
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$@" >>{told}\n')
    systemctl.chmod(0o755)
    clocksmith.environment["PATH"] = f"{tmp_path}:{clocksmith.environment['PATH']}"
    person = sit_down(output=None)
    answer(person, *QUESTIONS[:2], (VOICE, "slt"), *QUESTIONS[3:], ("Start the clock with it, or let the running one read it? y or n [y]", reply))
    assert person.end() == 0
    made = in_etc / "conf.d/50-setup.conf"
    assert "voice = slt" in made.read_text() and made.stat().st_mode & 0o777 == 0o644
    assert told.exists() == (reply == "")
    if told.exists():
        assert told.read_text() == "reload-or-restart clocksmith.service\n"


def test_what_is_set_already_is_the_usual_answer(sit_down, in_etc):
    (in_etc / "clocksmith.conf").write_text("[announce]\nvoice = rms\nquiet = 22:00-07:00\n")
    (in_etc / "conf.d/50-setup.conf").write_text("[announce]\nvoice = slt\n[clock]\nrtc = none\n")
    person = sit_down()
    answer(person, HEARD, HEARD, "Voice [slt]", TAKE, "Quiet [22:00-07:00]", RTC.replace("auto]", "none]"), ZONE, WRITE)
    assert person.end() == 0
    assert {"voice = slt", "quiet = 22:00-07:00", "rtc = none"} <= set(entries(person))


def test_an_answer_that_is_not_in_force_is_told(sit_down, clocksmith, in_etc, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    (state / "settings.conf").write_text("[announce]\nquiet = 01:00-02:00\n")
    clocksmith.environment["STATE_DIRECTORY"] = str(state)
    (in_etc / "conf.d/60-mine.conf").write_text("[clock]\nrtc = none\n")
    person = sit_down(output=None)
    answer(person, HEARD, HEARD, VOICE, TAKE, ("Quiet [01:00-02:00]", "none"),
           (RTC.replace("auto]", "none]"), "auto"), ZONE, WRITE)
    person.wait_for(
        f"note: announce.quiet is 01:00-02:00, for {state}/settings.conf:2 has it and counts more; "
        "'clocksmith set announce.quiet --default' takes it back")
    person.wait_for(
        "note: clock.rtc is none, for /etc/clocksmith/conf.d/60-mine.conf:2 has it and counts more; "
        "remove it there")
    answer(person, ("Start the clock with it, or let the running one read it? y or n [y]", "n"))
    assert person.end() == 0
    assert person.text.count("note:") == 2


@WITHOUT_GPIO
def test_a_line_that_the_running_clock_has_is_told(sit_down, clocksmith, in_etc, tmp_path):
    (in_etc / "clocksmith.conf").write_text("[switch]\nline = GPIO17\nactive = high\n")
    clocksmith.environment["HOLDER"] = "clocksmith"
    person = sit_down(line=PretendedLine(tmp_path, 17))
    answer(person, HEARD, HEARD, VOICE, TAKE, QUIET)
    person.wait_for("GPIO16, GPIO22")
    person.wait_for("GPIO17 is held by 'clocksmith' already; 'systemctl stop clocksmith' frees it")
    answer(person, "or none [GPIO17]", RTC, ZONE, WRITE)
    assert person.end() == 0
    assert {"line = GPIO17", "active = high"} <= set(entries(person))


def test_a_speaker_that_does_not_play_is_told_and_tried_again(sit_down, in_etc):
    (in_etc / "clocksmith.conf").write_text("[speaker]\ndevice = gone\n")
    person = sit_down()
    answer(person, HEARD)
    for reply in "yn":
        person.wait_for("cannot open speaker gone: there is no such speaker")
        answer(person, (AGAIN, reply))
    person.wait_for("the speaker is gone")


# MARK: The speaker alone


CHECK = {"command": ("check", "--speaker"), "output": None}


@pytest.mark.parametrize("device, file", [
    ("", "/etc/clocksmith/conf.d/my.conf"), ("device = default\n", "/etc/clocksmith/clocksmith.conf:3")])
def test_check_says_which_line_makes_the_card_that_was_heard_the_speaker(sit_down, in_etc, device, file):
    (in_etc / "clocksmith.conf").write_text(f"[speaker]\nmixer = PCM\n{device}")
    person = sit_down(**CHECK)
    person.wait_for("Speaker: Pretended, plughw:CARD=Pretended,DEV=0")
    person.wait_for("said \"three fifteen P M\"")
    assert person.speaker.is_heard()
    answer(person, (HEARD, "y"))
    assert person.end() == 0
    assert person.screen()[-4:] == [
        f"Write this into {file}, then run 'sudo systemctl reload clocksmith':",
        "[speaker]", "device = plughw:CARD=Pretended,DEV=0", "mixer = none"]


@pytest.mark.parametrize("answers, status, told", [
    (["n", "y"], 0, "The clock uses this speaker already: device = default"),
    (["n", "n"], 3, "clocksmith: no speaker was heard; look at its power, its plug and its volume ('alsamixer')"),
    (["q"], 1, "clocksmith: check --speaker has ended")])
def test_check_asks_for_each_speaker_and_says_what_came_of_it(sit_down, answers, status, told):
    person = sit_down(**CHECK)
    answer(person, *((HEARD, each) for each in answers))
    assert person.end() == status
    assert person.screen()[-1] == told
