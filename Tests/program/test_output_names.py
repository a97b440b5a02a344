"""The names of the files that are written: each holds what it is called, and none is lost."""

import pytest
import soundfile

from program import refusal

RENDER = ["render", "--at", "2026-11-21T15:15"]


@pytest.mark.parametrize(
    "name, form",
    [("clock.wav", "WAV"), ("clock.WAV", "WAV"), ("clock.wave", "WAV"), ("clock", "WAV"),
     ("a.b/clock", "WAV"), ("clock.flac", "FLAC"), ("clock.FLAC", "FLAC"), ("clock.Flac", "FLAC")])
@pytest.mark.parametrize("words", [RENDER, ["say", "15:15"]], ids=["render", "say"])
def test_a_sound_file_is_what_its_name_says(clocksmith, tmp_path, words, name, form):
    (tmp_path / "a.b").mkdir()
    path = tmp_path / name
    done = clocksmith.run(*words, "--output", path, "--config", clocksmith.configuration())
    assert (done.returncode, done.stderr) == (0, "")
    assert soundfile.info(path).format == form


@pytest.mark.parametrize("name", ["clock.mp3", "clock.ogg", "clock.flac.bak", "clock.svg"])
@pytest.mark.parametrize("words", [RENDER, ["say", "15:15"]], ids=["render", "say"])
def test_a_name_of_another_kind_is_refused(clocksmith, tmp_path, words, name):
    folder = tmp_path / "output"
    folder.mkdir()
    done = clocksmith.run(
        *words, "--output", folder / name, "--config", clocksmith.configuration())
    assert refusal(done, 1) == (
        f"clocksmith: cannot write {folder / name}: sound is written as WAV or FLAC; give it a name "
        "that ends in .wav or .flac")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["clock.flac", "clock.mp3"])
def test_what_is_played_into_a_file_in_real_time_is_wav_alone(clocksmith, tmp_path, name):
    path = tmp_path / name
    done = clocksmith.run("run", "--output", path, "--config", clocksmith.configuration())
    assert refusal(done, 1) == (
        f"clocksmith: cannot write {path}: what is heard while it is written is WAV; give it a name "
        "that ends in .wav")
    assert not path.exists()


@pytest.mark.parametrize("picture", ["x", "./x", "folder/../x"])
def test_the_sound_and_its_picture_are_two_files(clocksmith, tmp_path, picture):
    (tmp_path / "folder").mkdir()
    done = clocksmith.run(
        *RENDER, "--output", "x", "--picture", picture, "--config", clocksmith.configuration(),
        cwd=tmp_path)
    assert "--output and --picture are the same file" in refusal(done, 2)
    assert not (tmp_path / "x").exists()


def test_both_may_go_nowhere(clocksmith):
    done = clocksmith.run(
        *RENDER, "--output", "/dev/null", "--picture", "/dev/null", "--config",
        clocksmith.configuration())
    assert (done.returncode, done.stderr) == (0, "")
