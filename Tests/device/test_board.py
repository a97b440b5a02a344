"""The card on the Pi's own board: the card itself finds what is wired to the header."""

import re
import shutil
import subprocess

import pytest

from board import Board, emulator
from device import Device
from hearing import hear_occasion
from speaker import Speaker

RTC = ["-device", "ds1338,bus=i2c-bus.1,address=0x68"]


def usb_card(folder):
    return ["-audiodev", f"wav,id=usb,path={folder}/usb.wav,out.frequency=48000",
            "-device", "usb-audio,audiodev=usb"]


CONFIGURATION = """\
[announce]
chime = none
[switch]
line = GPIO17
active = high
[led]
line = GPIO4
"""

# Bit 7 of register 15 of a DS3231 says that its oscillator has stopped, so its time is worthless.
# Register 15 of the emulated chip is plain memory. This writes it past the driver, on /dev/i2c-1.
STOP_OSCILLATOR = r"""modprobe i2c-dev && perl -e 'open(B, "+<", "/dev/i2c-1") or die; """ \
    r"""ioctl(B, 0x706, 0x68) or die; syswrite(B, "\x0f\x80") == 2 or die'"""


# Waits for the USB card. The emulated controller sometimes tells the kernel, in the middle of the first
# look at what is plugged in, that nothing is any more. It is then started again, as if plugged in again.
# It counts as plugged in once it has been there for three seconds.
PLUGGED_IN = """for attempt in 1 2 3 4 5 6; do
    for wait in $(seq 40); do
        if grep -q USB-Audio /proc/asound/cards; then
            sleep 3
            if grep -q USB-Audio /proc/asound/cards; then echo "seen, $attempt"; break 2; fi
        fi
        sleep 0.25
    done
    for action in unbind bind; do echo 3f980000.usb >/sys/bus/platform/drivers/dwc2/$action; done
done"""


@pytest.fixture(scope="module")
def program():
    for tool in ("fdtoverlay", "mcopy"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing: run 'sudo apt-get install device-tree-compiler mtools'")
    path, why = emulator()
    if not path:
        pytest.skip(why)
    return path


@pytest.fixture(scope="module")
def pi(card, program, tmp_path_factory, figures):
    """A Pi 3B with a DS3231: a first start up to its restart, then, a day later, a start with a USB card."""
    folder = tmp_path_factory.mktemp("pi") / "board"
    board = Board(card, folder, "bcm2837-rpi-3-b", program,
                  "[card]\nhostname = belfry\nzone = Europe/London\nrtc = ds3231\n", CONFIGURATION)
    try:
        board.first = board.run({"reached": "true"}, "2027-06-14T09:03:00", RTC)
        board.first_words = board.told("wired to the header")
        board.steps = board.run({
            "usb": PLUGGED_IN,
            "name": "hostname; tr -d '\\0' </proc/device-tree/model",
            "data": "findmnt -n -b -o SIZE /data",
            "kernel": "dmesg | grep -E 'rtc|snd|usb-audio|i2c'; cat /sys/class/rtc/rtc0/{name,hctosys}",
            "failed": "systemctl --failed --no-legend",
            "check": "clocksmith check",
            "status": "clocksmith status",
            "ready": "systemctl show clocksmith -P ActiveState",
            "say": "clocksmith say; sleep 8; journalctl -b -u clocksmith -o cat | tail -n 20",
            "stopped": f"{STOP_OSCILLATOR} && systemctl restart clocksmith && clocksmith status; "
                       "journalctl -b -u clocksmith -o cat | tail -n 12",
            "check stopped": "clocksmith check",
        }, "2027-06-15T09:03:00", [*RTC, *usb_card(folder)])
        board.heard = Speaker(folder / "usb.wav")
        figures["the Pi 3B, to READY"] = re.search(
            r"[\d.]+", board.told("Started clocksmith.service"))[0] + " s of the machine's time"
        figures["the Pi 3B, its RTC"] = board.told("setting system clock").split("rtc-", 1)[-1]
        yield board
    except BaseException:
        print(board.last_words())
        raise
    finally:
        board.remove()


def test_the_first_start_tells_the_firmware_and_restarts_once(pi):
    assert pi.first == {}, "it restarts before the clock starts"
    assert "RTC ds3231, sound none" in pi.first_words
    assert "dtoverlay=rtc-ds3231\n" in pi.read_boot("parts.txt")
    assert pi.firmware.overlays == ["rtc-ds3231"]
    assert pi.steps, "the second start goes through"


def test_the_card_starts_on_a_pi_with_nothing_failed(pi):
    assert pi.steps["name"].splitlines() == ["belfry", "Raspberry Pi 3 Model B"]
    assert pi.steps["ready"] == "active"
    assert pi.steps["failed"] == ""
    assert int(pi.steps["data"]) > 200 << 20, "the data partition has taken the rest of the card"


def test_the_rtc_on_the_header_sets_the_clock_after_a_day_without_power(pi):
    assert "setting system clock to 2027-06-15T09:03" in pi.told("setting system clock")
    assert "the RTC ds3231 is valid" in pi.told("clocksmith.*the RTC")
    assert "clock holdover" in pi.told("clocksmith.*started:")
    assert re.search(r"(?m)^clock .*holdover, agrees with the RTC ds3231", pi.steps["status"]), pi.steps["status"]
    assert re.search(r"(?m)^ok +rtc +ds3231 \(rtc0\), valid", pi.steps["check"]), pi.steps["check"]


def test_the_lines_of_the_header_are_found_by_the_names_that_people_use(pi):
    assert re.search(r"(?m)^ok +switch +GPIO17 \(pinctrl-bcm2835:17\)", pi.steps["check"]), pi.steps["check"]
    # Debian's device tree names this line after its other function.
    assert re.search(r"(?m)^ok +led +GPIO_GCLK \(pinctrl-bcm2835:4\)", pi.steps["check"]), pi.steps["check"]


def test_a_usb_card_is_found_and_played_on(pi):
    assert re.search(r"(?m)^ok +card +plughw:CARD=\w+,DEV=0: ", pi.steps["check"]), \
        f"{pi.steps['usb']}\n{pi.steps['kernel']}\n{pi.steps['check']}"
    assert re.search(r'(?m)^said "ten oh \w+ A M"', pi.steps["say"]), pi.steps["say"]
    assert pi.heard.sounds(), "the card was given something to play"


def test_an_rtc_whose_oscillator_stopped_is_not_believed(pi):
    assert "untrusted" in pi.steps["stopped"].splitlines()[0] or \
        re.search(r"(?m)^clock .*untrusted", pi.steps["stopped"]), pi.steps["stopped"]
    assert re.search(r"(?m)^FOUND rtc +ds3231", pi.steps["check stopped"]), pi.steps["check stopped"]
    assert re.search(r"(?m)^FOUND clock ", pi.steps["check stopped"]), pi.steps["check stopped"]


@pytest.fixture(scope="module")
def zero(card, program, tmp_path_factory):
    """A Zero 2 W with an amplifier on the header and a USB card; its configured RTC is missing."""
    folder = tmp_path_factory.mktemp("zero") / "board"
    board = Board(card, folder, "bcm2837-rpi-zero-2-w", program,
                  "[card]\nzone = Etc/UTC\nrtc = pcf8523\nsound = max98357a\n",
                  # The emulated I2S takes no sound: the first one would hang the board.
                  "[announce]\nchime = none\nat_start = none\n")
    try:
        assert board.run({"reached": "true"}, "2027-06-15T09:03:00") == {}
        board.steps = board.run({
            "usb": PLUGGED_IN,
            "name": "tr -d '\\0' </proc/device-tree/model",
            "cards": "cat /proc/asound/cards",
            "check": "clocksmith check",
            "status": "clocksmith status",
            "ready": "systemctl show clocksmith -P ActiveState",
        }, "2027-06-15T09:03:00", usb_card(folder))
        yield board
    except BaseException:
        print(board.last_words())
        raise
    finally:
        board.remove()


def test_the_card_starts_on_a_zero_2_w(zero):
    assert zero.steps["name"] == "Raspberry Pi Zero 2 W"
    assert zero.steps["ready"] == "active"
    assert zero.firmware.overlays == ["usb-host", "rtc-pcf8523", "max98357a"]


def test_the_port_of_a_zero_2_w_takes_a_usb_card(zero):
    assert "USB-Audio" in zero.steps["cards"], zero.steps["cards"]


def test_an_amplifier_on_the_header_is_a_card_of_its_name(zero):
    assert re.search(r"\[MAX98357A *\]: simple-card", zero.steps["cards"]), zero.steps["cards"]
    assert re.search(r"(?m)^ok +card +plughw:CARD=MAX98357A,DEV=0", zero.steps["check"]), zero.steps["check"]


def test_without_the_rtc_that_was_asked_for_the_clock_is_untrusted_and_says_so(zero):
    assert "clock untrusted" in zero.told("clocksmith.*started:")
    assert re.search(r"(?m)^FOUND rtc .*pcf8523.*wired", zero.steps["check"]), zero.steps["check"]


def overlays_that_fit(card, tree, folder):
    """The names of the card's overlays that apply to a device tree."""
    return {overlay.stem for overlay in (card / "overlays").glob("*.dtbo")
            if subprocess.run(["fdtoverlay", "-i", tree, "-o", folder / "out.dtb", overlay],
                              capture_output=True).returncode == 0}


def test_each_overlay_fits_every_device_tree_that_it_is_for(card, tmp_path):
    if not shutil.which("fdtoverlay"):
        pytest.skip("fdtoverlay is missing: run 'sudo apt-get install device-tree-compiler'")
    every = {overlay.stem for overlay in (card / "overlays").glob("*.dtbo")}
    pi5 = {name for name in every if name.endswith("-pi5")}
    trees = sorted((card / "dtb").glob("*.dtb"))
    assert len(every) == 13 and len(pi5) == 5 and len(trees) >= 11
    for tree in trees:
        expected = pi5 if tree.name.startswith("bcm2712") else every - pi5
        assert overlays_that_fit(card, tree, tmp_path) == expected, tree.name


def test_the_kernel_of_the_pi_5_starts_the_card_and_the_clock(card, figures):
    """On QEMU's generic machine, as no emulator has a Pi 5: nothing fails, and a quarter is heard."""
    device = Device(card, clock="2027-06-15T09:05:00", image="-pi5")
    try:
        device.start()
        figures["power-on to READY, kernel of the Pi 5"] = f"{device.wait_until_ready():.0f} s"
        release = device.run("uname -r")
        assert int(release.split(".")[0]) >= 7, release
        for module in ("pinctrl-rp1", "rp1-pci", "i2c-designware-platform", "dwc3", "macb"):
            device.run(f"modinfo --field filename {module} || grep -q /{module}.ko /lib/modules/{release}/modules.builtin")
        assert device.run("systemctl --failed --no-legend") == ""
        hear_occasion(device, "2027-06-15 09:15:00", "nine fifteen A M")
        device.quit()
    finally:
        device.remove()
