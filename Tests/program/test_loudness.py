"""How loud it is: the volumes of voice and bells that a user sets, and the limit on the peaks."""

import ctypes
import datetime
import zoneinfo

import numpy
import pytest
import soundfile

from program import Clocksmith

RATE = 48_000
NOON = "2026-12-24T12:00"
# From ebur128.h.
EBUR128_MODE_TRUE_PEAK = 1 << 5 | 1 << 4 | 1 << 0


@pytest.fixture(scope="module")
def noon(surroundings, tmp_path_factory):
    """Renders noon with Westminster and its words: 16-bit samples, once for each [speaker] text."""
    program = Clocksmith(surroundings, tmp_path_factory.mktemp("noon"))
    rendered = {}

    def render(speaker):
        if speaker not in rendered:
            path = program.folder / "noon.wav"
            done = program.run(
                "render", "--at", NOON, "--zone", "Europe/London", "--output", path, "--config",
                program.configuration("chime = westminster", f"[speaker]\n{speaker}"))
            assert (done.returncode, done.stdout) == (0, "anchor: 23.000000\n"), done.stderr
            rendered[speaker] = soundfile.read(path, dtype="int16")[0].astype(float)
        return rendered[speaker]

    return render


def true_peak(samples):
    """The true peak in dBTP, by libebur128, at four times the rate."""
    library = ctypes.CDLL("libebur128.so.1")
    library.ebur128_init.restype = ctypes.c_void_p
    library.ebur128_init.argtypes = [ctypes.c_uint, ctypes.c_ulong, ctypes.c_int]
    state = ctypes.c_void_p(library.ebur128_init(1, RATE, EBUR128_MODE_TRUE_PEAK))
    assert state
    frames = numpy.ascontiguousarray(samples / 32768, "float32")
    frames = numpy.concatenate([frames, numpy.zeros(100, "float32")])
    pointer = frames.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    assert library.ebur128_add_frames_float(state, pointer, ctypes.c_size_t(len(frames))) == 0
    peak = ctypes.c_double()
    assert library.ebur128_true_peak(state, 0, ctypes.byref(peak)) == 0
    library.ebur128_destroy(ctypes.byref(state))
    return 20 * numpy.log10(peak.value)


def factor(decibels):
    return 10 ** (decibels / 20)


@pytest.mark.rule("true-peak")
def test_noon_with_its_bells_at_their_loudest_peaks_at_1_dbtp(noon):
    loud, plain = noon("bells_volume = 12dB"), noon("")
    assert -1.2 < true_peak(loud) <= -1
    assert len(loud) == len(plain)
    # In the middle nothing reaches the ceiling, so the bells are 12 dB louder.
    middle = slice(20 * RATE, 22 * RATE)
    power = [numpy.sqrt(numpy.mean(samples[middle] ** 2)) for samples in (loud, plain)]
    assert power[0] / power[1] == pytest.approx(factor(12), rel=0.02)


def test_what_ships_is_not_touched(noon):
    """At -6 dB nothing comes near the ceiling. If nothing is held back at 0 dB, both are alike."""
    assert true_peak(noon("")) < -1
    assert numpy.abs(noon("") * factor(-6) - noon("volume = -6dB")).max() < 1.01


@pytest.mark.rule("quieter-times")
def test_a_quieter_hour_is_rendered_as_it_is_heard(noon):
    quieter = noon("volume = -2dB\nquieter = 11:30-12:30 -4dB")
    assert numpy.abs(quieter - noon("volume = -6dB")).max() <= 1


@pytest.mark.rule("own-levels")
def test_the_voice_and_the_bells_are_set_each_for_itself(noon):
    plain, bells, voice = noon(""), noon("voice_volume = -60dB"), noon("bells_volume = -60dB")
    both = noon("voice_volume = -6dB\nbells_volume = -3dB")
    # At -60 dB a thousandth of the other one is left.
    wanted = bells * factor(-3) + voice * factor(-6)
    assert numpy.abs(both - wanted).max() < 3 + 32768 * factor(-60)
    # The words come after the blows, and the bell rings on under them.
    words = numpy.flatnonzero(numpy.abs(plain - bells) > 100)
    assert words[0] > (23 + 45) * RATE
    assert numpy.abs(bells[words[0]:]).max() > 100


@pytest.mark.parametrize("hours, softer", [(0, 20), (12, 0)], ids=["the hour of the clock", "the hour that is said"])
@pytest.mark.rule("quieter-times")
def test_a_given_time_is_as_loud_as_it_is_to_be_now(clocksmith, hours, softer):
    now = datetime.datetime.now(zoneinfo.ZoneInfo(clocksmith.environment["TZ"]))
    ruled, hour = now + datetime.timedelta(hours=hours), datetime.timedelta(hours=1)
    rule = f"[speaker]\nquieter = {ruled - hour:%H:%M}-{ruled + hour:%H:%M} -20dB"
    played, alsa = clocksmith.folder / "played.raw", clocksmith.folder / "file.asound"
    alsa.write_text(f'pcm.default {{ type file slave.pcm {{ type null }} file "{played}" format raw }}\n')
    levels = []
    for rest in rule, "":
        done = clocksmith.run(
            "say", f"{now + 12 * hour:%H:%M}", "--config", clocksmith.configuration(rest=rest),
            environment={"ALSA_CONFIG_PATH": str(alsa)})
        assert (done.returncode, done.stderr) == (0, "")
        levels.append(10 * numpy.log10(numpy.sum(numpy.square(numpy.fromfile(played, numpy.float32), dtype=float))))
    assert levels[1] - levels[0] == pytest.approx(softer, abs=0.5)
