"""The files that a failed test leaves, to find its cause afterwards."""

import os
import re
import shutil
import tempfile
import time
import wave
from pathlib import Path

from board import Board
from device import Device, stolen
from speaker import FRAME, HEADER, RATE

KEPT = 5  # Of so many failed tests, the newest.


class Evidence:
    """The state when a test began, to keep what came since if it fails."""

    def __init__(self):
        self.began, self.stolen = time.monotonic(), stolen()
        self.before = {device: (device.waited(), device.mark(), device.speaker.frames())
                       for device in Device.known if device.running() and device.speaker}

    def keep(self, test, error):
        """Writes everything into a new folder and returns it; removes the oldest folders."""
        top = Path(os.environ.get("CLOCKSMITH_CACHE") or tempfile.gettempdir()) / "clocksmith-failed"
        folder = top / (time.strftime("%Y%m%d-%H%M%S-") + re.sub(r"[^\w.-]+", "-", test))
        folder.mkdir(parents=True, exist_ok=True)
        host = [test, error, f"lasted {time.monotonic() - self.began:.1f} s",
                f"taken from the host by others: {stolen() - self.stolen:.2f} s of a processor",
                f"load: {Path('/proc/loadavg').read_text().strip()}"]
        for number, device in enumerate(Device.known):
            name = "" if len(Device.known) == 1 else f"{number}-"
            waited, mark, frame = self.before.get(device, (0.0, 0, 0))
            host += [f"{name}the emulator waited for a processor: {device.waited() - waited:.2f} s, "
                     "summed over its threads",
                     f"{name}the device's clock is the host's plus, since: {device.clocks}"]
            keep_journal(device, mark, folder / f"{name}journal.txt")
            for kind, speaker, first in (("speaker", device.speaker, frame),
                                         ("usb", device.usb_speaker, 0)):
                if speaker and speaker.frames() > first:
                    keep_recording(speaker, first, folder / f"{name}{kind}")
            if device.console.exists():
                shutil.copy(device.console, folder / f"{name}console.log")
        for number, board in enumerate(Board.known):
            for path in (board.console, board.folder / "answers"):
                if path.exists():
                    shutil.copy(path, folder / f"board-{number}-{path.name}")
        (folder / "host.txt").write_text("\n".join(host) + "\n")
        for old in sorted(top.iterdir(), key=lambda kept: kept.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        return folder


def keep_journal(device, mark, path):
    """Writes the journal's lines, each with the host's time, the device's, and that since power-on."""
    path.write_text("".join(
        f"{line.host:.3f} {line.realtime:.3f} {line.monotonic:.3f} {line.unit}: {line.message}\n"
        for line in device.journal[mark:]))


def keep_recording(speaker, first, path):
    """Writes the recording since a frame as a sound file, and when each part of it was written."""
    with wave.open(f"{path}.wav", "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        with open(speaker.path, "rb") as recording:
            recording.seek(HEADER + first * FRAME)
            file.writeframes(recording.read())
    Path(f"{path}.moments").write_text("".join(
        f"{moment:.4f} {frame - first}\n" for moment, frame in speaker.written() if frame > first))
