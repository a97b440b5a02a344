"""How the card tells the Pi's firmware about the parts on the header: deploy/device/.../parts."""

import os
import re
import subprocess
from pathlib import Path

import pytest

DEVICE = Path(__file__).parents[2] / "deploy" / "device"
SCRIPTS = DEVICE / "files" / "usr" / "lib" / "clocksmith-card"
RTCS = ("ds3231", "ds1307", "pcf8523", "pcf8563", "pcf85063")
OVERLAYS = ("max98357a", "pcm5102a",
            *(f"rtc-{rtc}{board}" for rtc in RTCS for board in ("", "-pi5")))
# The line of the button in docs/hardware.md.
BUTTON = "[button]\nline = GPIO27\n"
BOARDS = {
    "Pi 3": b"raspberrypi,3-model-b\0brcm,bcm2837\0",
    "Pi 5": b"raspberrypi,5-model-b\0brcm,bcm2712\0",
}


class Boot:
    """A boot partition in a folder, and the board that it is in."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "boot" / "overlays").mkdir(parents=True)
        for name in OVERLAYS:
            (folder / "boot" / "overlays" / f"{name}.dtbo").touch()
        for name in ("config.txt", "parts.txt"):
            (folder / "boot" / name).write_bytes((DEVICE / "boot" / name).read_bytes())
        self.parts = folder / "boot" / "parts.txt"
        self.put_into("Pi 3")

    def put_into(self, board):
        (self.folder / "compatible").write_bytes(BOARDS[board])

    def start(self, rtc="", sound=""):
        """Whether it wrote the file, which the firmware must then read again, and its log lines."""
        end = subprocess.run(
            [SCRIPTS / "parts", self.folder / "boot", rtc, sound, self.folder / "compatible"],
            env={**os.environ, "CLOCKSMITH_CONF_D": str(self.folder / "conf.d")},
            capture_output=True, text=True, timeout=60)
        return end.stdout == "wrote\n", end.stderr

    def overlays(self):
        text = self.parts.read_text()
        assert len(text) == 512, "one sector"
        return [line.removeprefix("dtoverlay=") for line in text.splitlines()
                if line and not line.startswith("#")]

    def configuration(self):
        return (self.folder / "conf.d" / "40-parts.conf").read_text()


@pytest.fixture
def boot(tmp_path):
    return Boot(tmp_path)


def test_a_card_as_it_is_shipped_restarts_for_nothing(boot):
    assert boot.start() == (False, "<6>wired to the header: RTC none, sound none\n")
    assert boot.overlays() == []
    assert boot.configuration() == BUTTON


@pytest.mark.parametrize("text, has", [
    ("[switch]\nline = GPIO17\n", True), ("[led]\n;line = GPIO27\n", True), ("[led]\nline = GPIO27\n", False),
    ("[led]\nline=pinctrl-rp1:27\n", False)])
def test_a_pi_has_a_button_unless_its_line_has_another_use(boot, text, has):
    (boot.folder / "conf.d").mkdir()
    (boot.folder / "conf.d" / "50-card.conf").write_text(text)
    boot.start()
    assert boot.configuration() == (BUTTON if has else "")


def test_what_is_no_pi_has_no_button(boot):
    (boot.folder / "compatible").write_bytes(b"linux,dummy-virt\0")
    boot.start()
    assert boot.configuration() == ""


def test_an_rtc_and_a_sound_card_are_told_to_the_firmware_once(boot):
    assert boot.start("ds3231", "max98357a")[0]
    assert boot.overlays() == ["rtc-ds3231", "max98357a"]
    assert not boot.start("ds3231", "max98357a")[0]
    assert boot.start("", "")[0]
    assert boot.overlays() == []


def test_the_service_is_told_what_there_should_be(boot):
    boot.start("pcf8523", "hifiberry-dac")
    assert boot.configuration() == (
        "[clock]\nrtc = pcf8523\n[speaker]\ndevice = plughw:CARD=PCM5102A\n" + BUTTON)


@pytest.mark.parametrize("text", ["", "dtoverlay=junk\n" * 60, None], ids=["empty", "too long", "gone"])
def test_what_a_pc_made_of_the_file_is_put_right_once(boot, text):
    boot.parts.unlink() if text is None else boot.parts.write_text(text)
    assert boot.start("ds3231")[0]
    assert boot.overlays() == ["rtc-ds3231"]
    assert not boot.start("ds3231")[0]


def test_a_card_that_is_put_into_another_model_restarts_once(boot):
    rtc = "pcf8563"
    boot.start(rtc)
    boot.put_into("Pi 5")
    assert boot.start(rtc)[0]
    assert boot.overlays() == [f"rtc-{rtc}-pi5"]
    assert not boot.start(rtc)[0]


@pytest.mark.parametrize("rtc, sound, told, overlay, key", [
    ("ds9999", "max98357a",
     "<3>rtc 'ds9999' in clocksmith.txt is not an RTC of this card: use ds3231, ds1307, pcf8523, pcf8563 or pcf85063",
     "max98357a", "rtc"),
    ("ds3231", "max98357a, pcm5102a",
     "<3>sound 'max98357a, pcm5102a' in clocksmith.txt is no amplifier or DAC that this card knows", "rtc-ds3231", "device")])
def test_a_part_that_the_card_does_not_know_is_told_and_left_out(boot, rtc, sound, told, overlay, key):
    wrote, lines = boot.start(rtc, sound)
    assert wrote and lines.startswith(told)
    assert boot.overlays() == [overlay]
    assert key not in boot.configuration()


def test_i2s_on_a_pi_5_is_refused_with_what_to_use_instead(boot):
    boot.put_into("Pi 5")
    _, told = boot.start("ds3231", "max98357a")
    assert "sound 'max98357a' in clocksmith.txt: " in told
    assert "has no I2S for a Raspberry Pi 5: use a USB speaker" in told
    assert boot.overlays() == ["rtc-ds3231-pi5"]
    assert "device" not in boot.configuration()


def test_two_sound_cards_on_the_same_pins_are_refused(boot):
    config = boot.folder / "boot" / "config.txt"
    config.write_text(config.read_text() + "dtoverlay=hifiberry-dac\n")
    _, told = boot.start("", "max98357a")
    assert "'dtoverlay=hifiberry-dac' in config.txt: both are on the same pins" in told
    assert boot.overlays() == []


def settings(tmp_path, text, encoding="utf-8"):
    """The journal lines about [card] in clocksmith.txt, by that part of the settings script."""
    file = tmp_path / "clocksmith.txt"
    file.write_text(text, encoding=encoding)
    # What comes behind this would change the machine.
    script, _ = (SCRIPTS / "settings").read_text().split("\nmkdir -p /etc/clocksmith/conf.d\n")
    return subprocess.run(["sh", "-c", script, SCRIPTS / "settings", file], capture_output=True,
                          text=True, timeout=60, check=True).stdout


@pytest.mark.parametrize("text, told", [
    ("[card]\nrct = ds3231\nzone = Etc/UTC\n; x = y\n[announce]\nvoice = rms\n",
     "<3>'rct' in [card] of clocksmith.txt is not a setting of the card: use hostname, zone, user, "),
    ("[card]\nsound = max98357a\nsound = pcm5102a\n",
     "<3>'sound' stands twice in [card] of clocksmith.txt: the last one counts"),
    ("; a comment\nrtc = ds3231\nzone = Etc/UTC\n[card]\n",
     "<3>what stands before the first section of clocksmith.txt is not read: begin with [card]"),
    ("[Card]\nrtc = ds3231\n", "'[Card]' in clocksmith.txt is not '[card]'"),
    ("[card]\nrtc = ds3231 ; on the header\npassword = secret\n",
     "<5>the comment behind 'rtc' in [card] of clocksmith.txt is left out: write a value that has ' ;' in it in quotes"),
])
def test_a_slip_in_the_settings_is_told(tmp_path, text, told):
    said = settings(tmp_path, text)
    assert told in said and said.count("\n") == 1


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_not_saved_as_utf_8_is_told(tmp_path, encoding):
    assert "save it as UTF-8" in settings(tmp_path, "[card]\nwifi_name = Müller\n", encoding)


def test_the_settings_that_ship_are_all_known(tmp_path):
    text = (DEVICE / "boot" / "clocksmith.txt").read_text()
    offered = re.sub(r"(?m)^;(\w+ =)", r"\1", text)
    assert offered.count("\nrtc =") == 1, "what is offered is not commented out any more"
    assert settings(tmp_path, offered) == ""
