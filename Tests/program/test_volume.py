"""The volume that is set over the bus while something sounds."""

import time

import numpy
import pytest
import soundfile

from exact_speaker import ExactSpeaker
from message_bus import timestamp
from program import ROOT, SILENT_ALSA
from sound_server import RATE, find, wait_until

RING = soundfile.read(ROOT / "sounds/signals/ring.flac", dtype="float32")[0][:RATE]


def level(samples, frame):
    """How loud the ring that begins at this frame is: 1 for as loud as its file."""
    return numpy.dot(samples[frame:frame + RATE], RING) / numpy.dot(RING, RING)


def test_set_while_a_timer_rings_it_counts_from_the_next_ring_on(bus, on_the_bus, start):
    speaker = ExactSpeaker(on_the_bus.folder)
    service = start(rest="[speaker]\ndevice = good", alsa=SILENT_ALSA + speaker.device("good"))
    assert on_the_bus.run("timer", "4s").returncode == 0
    with bus.caller() as caller:
        zero = timestamp(caller.get("Timers")[0]["ends"])
        service.wait_for("timer 1 is at zero, and rings", 60)
        begun = time.time()
        caller.set("VolumeDB", "d", -20.0)
        done = time.time()
    # A ring comes every 6 s, with the words between them. On a busy machine more of them may have
    # come before the volume was set.
    before = max(int((begun - zero) // 6), 0)
    after = int((done + 1 - zero) // 6) + 1
    wait_until(lambda: time.time() > zero + 6 * after + 2, 60, "the next ring")
    assert on_the_bus.run("stop").returncode == 0
    service.wait_for("timer 1 has stopped ringing: it was stopped by hand")
    recording = speaker.recording()
    for number, expected, tolerance in [(before, 1, 0.02), (after, 0.1, 0.005)]:
        place = recording.frame(zero + 6 * number) - RATE // 2
        # Before the first ring, there may be less than half a second.
        place = max(place, 0)
        frame, likeness = find(RING, recording.samples[place:place + 2 * RATE])
        first = place + round(frame)
        assert likeness > 0.95
        assert abs(recording.instant(first) - zero - 6 * number) < 0.01
        assert level(recording.samples, first) == pytest.approx(expected, abs=tolerance)
