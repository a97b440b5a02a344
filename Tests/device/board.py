"""The card in an emulated Raspberry Pi: its device tree, card controller, I2C, USB and GPIO names.

QEMU's `raspi3b` has no PCI, so the channels of `device.py` do not exist. Instead the machine gets a
list of steps at its start, writes their output to the second serial port, and is then switched off.
QEMU starts the kernel itself, so this file reads config.txt in place of the Pi's firmware.
"""

import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from device import here
from emulator import Emulator, archive

# The boards that raspi3b can be: with the device tree of another board with its chip it passes for
# that board. The value is the board's filter in config.txt.
FILTERS = {"bcm2837-rpi-3-b": "[pi3]", "bcm2837-rpi-3-b-plus": "[pi3]", "bcm2837-rpi-zero-2-w": "[pi02]"}
BEGIN, END = "=== begin", "=== end"
START_SECONDS = 600  # Two and more starts under emulation, beside other tests.


class Firmware:
    """Reads config.txt as the Pi's firmware does, as far as the card uses it."""

    def __init__(self, read, board):
        """read: returns the text of a file of the boot partition; board: a name of FILTERS."""
        self.kernel = self.initrd = None
        self.overlays = []
        self._read, self._filter = read, FILTERS[board]
        self._apply("config.txt")

    def _apply(self, name):
        taken = True
        for line in self._read(name).splitlines():
            if line.startswith("["):
                taken = line in ("[all]", self._filter)
            elif taken and line.startswith("include "):
                self._apply(line.split()[1])
            elif taken and line.startswith("initramfs "):
                self.initrd = line.split()[1]
            elif taken and "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                if key == "kernel":
                    self.kernel = value
                elif key == "dtoverlay":
                    self.overlays.append(value)
                else:
                    # Nothing to do for these: 64 bit, and Debian's names of the device trees.
                    assert key in ("arm_64bit", "upstream_kernel"), line


def whole(answers):
    """What a board has answered, once it is there with its right checksum; None until then."""
    told = answers.read_bytes() if answers.exists() else b""
    for begun in told.split(f"{BEGIN}\n".encode())[1:]:
        text, _, rest = begun.partition(f"{END} ".encode())
        if rest[:64] == hashlib.sha256(text).hexdigest().encode():
            return text.decode(errors="replace")
    return None


class Board(Emulator):
    """A Pi with a copy of the card. A test may write its boot partition as a PC would."""

    known = []  # Those that have not been removed, for what a failed test leaves behind.

    def __init__(self, card, folder, board, program, clocksmith_txt, configuration=""):
        """board: a name of FILTERS; program: the emulator that deploy/device/qemu-tree prints."""
        folder.mkdir()
        super().__init__(card, folder)
        self.known.append(self)
        self.board, self.program, self.configuration = board, program, configuration
        self.disk = folder / "card.img"
        subprocess.run(["cp", "--sparse=always", card / "card.img", self.disk], check=True)
        # The card controller accepts only sizes that are a power of two.
        os.truncate(self.disk, 1 << 30)
        self.write_boot("clocksmith.txt", clocksmith_txt)
        self.firmware = None

    def write_boot(self, name, text):
        (self.folder / name).write_text(text)
        self._boot("mcopy", "-o", self.folder / name, f"::{name}")

    def read_boot(self, name):
        return self._boot("mcopy", f"::{name}", "-").stdout

    def _boot(self, command, *arguments):
        return subprocess.run([command, "-i", f"{self.disk}@@4M", *arguments], check=True,
                              capture_output=True, text=True)

    def run(self, steps, clock, arguments=(), seconds=START_SECONDS):
        """Powers on, runs the steps once the clock has started, and powers off.

        steps: {name: shell command}; clock: the time of the RTC at power-on, if there is one.
        Returns {name: output}; empty if the machine restarted before the steps.
        """
        self.firmware = Firmware(self.read_boot, self.board)
        assert (self.firmware.kernel, self.firmware.initrd) == ("vmlinuz", "initrd.img")
        tree = self.folder / "board.dtb"
        overlays = [self.card / "overlays" / f"{name}.dtbo" for name in self.firmware.overlays]
        shutil.copy(self.card / "dtb" / f"{self.board}.dtb", tree)
        for overlay in overlays:
            subprocess.run(["fdtoverlay", "-i", tree, "-o", tree, overlay], check=True)
        script = "".join(f"printf '\\n=== {name}\\n'\n{{ {command}\n}} 2>&1\n" for name, command in steps.items())
        # The emulated port sends characters of its own, and may lose some. So the answers come with
        # their checksum, again and again until the host has them whole.
        script = ("#!/bin/bash\nexec 3<>/dev/ttyS1\nstty raw -echo <&3\n"
                  f"{{\n{script}\n}} >/run/answers\nsync\nsum=$(sha256sum </run/answers)\n"
                  f"for attempt in {{1..20}}; do printf '\\n{BEGIN}\\n'; cat /run/answers; "
                  f"printf '{END} %s\\n' \"${{sum%% *}}\"; sleep 2; done >&3\n")
        archive(self.folder / "over.cpio", {
            "usr/local/lib/clocksmith-test/steps": (script.encode(), 0o755),
            "etc/systemd/system/clocksmith-test-board.service": (
                (here / "agent" / "board.service").read_bytes(), 0o644),
            "etc/clocksmith/conf.d/90-test.conf": (self.configuration.encode(), 0o644),
        })
        self.over = self.folder / "over.cpio"
        self.rtc, self.arguments = clock, list(arguments)
        answers = self.folder / "answers"
        for path in (answers, self.console):
            path.unlink(missing_ok=True)
        self.start()
        deadline = time.monotonic() + seconds
        while self.running() and whole(answers) is None:
            assert time.monotonic() < deadline, (
                f"the {self.board} was not done within {seconds} s:\n{self.last_words()}")
            time.sleep(0.2)
        told = whole(answers) or ""
        self.quit()
        parts = re.split(r"(?m)^=== (.*)\n", told.replace("\r", ""))
        return dict(zip(parts[1::2], (text.strip("\n") for text in parts[2::2])))

    def last_words(self):
        return self.console.read_text(errors="replace")[-4000:]

    def told(self, pattern):
        """The first line of the console that matches; the journal goes to the console."""
        lines = self.console.read_text(errors="replace").splitlines()
        line = next((line for line in lines if re.search(pattern, line)), None)
        assert line, f"the {self.board} never said '{pattern}':\n{self.last_words()}"
        return line

    def remove(self):
        super().remove()
        self.known.remove(self)

    def _find_gpio(self):
        return None  # QEMU moves no input of this controller: it reads 0.

    def _command(self, initrd):
        return [
            self.program, "-M", "raspi3b", "-nodefaults", "-display", "none", "-no-reboot",
            "-rtc", f"base={self.rtc},clock=vm",
            "-kernel", str(self.card / "vmlinuz"), "-initrd", str(initrd),
            "-dtb", str(self.folder / "board.dtb"),
            # systemd does not use the watchdog: QEMU takes the first write to it for a reset. That
            # is how a restart ends the machine here.
            # The card also answers at the radio's controller, so that controller's driver is not
            # loaded.
            "-append", "module_blacklist=sdhci_iproc root=LABEL=clocksmith-root panic=10 console=ttyAMA0,115200 "
                       "earlycon=pl011,0x3f201000 systemd.watchdog_sec=0 "
                       "systemd.wants=clocksmith-test-board.service "
                       "systemd.journald.forward_to_console=1 systemd.show_status=0",
            "-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console",
            "-chardev", f"file,id=answers,path={self.folder}/answers,append=on",
            "-serial", "chardev:answers",
            "-drive", f"file={self.disk},if=sd,format=raw",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-qtest", f"unix:{self.folder}/qtest,server=on,wait=off", "-qtest-log", "/dev/null",
            *self.arguments,
        ]


def emulator():
    """The path of an emulator that has the board with its I2C, or None; and the reason for None."""
    made = subprocess.run([Path(here).parents[1] / "deploy" / "device" / "qemu-tree"],
                          capture_output=True, text=True)
    if made.returncode:
        return None, (made.stderr.strip().splitlines() or ["QEMU 10 cannot be had here."])[-1]
    return made.stdout.strip(), None
