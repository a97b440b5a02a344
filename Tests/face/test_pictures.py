"""The pictures of docs/face.md, made anew with CLOCKSMITH_PICTURES=docs. Look at them before you keep them."""

import base64
import datetime
import os
import pathlib
import zoneinfo

import pytest

from c_library import shared_library
from sound_server import wait_until

PICTURES = [
    ("phone-light", 390, 844, "light", "clock"), ("phone-dark", 390, 844, "dark", "alarms"),
    ("tablet-light", 820, 1100, "light", "settings"), ("tablet-dark", 820, 1100, "dark", "clock"),
    ("desk-light", 1280, 800, "light", "alarms"), ("desk-dark", 1280, 800, "dark", "clock"),
    ("phone-german", 390, 844, "light", "alarms"),
]
# The kernel says that the network keeps the clock right.
SYNCHRONISED = """
#include <string.h>
#include <sys/timex.h>
int adjtimex(struct timex *state) {
  memset(state, 0, sizeof *state);
  state->maxerror = 4000;
  return TIME_OK;
}
"""
# In one of these zones it is the afternoon.
ZONES = ("Europe/London", "Asia/Kolkata", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Honolulu", "America/Denver", "America/New_York")


@pytest.mark.skipif("CLOCKSMITH_PICTURES" not in os.environ, reason="makes the pictures of docs/face.md, if CLOCKSMITH_PICTURES names their folder")
def test_the_pictures(on_the_bus, start, door, paired, bus):
    now = datetime.datetime.now(datetime.UTC)
    zone = min(ZONES, key=lambda name: abs(now.astimezone(zoneinfo.ZoneInfo(name)).hour - 15))
    right = {"LD_PRELOAD": str(shared_library(on_the_bus.folder / "right.so", SYNCHRONISED))}
    on_the_bus.environment |= {"TZ": zone} | right
    start("chime = westminster\nquiet = 22:00-07:00\n",
          "[alarm school]\ntime = 07:00\ndays = mon-fri\n[speaker]\nvolume = -6dB\n", voice="heart")
    del on_the_bus.environment["LD_PRELOAD"]
    served = door("face = yes").wait_for_announcer()
    page = paired(served, zone=zone)
    with bus.caller() as caller:
        caller.ask("Announce", time="15:15")
        caller.ask("StartTimer", seconds=480, name="tea")
        caller.ask("StartTimer", seconds=5400, name="bread")
        caller.ask("SetAlarm", time="06:45", name="train", days="mon, wed")
        wait_until(lambda: caller.get("Last"), 60, "what was said")
    folder = pathlib.Path(os.environ["CLOCKSMITH_PICTURES"])
    for name, width, height, scheme, view in PICTURES:
        page.size(width, height)
        if name.endswith("german"):
            page.begin_with("Object.defineProperty(navigator, 'languages', {value: ['de-DE']})")
        page.prefer(color_scheme=scheme, reduced_motion="reduce").open(view)
        page.wait_for({"clock": "bread", "alarms": "bread", "settings": "Time zone"}[view], "main")
        page.wait(lambda: page.run("return document.activeElement === document.body && !document.querySelector('#message').textContent"), "rest")
        # As on a clock that is installed.
        page.run("for (const each of document.querySelectorAll('.origin')) each.textContent = "
                 "each.textContent.replace(/\\/\\S+conf:/, '/etc/clocksmith/clocksmith.conf:')")
        page.run("document.querySelector('h1').lastChild.data = 'clocksmith'")
        page.wait(lambda: view != "clock" or page.all(".strip .will"), "the day")
        data = page.tell("Page.captureScreenshot", format="webp", quality=65)["data"]
        (folder / f"face-{name}.webp").write_bytes(base64.b64decode(data))
