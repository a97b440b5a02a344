"""A Pi-like device under QEMU: the card's own kernel, initramfs and image on emulated hardware.

deploy/emulate gives it to a person; Tests/device drives it. The comments beside QEMU's arguments give
the reasons for the choices.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = "qemu-system-aarch64"
GPIO_LABEL = "9030000.pl061"  # The machine's PL061, with eight lines.
SWITCH_LINE = 5  # Line 3 is the machine's power key.


def archive(path, files):
    """Writes an initramfs archive that lays `files` over the root: {path in the device: (bytes, mode)}."""
    with tempfile.TemporaryDirectory() as top:
        over = Path(top) / "over"
        for target, (content, mode) in files.items():
            file = over / target
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(mode)
        found = sorted(over.rglob("*"))
        for folder in (over, *(p for p in found if p.is_dir())):
            folder.chmod(0o755)
        names = "\n".join(str(p.relative_to(top)) for p in (over, *found))
        with open(path, "wb") as output:
            subprocess.run(["cpio", "--quiet", "--create", "--format=newc", "--owner=0:0"],
                           cwd=top, input=names.encode(), stdout=output, check=True)


class Emulator:
    """One machine with one card. The card itself is never written: its changes are in `disk`."""

    def __init__(self, card, folder, *, speaker="wav", clock=None, over=None, kernel="",
                 arguments=(), image=""):
        """
        card: the folder that deploy/device/card made; folder: where the machine's files go.
        speaker: a QEMU audio driver for the built-in card: wav records into speaker.wav.
        clock: the real-time clock's time at power-on (UTC, YYYY-MM-DDTHH:MM:SS); None: the PC's.
        over: an archive made by archive(); kernel, arguments: additions to the kernel's line and QEMU's.
        image: the card's kernel to start: "" or "-pi5".
        """
        self.card, self.folder = Path(card), Path(folder)
        self.disk = self.folder / "disk.qcow2"
        self.console = self.folder / "console.log"
        self.audio, self.rtc, self.over = speaker, clock, over
        self.kernel, self.arguments, self.image = kernel, list(arguments), image
        self.process = None
        self.events = []  # Names of the monitor's events since power-on, as far as it was read.
        self._qmp = self._qtest = self._gpio = None

    def start(self):
        """Powers on. Returns at once, with the monitor connected."""
        self.events = []
        if not self.disk.exists():
            # Larger than the image, as a real card is, so that the first start grows the partition.
            subprocess.run(
                ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b",
                 self.card / "card.img", self.disk, "1G"], check=True)
        initrd = self.card / f"initrd{self.image}.img"
        if self.over:
            # The kernel unpacks several archives in a row.
            joined = self.folder / "initrd.img"
            joined.write_bytes(initrd.read_bytes() + Path(self.over).read_bytes())
            initrd = joined
        for name in ("qmp", "qtest"):
            (self.folder / name).unlink(missing_ok=True)
        self.process = subprocess.Popen(
            self._command(initrd), cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=open(self.folder / "qemu.log", "ab"),
            stderr=subprocess.STDOUT)
        self._qmp = self._connect("qmp").makefile("rw")
        self._read_qmp()
        self.qmp("qmp_capabilities")
        self._qtest = self._connect("qtest").makefile("rw")
        self._gpio = self._find_gpio()

    def _find_gpio(self):
        return next(
            f"/machine/unattached/{child['name']}"
            for child in self.qmp("qom-list", path="/machine/unattached")
            if child["type"] == "child<pl061>")

    def _command(self, initrd):
        # The converter advances in steps of 2 ms. A real card counts single frames. In QEMU's usual
        # steps of 10 ms it would run past frames that were just taken back, which leave it only 5 ms.
        record = "out.frequency=48000,timer-period=2000"
        built_in = f"{self.audio},id=built-in,{record}"
        if self.audio == "wav":
            built_in += f",path={self.folder}/speaker.wav"
        return [
            PROGRAM, "-M", "virt,gic-version=3", "-cpu", "cortex-a57", "-smp", "2", "-m", "1024",
            "-accel", "tcg,thread=multi", "-nodefaults", "-display", "none", "-net", "none",
            "-rtc", f"base={self.rtc},clock=vm" if self.rtc else "base=utc",
            "-kernel", str(self.card / f"vmlinuz{self.image}"), "-initrd", str(initrd),
            # The card's own kernel line, and a console that goes to a file, so it needs no login.
            # kpti=0: with page tables of its own the kernel made the emulator drop its tables at every
            # system call, and a start took 61 s instead of 37 s. They guard against Meltdown, which no
            # Pi's processor has.
            "-append", "root=LABEL=clocksmith-root panic=10 quiet console=ttyAMA0 kpti=0 "
                       f"systemd.mask=serial-getty@ttyAMA0.service {self.kernel}",
            "-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console",
            "-drive", f"if=none,id=card,file={self.disk},format=qcow2,cache=writeback",
            "-device", "virtio-blk-pci,drive=card",
            "-device", "i6300esb", "-action", "watchdog=reset",
            "-device", "virtio-rng-pci",
            "-audiodev", built_in,
            # Without its timer the converter runs at the recorder's pace. With the timer, a host that
            # is busy for 43 ms (the converter's buffer) makes it drop that buffer unplayed.
            "-device", "intel-hda", "-device", "hda-output,audiodev=built-in,use-timer=off",
            "-audiodev", f"wav,id=usb,path={self.folder}/usb.wav,{record}",
            "-device", "qemu-xhci",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            # qtest sets the lines of the GPIO controller; it works together with TCG.
            "-qtest", f"unix:{self.folder}/qtest,server=on,wait=off", "-qtest-log", "/dev/null",
            *self.arguments,
        ]

    def _connect(self, name):
        """Connects to one of the emulator's sockets, once the starting emulator has made it."""
        deadline = time.monotonic() + 20
        while True:
            link = socket.socket(socket.AF_UNIX)
            try:
                link.connect(str(self.folder / name))
                return link
            except OSError:
                link.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    log = (self.folder / "qemu.log").read_text()
                    raise RuntimeError(f"{PROGRAM} did not start: {log}") from None
                time.sleep(0.02)

    def _read_qmp(self):
        """Reads the monitor's next answer; notes the names of the events before it."""
        while True:
            line = self._qmp.readline()
            if not line:
                raise RuntimeError("the emulator has ended")
            answer = json.loads(line)
            if "event" not in answer:
                return answer
            self.events.append(answer["event"])

    def qmp(self, command, **arguments):
        """Runs a command of the monitor and returns its result."""
        request = {"execute": command}
        if arguments:
            request["arguments"] = arguments
        self._qmp.write(json.dumps(request) + "\n")
        self._qmp.flush()
        answer = self._read_qmp()
        if "error" in answer:
            raise RuntimeError(f"QMP {command}: {answer['error']['desc']}")
        return answer["return"]

    def set_switch(self, high, line=SWITCH_LINE):
        """Sets a GPIO line from outside, as a switch would."""
        self._qtest.write(f"set_irq_in {self._gpio} unnamed-gpio-in {line} {int(high)}\n")
        self._qtest.flush()
        answer = self._qtest.readline().strip()
        if answer != "OK":
            raise RuntimeError(f"the GPIO line {line} could not be set: {answer}")

    def plug_usb_speaker(self, name="dac"):
        self.qmp("device_add", driver="usb-audio", id=name, audiodev="usb")

    def unplug_usb_speaker(self, name="dac"):
        self.qmp("device_del", id=name)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def waited(self):
        """How long the host has kept the emulator's threads waiting for a processor, seconds.

        The sum over all threads, so two threads that wait at once count twice.
        """
        total = 0
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                total += int(thread.read_text().split()[1])
            except OSError:
                pass  # One that wrote to the card, and has ended.
        return total / 1e9

    def end(self):
        """The exit status and the last output of an emulator that has ended by itself."""
        log = (self.folder / "qemu.log").read_text()[-500:]
        return f"the emulator ended with {self.process.poll()}: {log}"

    def quit(self):
        """Ends the machine and writes its recordings out."""
        if self.running():
            self._qmp.write('{"execute": "quit"}\n')
            self._qmp.flush()
            self.process.wait(20)

    def cut_power(self):
        """Kills the emulator at once, as a pulled plug would."""
        if self.running():
            self.process.kill()
            self.process.wait()

    def remove(self):
        self.cut_power()
        shutil.rmtree(self.folder, ignore_errors=True)
