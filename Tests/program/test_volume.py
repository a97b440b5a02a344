"""The volume that is set over the bus while something sounds."""

import time

import numpy
import pytest
import soundfile

from exact_speaker import ExactSpeaker
from program import ROOT, SILENT_ALSA
from sound_server import RATE, find

RING = soundfile.read(ROOT / "sounds/signals/ring.flac", dtype="float32")[0][:RATE]


def level(samples, frame):
    """How loud the ring that begins at this frame is: 1 for as loud as its file."""
    return numpy.dot(samples[frame:frame + RATE], RING) / numpy.dot(RING, RING)


def test_set_while_a_timer_rings_it_counts_from_the_next_ring_on(bus, on_the_bus, start):
    speaker = ExactSpeaker(on_the_bus.folder)
    service = start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    assert on_the_bus.run("timer", "4s").returncode == 0
    service.wait_for("timer 1 is at zero, and rings", 15)
    with bus.caller() as caller:
        caller.set("Volume", "d", -20.0)
    # The second ring comes 6 s after the first. The words are between them.
    time.sleep(8)
    assert on_the_bus.run("stop").returncode == 0
    service.wait_for("timer 1 rings no more: it was stopped by hand")
    time.sleep(1)
    samples = speaker.recording().samples
    # The loudest ring is the first one.
    frame, likeness = find(RING, samples)
    first = round(frame)
    assert likeness > 0.98
    assert level(samples, first) == pytest.approx(1, abs=0.02)
    frame, likeness = find(RING, samples[first + 5 * RATE:first + 8 * RATE])
    second = first + 5 * RATE + round(frame)
    assert likeness > 0.95
    assert second - first == pytest.approx(6 * RATE, abs=RATE // 100)
    assert level(samples, second) == pytest.approx(0.1, abs=0.005)
