"""What a user would announce the time with instead, for `deploy/bench onset`.

Each has its own speaker. `started` holds pairs in seconds since 1970: the second that was due, and the moment
from which its delay counts. `sounds` are the sounds that it plays at each second.
"""

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import soundfile

from bench_speaker import RATE

# Hides the machine's own jobs from cron, and cron from the machine: in a mount namespace of its own.
CRON = """
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/spool
mkdir -p /var/spool/cron/crontabs
install -m 600 "$1" /var/spool/cron/crontabs/root
[ ! -e /etc/crontab ] || mount --bind /dev/null /etc/crontab
[ ! -e /etc/cron.d ] || mount -t tmpfs tmpfs /etc/cron.d
exec "$2" -f
"""


class Command:
    """Starts a command at each due second."""

    def __init__(self, name, speaker, environment, command, sounds, every, count):
        self.name = name
        self.speaker = speaker
        self.environment = environment
        self.command = command
        self.sounds = sounds
        self.started = []
        self.thread = threading.Thread(target=self.run, args=(every, count))
        self.thread.start()

    def run(self, every, count):
        first = (int(time.time() + 5) // every + 1) * every + self.speaker.turn
        for second in range(first, first + count * every, every):
            time.sleep(second - time.time())
            # Count from the actual start: a late start is not the command's fault.
            self.started.append((second, time.time()))
            subprocess.run(self.command, env=self.environment, check=True, stdin=subprocess.DEVNULL)

    def wait(self):
        self.thread.join()


def script(folder, speaker, names):
    """A shell script that plays these clips with aplay, one after another."""
    path = folder / f"{speaker}.sh"
    lines = [f"aplay -q -D {speaker} {folder}/{name}.wav" for name in names]
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return [path]


def saytime(folder, speaker, names):
    """Debian's saytime with these three clips as "the time is", as each hour, and as "am" and "pm"; and the
    clips as it plays them."""
    clips = folder / "saytime"
    clips.mkdir(exist_ok=True)
    files = [["the_time_is"], [*map(str, range(1, 13)), "oclock", "oh"], ["am", "pm"]]
    sounds = []
    for name, copies in zip(names, files):
        raw, heard = clips / f"{name}.ul", clips / f"{name}.wav"
        form = ["-t", "ul", "-r", "8000", "-c", "1"]
        subprocess.run(["sox", folder / f"{name}.wav", *form, raw], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["sox", *form, raw, "-r", str(RATE), "-b", "16", heard], check=True)
        sounds.append(soundfile.read(heard, dtype="float32")[0])
        for copy in copies:
            shutil.copy(raw, clips / f"{copy}.au")
    return ["saytime", "-d", clips, "-f", "%P%l", "-t", "alsa", "-o", speaker], sounds


class Cron:
    """Debian's cron with a script of aplay as its only job, each minute. Needs root."""

    def __init__(self, name, speaker, environment, command, sounds, program):
        self.name = name
        self.speaker = speaker
        self.sounds = sounds
        self.began = time.time()
        table = Path(environment["HOME"]) / "crontab"
        table.write_text("".join(f"{key}={value}\n" for key, value in environment.items())
                         + f"* * * * * {command[0]}\n")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-ec", CRON, "cron", table, program], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @staticmethod
    def is_allowed(program):
        return os.access(program, os.X_OK) and os.geteuid() == 0

    def wait(self):
        """Ends cron, and keeps each minute whose announcement it could have completed."""
        first, last = int(self.began + 2) // 60 + 1, int(time.time() - 6) // 60
        self.started = [(minute * 60, minute * 60) for minute in range(first, last + 1)]
        self.process.terminate()
        self.process.wait()
