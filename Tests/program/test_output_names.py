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


OF_ANOTHER_KIND = ("--output 'clock.{}': sound is written as WAV, FLAC or CAF; give it a name that ends in .wav, "
                   ".flac or .caf")


@pytest.mark.parametrize("words, status, told", [
    ([*RENDER, "--output", "clock.mp3"], 2, OF_ANOTHER_KIND.format("mp3")),
    (["say", "15:15", "--output", "clock.flac.bak"], 2, OF_ANOTHER_KIND.format("flac.bak")),
    ([*TRY, "--output", "clock.mp3"], 2, OF_ANOTHER_KIND.format("mp3")),
    ([*RENDER, "--picture", "clock.png"], 2, "--picture 'clock.png': it is drawn as SVG; give it a name that ends in .svg"),
    (["run", "--output", "clock.flac"], 2,
     "--output 'clock.flac': what is heard while it is written is WAV; give it a name that ends in .wav"),
    (["say", "15:15", "--output", "/dev/stdout"], 1,
     "cannot write /dev/stdout: it is a pipe or a terminal, and the start of a sound file is written last; "
     "name a file, and pass that on"),
    ([*RENDER, "--output", "-"], 2, "--output '-': standard output is for words; give a name"),
    ([*RENDER, "--picture", ""], 2, "--picture '': it is empty; give a name"),
    (["voice", "export", "rms", "--output", "-"], 2, "--output '-': standard output is for words; give a name"),
    (["voice", "export", "rms", "--output", ""], 2, "--output '': it is empty; give a name"),
])
def test_a_name_that_is_not_fit_is_refused_with_the_reason(clocksmith, tmp_path, words, status, told):
    folder = tmp_path / "output"
    folder.mkdir()
    done = clocksmith.run(*words, "--config", clocksmith.configuration(), cwd=folder)
    assert refusal(done, status) == f"clocksmith: {told}"
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
