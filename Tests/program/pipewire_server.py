"""A speaker without a sound card or a session: a private PipeWire, WirePlumber to link streams to it,
and pipewire-pulse."""

import json
import os
import shutil
import subprocess

import pytest

from sound_server import RATE, preferred, wait_until

PROGRAMS = ["pipewire", "pipewire-pulse", "wireplumber", "pw-metadata", "parec"]

# A PipeWire sink, and the metadata without which nothing is linked to it.
SPEAKER = f"""
context.objects = [
  {{ factory = metadata args = {{ metadata.name = default }} }}
  {{ factory = adapter args = {{
      factory.name = support.null-audio-sink
      node.name = speaker
      media.class = Audio/Sink
      audio.position = [ FL FR ]
      audio.rate = {RATE}
      object.linger = true
  }} }}
]
"""


class PipeWireServer:
    """PipeWire in its own folder, with one sink named speaker."""

    def __init__(self, folder, environment):
        lacking = [program for program in PROGRAMS if not shutil.which(program)]
        if lacking:
            pytest.skip(f"no {', '.join(lacking)} here (apt install pipewire pipewire-pulse "
                        "wireplumber pulseaudio-utils)")
        configuration = folder / "pipewire" / "pipewire.conf.d"
        configuration.mkdir(parents=True)
        (configuration / "speaker.conf").write_text(SPEAKER)
        folder.chmod(0o700)
        self.folder = folder
        self.environment = environment | {
            "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "XDG_CONFIG_HOME": str(folder),
            "XDG_STATE_HOME": str(folder), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            "PULSE_SERVER": f"unix:{folder}/pulse/native",
        }
        self.processes = []
        self.start("pipewire")
        wait_until((folder / "pipewire-0").exists, 60, "pipewire")
        # WirePlumber's default configuration needs a bus, and takes real cards.
        self.start("wireplumber", "-c", "policy.conf")
        self.start("pipewire-pulse")
        wait_until(self.answers, 60, "pipewire-pulse")
        self.run("pw-metadata", "0", "default.audio.sink", json.dumps({"name": "speaker"}),
                 "Spa:String:JSON")

    def start(self, *command):
        self.processes.append(subprocess.Popen(
            preferred(*command), env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def run(self, *command):
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False)

    def answers(self):
        return "speaker" in self.run("pactl", "list", "short", "sinks").stdout

    def pulse_device(self, name):
        """The ALSA lines that make pipewire-pulse the device of that name."""
        return f'pcm.{name} {{ type pulse server "unix:{self.folder}/pulse/native" }}\n'

    def device(self, name):
        """The ALSA lines that make it the device of that name; skips if ALSA has no plugin for it."""
        library = find_plugin()
        if not library:
            pytest.skip("no ALSA plugin of PipeWire here: Debian's pipewire-alsa, which cannot be "
                        "installed beside pulseaudio; PIPEWIRE_ALSA may name its library")
        return f'pcm_type.pipewire {{ lib "{library}" }}\npcm.{name} {{ type pipewire }}\n'

    def kill(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def find_plugin():
    """The library of pipewire-alsa, or None. PIPEWIRE_ALSA may name an unpacked one."""
    if named := os.environ.get("PIPEWIRE_ALSA"):
        return named
    listed = subprocess.run(
        ["sh", "-c", "ls /usr/lib/*/alsa-lib/libasound_module_pcm_pipewire.so"],
        capture_output=True, text=True, check=False)
    return listed.stdout.strip() or None
