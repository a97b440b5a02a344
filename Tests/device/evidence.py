"""The files that a failed test leaves, to find its cause afterwards."""

import os
import re
import shutil
import tempfile
import time
import wave
from pathlib import Path

from board import Board
from device import Device
from speaker import HEADER, RATE

KEPT = 5  # Of so many failed tests, the newest.


def keep(test, error):
    """Writes the journals, the recordings and the consoles into a new folder, and returns that."""
    top = Path(os.environ.get("CLOCKSMITH_CACHE") or tempfile.gettempdir()) / "clocksmith-failed"
    folder = top / (time.strftime("%Y%m%d-%H%M%S-") + re.sub(r"[^\w.-]+", "-", test))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "error.txt").write_text(f"{error}\n")
    for number, device in enumerate(Device.known):
        (folder / f"{number}-journal.txt").write_text("".join(
            f"{line.host:.3f} {line.realtime:.3f} {line.unit}: {line.message}\n" for line in device.journal))
        for speaker in filter(None, (device.speaker, device.usb_speaker)):
            if speaker.frames():
                with wave.open(str(folder / f"{number}-{speaker.path.name}"), "wb") as file:
                    file.setparams((2, 2, RATE, 0, "NONE", ""))
                    file.writeframes(speaker.path.read_bytes()[HEADER:])
    for number, machine in enumerate(Device.known + Board.known):
        for path in (machine.console, machine.folder / "answers"):
            if path.exists():
                shutil.copy(path, folder / f"{number}-{path.name}")
    for old in sorted(top.iterdir(), key=lambda kept: kept.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
