"""How loud a requested time is, with and without a service."""

import datetime
import zoneinfo

import numpy
import pytest
import soundfile

from message_bus import MessageBus
from service import Service

QUIETER = 20


def now(clocksmith):
    return datetime.datetime.now(zoneinfo.ZoneInfo(clocksmith.environment["TZ"]))


def hours_around(moment):
    """From an hour before to an hour after, as the configuration writes it."""
    hour = datetime.timedelta(hours=1)
    return f"{moment - hour:%H:%M}-{moment + hour:%H:%M}"


def decibels_below(quiet, loud):
    def level(samples):
        return 20 * numpy.log10(numpy.sqrt(numpy.sum(numpy.square(samples, dtype=float))))

    return level(loud) - level(quiet)


@pytest.fixture(params=["the hour of the clock", "the hour that is said"])
def rule(request, clocksmith):
    """A rule that makes it quieter, a time to say that is twelve hours away, and by how much it is
    quieter."""
    moment = now(clocksmith)
    said = moment + datetime.timedelta(hours=12)
    is_now = request.param == "the hour of the clock"
    times = hours_around(moment if is_now else said)
    return f"quieter = {times} -{QUIETER}dB", f"{said:%H:%M}", QUIETER if is_now else 0


def phrase(clocksmith, configuration, time):
    """A time at the volume of the configuration."""
    path = clocksmith.folder / "phrase.wav"
    done = clocksmith.run("say", time, "--config", configuration, "--output", path)
    assert done.returncode == 0
    return soundfile.read(path)[0]


def test_a_service_says_a_given_time_as_loud_as_it_is_to_be_now(clocksmith, rule):
    line, said, expected = rule
    # No occasion is in the way of the request.
    configuration = clocksmith.configuration(
        "interval = 60\nvoice_at_hour = none", f"[speaker]\n{line}")
    played = clocksmith.folder / "played.wav"
    bus = MessageBus(clocksmith.folder)
    clocksmith.environment = clocksmith.environment | {"DBUS_SYSTEM_BUS_ADDRESS": bus.address}
    service = Service(clocksmith, configuration, "--output", played, alsa="")
    try:
        with bus.caller() as caller:
            caller.wait_for_service(service)
            caller.ask("Announce", time=said)
            service.wait_for("because it was asked for")
    finally:
        assert service.stop() == 0
        bus.stop()
    whole = phrase(clocksmith, configuration, said)
    assert abs(decibels_below(soundfile.read(played)[0], whole) - expected) < 0.1


def test_without_a_service_it_is_as_loud(clocksmith, rule):
    line, said, expected = rule
    configuration = clocksmith.configuration(rest=f"[speaker]\n{line}")
    levels = []
    for settings in (configuration, clocksmith.configuration()):
        played = clocksmith.folder / "played.raw"
        alsa = clocksmith.folder / "file.asound"
        alsa.write_text(
            f'pcm.default {{ type file slave.pcm {{ type null }} file "{played}" format raw }}\n')
        done = clocksmith.run(
            "say", said, "--config", settings, environment={"ALSA_CONFIG_PATH": str(alsa)})
        assert (done.returncode, done.stderr) == (0, "")
        levels.append(numpy.fromfile(played, numpy.float32))
    assert abs(decibels_below(*levels) - expected) < 0.5
