"""One full minute that nine clocks meet at once, so that the tests wait for it only once.

One clock has a good speaker, three have an exact one, and one is muted over a bus. Each of the others
has a different trouble. Their zone is one in which the minute begins soon.
"""

import datetime
import time
import zoneinfo

import soundfile

from c_library import shared_library
from exact_speaker import ExactSpeaker
from message_bus import MessageBus
from program import Clocksmith, zone_showing
from service import Service
from slow_voice import copy_of_the_voice, lengthen
from sound_server import Recording, SoundServer, wait_until

# The clocks are started this many seconds before the minute: enough for a slow machine, and late
# enough that none of them still wants to say the minute before it (it may be 10 s late). A time that
# is asked for must have been spoken by then, and the service takes no request right before an
# occasion.
PREPARATION = 45
# The clocks prepare the minute so many seconds before it.
READY = 7
# After so many seconds the clocks must have ended, for the next minute is prepared.
OVER = 45

NO_SPEAKER = "pcm.other { type null }\n"

# A device that is busy as long as a file exists. After that it is another device, which takes some
# seconds to open.
ENGAGED = r"""
#include <errno.h>
#include <unistd.h>
int snd_pcm_open(void **pcm, const char *name, int stream, int mode);
char __snd_pcm_engaged_open_dlsym_pcm_001;
int _snd_pcm_engaged_open(
    void **pcm, const char *name, void *root, void *conf, int stream, int mode) {
  if (access(ENGAGED_WHILE, F_OK) == 0) return -EBUSY;
  sleep(SECONDS);
  return snd_pcm_open(pcm, "other", stream, mode);
}
"""


def engaged_device(folder, marker, seconds=0):
    """The lines of an ALSA configuration that make the default a device that may be busy, or slow
    to open."""
    library = shared_library(
        folder / f"engaged{seconds}.so", ENGAGED, f'-DENGAGED_WHILE="{marker}"', f"-DSECONDS={seconds}")
    return f'pcm_type.engaged {{ lib "{library}" }}\npcm.default {{ type engaged }}\n'


class OneMinute:
    """The minute, the clocks that met it, and what was heard."""

    def __init__(self, clocksmith):
        self.clocksmith = clocksmith
        self.folder = clocksmith.folder
        self.clocks = {}
        self.servers = []
        self.recordings = []
        self.bus = None

    def meet(self):
        """Meets the next minute, and then ends the clocks."""
        self.open_speakers()
        self.second = int(time.time()) + PREPARATION
        self.clocksmith.environment |= {"TZ": zone_showing(self.clocksmith, 10 * 3600 + 37 * 60, self.second)}
        self.start_clocks()
        self.be_at_rest()
        self.meet_the_minute()
        self.statuses = {name: clock.stop() for name, clock in self.clocks.items()}
        # The wake-ups after the minute may not be told as the minute's.
        self.lines = {name: clock.lines() for name, clock in self.clocks.items()}

    def open_speakers(self):
        self.good = self.server("good", "speaker", "other")
        self.vanishing = self.server("vanishing", "speaker")
        self.returning = self.server("returning", "speaker")
        self.exact = {"exact": self.exact_speaker("exact"),
                      "behind": self.exact_speaker("behind", behind=2000),
                      "slow": self.exact_speaker("slow")}
        self.heard = self.recording(self.good, "speaker")
        self.heard_of_other = self.recording(self.good, "other")
        self.heard_of_vanishing = self.recording(self.vanishing, "speaker")
        self.busy = self.folder / "busy"
        self.busy.touch()

    def exact_speaker(self, name, **options):
        folder = self.folder / name
        folder.mkdir()
        return ExactSpeaker(folder, **options)

    def server(self, name, *sinks, **options):
        server = SoundServer(self.folder / name, self.clocksmith.environment, *sinks, **options)
        self.servers.append(server)
        return server

    def recording(self, server, sink, **options):
        recording = Recording(server, sink, **options)
        self.recordings.append(recording)
        return recording

    def start_clocks(self):
        every_minute = self.clocksmith.configuration("interval = 1")
        self.slow_voice = lengthen(
            copy_of_the_voice(self.folder / "slow voice"), 10, "am", "pm", "oclock")
        self.slow_words = slow_words = self.clocksmith.configuration(
            "interval = 1", voice=self.slow_voice)
        self.configuration = every_minute
        first_heard = self.recording(self.returning, "speaker")
        self.clocks = {
            "returning": Service(
                self.clocksmith, slow_words, "--say-now",
                alsa=self.returning.device("default", "speaker"))}
        wait_until(first_heard.is_sounding, 60, "the time that was asked for")
        self.returning.kill()
        self.clocks["returning"].wait_for("asked for")
        self.clocks |= {
            "good": Service(
                self.clocksmith, every_minute, alsa=self.good.device("default", "speaker")),
            "absent": Service(self.clocksmith, every_minute, alsa=NO_SPEAKER),
            "busy": Service(
                self.clocksmith, every_minute,
                alsa=engaged_device(self.folder, self.busy) + self.good.device("other", "other")),
            "slow": Service(
                self.clocksmith, every_minute,
                alsa=engaged_device(self.folder, self.folder / "never", 3)
                + self.exact["slow"].device("other")),
            "vanishing": Service(
                self.clocksmith, slow_words, alsa=self.vanishing.device("default", "speaker")),
        }

        for name in ("exact", "behind"):
            self.clocks[name] = Service(
                self.clocksmith, every_minute, alsa=self.exact[name].device("default"))

        self.mute_one(every_minute)

    def mute_one(self, configuration):
        folder = self.folder / "muted"
        folder.mkdir()
        self.bus = MessageBus(folder)
        on_the_bus = Clocksmith(
            self.clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": self.bus.address}, folder)
        self.clocks["muted"] = Service(on_the_bus, configuration, alsa=NO_SPEAKER)
        self.caller = self.bus.caller()
        self.caller.wait_for_service(self.clocks["muted"])
        self.signals = self.caller.listen()
        self.caller.ask("Mute", until="next")

    def be_at_rest(self):
        self.returning.start()
        self.heard_of_returning = self.recording(self.returning, "speaker")
        assert time.time() < self.second - READY, "this machine is too slow for the preparation"
        self.memory_at_rest = self.clocks["good"].memory()

    def meet_the_minute(self):
        until = self.second - time.time() + OVER
        # A clock behind a busy sound server is sure only after a while that it is heard.
        wait_until(lambda: self.heard_of_vanishing.is_sounding(seconds=0.4), until, "the minute")
        self.vanishing.kill()
        wait_until(self.heard.is_sounding, 20, "the minute")
        self.memory_while_speaking = self.clocks["good"].memory()
        wait_until(lambda: time.time() > self.second + 1, 60, "the minute's second second")
        self.busy.unlink()
        self.returning.show()
        for clock in self.clocks.values():
            clock.wait_for(
                rf"(said .* for|skipped|cut off .* for) {self.time_of_day}",
                self.second + OVER - time.time())

    @property
    def local(self):
        with (self.folder / "Here").open("rb") as zone:
            return datetime.datetime.fromtimestamp(self.second, zoneinfo.ZoneInfo.from_file(zone))

    @property
    def time_of_day(self):
        return f"{self.local:%H:%M}:00"

    def about(self, clock):
        """The lines that a clock has logged about this minute."""
        return [line for line in self.lines[clock] if self.time_of_day in line]

    def phrase(self, local=None, configuration=None):
        """The expected samples of this minute, or of another, as `render` makes them."""
        path = self.folder / "phrase.wav"
        at = f"{local or self.local:%Y-%m-%dT%H:%M}"
        done = self.clocksmith.run(
            "render", "--at", at, "--output", path, "--config",
            configuration or self.configuration)
        assert done.returncode == 0
        return soundfile.read(path, dtype="float32")[0]

    def close(self):
        for clock in self.clocks.values():
            clock.process.kill()
        for recording in self.recordings:
            recording.stop()
        for server in self.servers:
            server.kill()
        if self.bus:
            self.caller.close()
            self.bus.stop()
