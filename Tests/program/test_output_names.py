"""The names of output files: the format follows the name, and no file is lost."""


import pytest
import soundfile

from program import refusal

RENDER = ["render", "--at", "2026-11-21T15:15"]
TRY = ["voice", "try", "rms", "15:15"]


@pytest.mark.parametrize(
    "name, form",
    [("clock.wav", "WAV"), ("clock", "WAV"), ("a.b/clock", "WAV"), ("clock.Flac", "FLAC"), ("clock.caf", "CAF")])
@pytest.mark.parametrize("words", [RENDER, ["say", "15:15"], TRY], ids=["render", "say", "try"])
def test_a_sound_file_is_what_its_name_says(clocksmith, tmp_path, words, name, form):
    (tmp_path / "a.b").mkdir()
    path = tmp_path / name
    done = clocksmith.run(*words, "--output", path, "--config", clocksmith.configuration())
    assert (done.returncode, done.stderr) == (0, "")
    assert soundfile.info(path).format == form


@pytest.mark.parametrize("name", ["clock.mp3", "clock.flac.bak"])
@pytest.mark.parametrize("words", [RENDER, ["say", "15:15"], TRY], ids=["render", "say", "try"])
def test_a_name_of_another_kind_is_refused(clocksmith, tmp_path, words, name):
    folder = tmp_path / "output"
    folder.mkdir()
    done = clocksmith.run(
        *words, "--output", folder / name, "--config", clocksmith.configuration())
    assert refusal(done, 2) == (
        f"clocksmith: --output '{folder / name}': sound is written as WAV, FLAC or CAF; give it a "
        "name that ends in .wav, .flac or .caf")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["clock.png", "clock"])
def test_a_picture_has_the_name_of_one(clocksmith, tmp_path_factory, name):
    # On the disk: in /dev any name is taken.
    path = tmp_path_factory.mktemp("picture") / name
    path.write_text("mine")
    done = clocksmith.run(*RENDER, "--picture", path, "--config", clocksmith.configuration())
    assert refusal(done, 2) == (
        f"clocksmith: --picture '{path}' is drawn as SVG; name it '{path}.svg'")
    assert path.read_text() == "mine"


def test_what_is_played_into_a_file_in_real_time_is_wav_alone(clocksmith, tmp_path):
    path = tmp_path / "clock.flac"
    done = clocksmith.run("run", "--output", path, "--config", clocksmith.configuration())
    assert refusal(done, 2) == (
        f"clocksmith: --output '{path}': what is heard while it is written is WAV; give it a name "
        "that ends in .wav")
    assert not path.exists()


@pytest.mark.parametrize(("name", "flaw"), [
    ("-", "standard output is for words; give a name"), ("", "it is empty; give a name")])
@pytest.mark.parametrize(
    "words", [[*RENDER, "--output"], [*RENDER, "--picture"], ["voice", "export", "rms", "--output"]])
def test_a_dash_is_no_name_and_nothing_is_none(clocksmith, tmp_path, words, name, flaw):
    folder = tmp_path / "output"
    folder.mkdir()
    done = clocksmith.run(*words, name, "--config", clocksmith.configuration(), cwd=folder)
    assert refusal(done, 2) == f"clocksmith: {words[-1]} '{name}': {flaw}"
    assert not list(folder.iterdir())


def test_the_file_that_a_link_leads_to_is_written_and_the_link_stays(clocksmith, tmp_path):
    (tmp_path / "there").mkdir()
    for name in ("clock.wav", "clock.svg"):
        (tmp_path / "there" / name).write_text("old")
        (tmp_path / name).symlink_to(f"there/{name}")
    (tmp_path / "2.wav").symlink_to(tmp_path / "clock.wav")
    done = clocksmith.run(
        *RENDER, "--output", "2.wav", "--picture", "clock.svg", "--config",
        clocksmith.configuration(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert soundfile.info(tmp_path / "there/clock.wav").format == "WAV"
    assert (tmp_path / "there/clock.svg").read_text().endswith("</svg>\n")
    assert all((tmp_path / name).is_symlink() for name in ("clock.wav", "clock.svg", "2.wav"))


def test_a_sound_for_a_pipe_is_refused_with_the_reason(clocksmith):
    done = clocksmith.run(
        "say", "15:15", "--output", "/dev/stdout", "--config", clocksmith.configuration())
    assert refusal(done, 1) == (
        "clocksmith: cannot write /dev/stdout: it is a pipe or a terminal, and the start of a sound "
        "file is written last; name a file, and pass that on")
