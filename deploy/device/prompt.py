"""A prompt for a person at the emulated device: the switch, the USB card, the clock's messages, the plug."""

import argparse
import re
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from emulator import GPIO_LABEL, SWITCH_LINE, Emulator, archive

HELP = f"""\
  s      toggle the switch (line {SWITCH_LINE} of the chip labelled {GPIO_LABEL})
  u      plug a USB speaker in, or out
  p      pull the plug and start again
  q      switch off, and write the recording out
"""


# The device reaches no time server, but the person there can tell a wrong time.
SPEAKS = b"[clock]\nuntrusted = speak\n"


def follow(console):
    """Prints the clock's own messages as they come; other lines of the console stay in the file."""
    with open(console, errors="replace") as lines:
        while True:
            line = lines.readline()
            if not line:
                time.sleep(0.1)
            elif "clocksmith[" in line:
                plain = re.sub(r"\x1b\[[0-9;:]*m", "", line)
                print(plain.split("clocksmith[", 1)[1].split("]: ", 1)[-1].rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("card")
    parser.add_argument("--speaker", required=True)
    parser.add_argument("--recording", required=True)
    parser.add_argument("--at")
    given = parser.parse_args()

    folder = Path(tempfile.mkdtemp(prefix="clocksmith-"))
    archive(folder / "over.cpio", {"etc/clocksmith/conf.d/90-emulated.conf": (SPEAKS, 0o644)})
    emulator = Emulator(given.card, folder, speaker=given.speaker, clock=given.at,
                        over=folder / "over.cpio", kernel="systemd.journald.forward_to_console=1")
    switch, plugged = False, 0
    try:
        emulator.start()
        threading.Thread(target=follow, args=(emulator.console,), daemon=True).start()
        print("The device starts, which takes about a minute. What the clock says of itself follows.\n" + HELP)
        for line in sys.stdin:
            if not emulator.running():
                break
            match line.strip():
                case "s":
                    switch = not switch
                    emulator.set_switch(switch)
                    print(f"the switch line is {'high' if switch else 'low'}")
                case "u":
                    plugged += 1
                    if plugged % 2:
                        emulator.plug_usb_speaker(f"dac{plugged}")
                    else:
                        emulator.unplug_usb_speaker(f"dac{plugged - 1}")
                    print(f"the USB card is {'in' if plugged % 2 else 'out'}")
                case "p":
                    emulator.cut_power()
                    emulator.start()
                    print("power again")
                case "q":
                    break
                case _:
                    print(HELP)
    except KeyboardInterrupt:
        pass
    finally:
        emulator.quit()
        if given.speaker == "wav" and (folder / "speaker.wav").exists():
            shutil.move(folder / "speaker.wav", given.recording)
            print(f"what was heard is in {given.recording}")
        emulator.remove()


main()
