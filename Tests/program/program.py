"""The program: where it is, how to run it to its end, and how it refuses."""

import json
import os
import pathlib
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("CLOCKSMITH", ROOT / ".build/release/clocksmith")).resolve()
# The voices that ship, by their names; and the one for tests where the voice does not matter.
VOICES = {conf.parent.name: conf.parent for conf in sorted(ROOT.glob("sounds/voices/*/voice.conf"))}
VOICE = VOICES["rms"]

# No test may use the machine's own sound devices: a run knows only the devices named here.
SILENT_ALSA = "pcm.default { type null }\nctl.default { type null }\n"


def surroundings(home):
    """The environment of every run, without the machine's zone, sound, bus or service manager."""
    (home / "asound.conf").write_text(SILENT_ALSA)
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "LC_ALL": "C",
        "TZ": "Europe/London", "ALSA_CONFIG_PATH": str(home / "asound.conf"),
        "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={home}/no-bus",
    }


class Clocksmith:
    """Runs the program to its end."""

    def __init__(self, environment, folder):
        # A copy: a test that changes its zone changes no other test's.
        self.environment = dict(environment)
        self.folder = folder

    def configuration(self, announce="", rest="", voice=VOICE):
        """Writes a configuration with these lines in [announce], followed by the rest.

        It has no chime unless the lines set one.
        """
        path = self.folder / f"{len(list(self.folder.glob('*.conf')))}.conf"
        chime = "" if "chime =" in announce else "chime = none\n"
        path.write_text(f"[announce]\nvoice = {voice}\n{chime}{announce}\n{rest}\n")
        return path

    def run(self, *words, environment=None, **options):
        """Runs it with these words. Its output is read as text."""
        return subprocess.run(
            [PROGRAM, *(w if isinstance(w, bytes) else str(w) for w in words)], env=self.environment | (environment or {}),
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "text": True, "timeout": 60, "errors": "surrogateescape"} | options)

    def agenda(self, *words):
        """The lines of `agenda --json`, as dictionaries."""
        done = self.run("agenda", "--json", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def supposed_agenda(self, zone, start, end, announce="", rest=""):
        """The same from one local time to another, for this configuration."""
        return self.agenda(
            "--zone", zone, "--from", start, "--to", end, "--config", self.configuration(announce, rest))


def zone_showing(clocksmith, seconds, at=None):
    """A value for TZ: a zone whose clocks show that many seconds after midnight, now or at another
    second of UTC."""
    ahead = (seconds - int(at or time.time())) % 86_400
    offset = ahead if ahead < 43_200 else ahead - 86_400
    # A TZif file (RFC 9636) with the same offset from UTC at all times.
    block = b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4)
    block += struct.pack(">iBB", offset, 0, 0) + b"HRE\0"
    zone = clocksmith.folder / "Here"
    zone.write_bytes(block * 2 + b"\n\n")
    return f":{zone}"


def in_the_night(clocksmith):
    """Puts it into a zone where it is 03:20: no occasion comes near, and no alarm of a test."""
    clocksmith.environment |= {"TZ": zone_showing(clocksmith, 3 * 3600 + 20 * 60)}


def refusal(done, status):
    """Checks that a run has ended with this status and one clean sentence; returns the sentence."""
    assert done.returncode == status, f"exit status {done.returncode}: {done.stderr}"
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and done.stderr.endswith("\n"), f"not one line: {done.stderr!r}"
    assert lines[0].startswith("clocksmith: ")
    assert lines[0].isprintable(), f"not fit for a terminal: {lines[0]!r}"
    return lines[0]


def about(done, subject):
    """The one line that a run of `check` has about this."""
    [line] = [line for line in done.stdout.splitlines() if line.split()[1] == subject]
    return line
