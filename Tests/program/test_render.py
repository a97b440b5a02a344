"""A time renders as the sum of its clips: the exact frames, to one 16-bit step."""

import xml.etree.ElementTree

import numpy
import pytest
import soundfile

from program import VOICE, Clocksmith, refusal

RATE = 48_000
CROSSFADE = RATE * 20 // 1000


def clip_names(hour, minute, clock):
    """The chain of clips, written down independently of the voice's grammar."""
    if clock == 24:
        end = f"minute-{minute}-end" if minute else "hundred"
        return [f"hour24-{hour}" + ("" if minute else "-hundred"), end]
    twelve = (hour - 1) % 12 + 1
    if minute == 0:
        return [f"hour-{twelve}-oclock", "oclock"]
    return [f"hour-{twelve}", f"minute-{minute}", "am" if hour < 12 else "pm"]


def join(clips):
    """Clips in a row, each crossfaded at equal power over the last 20 ms of the one before it."""
    rise = numpy.sin(numpy.pi / 2 * numpy.arange(CROSSFADE) / CROSSFADE)
    fall = numpy.sin(numpy.pi / 2 * (CROSSFADE - numpy.arange(CROSSFADE)) / CROSSFADE)
    joined = numpy.zeros(sum(map(len, clips)) - CROSSFADE * (len(clips) - 1))
    start = 0
    for number, clip in enumerate(clips):
        faded = clip.copy()
        if number > 0:
            faded[:CROSSFADE] *= rise
        if number < len(clips) - 1:
            faded[-CROSSFADE:] *= fall
        joined[start:start + len(clip)] += faded
        start += len(clip) - CROSSFADE
    return joined


@pytest.fixture(scope="module")
def clips():
    return {path.stem: soundfile.read(path)[0] for path in VOICE.glob("*.flac")}


@pytest.fixture(scope="module")
def program(surroundings, tmp_path_factory):
    return Clocksmith(surroundings, tmp_path_factory.mktemp("render"))


def render(program, at, output, configuration):
    """Renders a time of UTC, and returns what was printed."""
    done = program.run(
        "render", "--at", at, "--zone", "UTC", "--output", output, "--config", configuration)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# Every minute, every hour and every full hour.
TIMES = [(minute * 7 % 24, minute) for minute in range(60)] + [(hour, 0) for hour in range(24)]


@pytest.mark.parametrize("clock", [12, 24])
def test_each_time_is_the_equal_power_join_of_its_clips_to_the_last_bit(program, clips, clock):
    path, configuration = program.folder / "time.wav", program.configuration(f"clock = {clock}")
    for hour, minute in TIMES:
        printed = render(program, f"2026-11-21T{hour:02}:{minute:02}", path, configuration)
        assert printed == "anchor: 0.000000\n"
        info = soundfile.info(path)
        assert (info.format, info.subtype, info.samplerate, info.channels) == ("WAV", "PCM_16", RATE, 1)
        wanted = join([clips[name] for name in clip_names(hour, minute, clock)])
        wanted = numpy.clip(numpy.round(wanted * 32768), -32768, 32767)
        error = numpy.abs(soundfile.read(path, dtype="int16")[0] - wanted)
        assert error.max() <= 1, f"{hour:02}:{minute:02} is {error.max():.0f} steps off"


# MARK: Clips at another rate


def tone(frequency, rate, seconds):
    """A tone that fades in and out."""
    frames = int(rate * seconds)
    envelope = numpy.minimum(1, numpy.minimum(numpy.arange(frames), frames - numpy.arange(frames))
                             / (rate * 0.05))
    return 0.5 * envelope * numpy.sin(2 * numpy.pi * frequency * numpy.arange(frames) / rate)


# The RMS of the error. A delay of one frame would give 0.045, rounding to 16 bits gives 0.00001.
@pytest.mark.parametrize("suffix, subtype, rate, limit", [
    ("flac", "PCM_24", 44_100, 0.0001), ("ogg", "VORBIS", 44_100, 0.01), ("wav", "FLOAT", 96_000, 0.0001),
    ("caf", "ALAC_16", 8000, 0.0001)])
def test_a_clip_of_another_rate_keeps_its_length_and_is_converted_without_noise_or_delay(
        program, clips, pack, suffix, subtype, rate, limit):
    (pack / "minute-15.flac").unlink()
    soundfile.write(pack / f"minute-15.{suffix}", tone(1000, rate, 0.7001), rate, subtype=subtype)
    path = program.folder / "rate.wav"
    render(program, "2026-11-21T15:15", path, program.configuration(voice=pack))
    samples, _ = soundfile.read(path)
    before, after = len(clips["hour-3"]), len(clips["pm"])
    length = int(int(rate * 0.7001) * RATE / rate + 0.5)
    assert len(samples) == before + length + after - 2 * CROSSFADE
    ideal = tone(1000, RATE, 0.7001)[CROSSFADE:CROSSFADE + 24_000]
    error = numpy.sqrt(numpy.mean((samples[before:before + 24_000] - ideal) ** 2))
    assert error < limit


# MARK: The picture


def test_a_picture_alone_names_every_clip_and_the_anchor(program, tmp_path):
    path = tmp_path / "picture.svg"
    done = program.run(
        "render", "--at", "2026-11-21T15:15", "--zone", "UTC", "--picture", path, "--config",
        program.configuration())
    assert (done.returncode, done.stdout, done.stderr) == (0, "anchor: 0.000000\n", "")
    root = xml.etree.ElementTree.parse(path).getroot()
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"three", "fifteen", "P M", "15:15:00"} <= texts
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]


def test_another_chime_is_rendered(program, tmp_path):
    words = ["render", "--at", "2026-11-21T01:00", "--zone", "UTC", "--config", program.configuration()]
    usual = program.run(*words, "--output", tmp_path / "usual.wav")
    other = program.run(*words, "--chime", "westminster", "--output", tmp_path / "other.wav")
    anchors = [float(done.stdout.split()[1]) for done in (usual, other)]
    assert anchors[0] < 1 < 15 < anchors[1] < 30
    refusal(program.run(*words, "--chime", "none", "--output", tmp_path / "none.wav"), 1)


@pytest.mark.parametrize("path", ["/dev/full", "none/picture.svg", "."])
def test_a_picture_that_cannot_be_written_leaves_nothing_behind(program, tmp_path, path):
    done = program.run(
        "render", "--at", "2026-11-21T15:15", "--picture", path, "--output", "clock.wav",
        "--config", program.configuration(), cwd=tmp_path)
    assert f"cannot write {path}" in refusal(done, 1)
    assert not list(tmp_path.iterdir())
