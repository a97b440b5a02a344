"""A voice's quarters of an hour as files, for a phone that speaks by itself."""

import pytest
import soundfile

from program import VOICE, VOICES, refusal


@pytest.mark.parametrize("words, suffix, form", [([], "wav", "WAV"), (["--caf"], "caf", "CAF")])
def test_every_quarter_is_a_file_as_render_makes_it(clocksmith, tmp_path, words, suffix, form):
    configuration = clocksmith.configuration(voice=VOICE)
    done = clocksmith.run(
        "voice", "export", VOICE, *words, "--output", tmp_path / "out/", "--config", configuration)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"made {tmp_path}/out: 96 files, 0000.{suffix} to 2345.{suffix}\n"
    times = [f"{hour:02}{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        [*(f"{time}.{suffix}" for time in times), "LICENCE"])
    assert (tmp_path / "out/LICENCE").read_bytes() == (VOICE / "LICENCE").read_bytes()
    whole = tmp_path / "whole.wav"
    for time in ("0000", "1215", "2345"):
        at = f"2026-11-21T{time[:2]}:{time[2:]}"
        clocksmith.run("render", "--at", at, "--output", whole, "--config", configuration)
        path = tmp_path / f"out/{time}.{suffix}"
        assert soundfile.info(path).format == form
        assert (soundfile.read(path, dtype="int16")[0] == soundfile.read(whole, dtype="int16")[0]).all()


def test_the_notice_goes_with_the_licence_and_the_style_is_as_asked_for(clocksmith, tmp_path):
    for name, words in (("digital", []), ("natural", ["--style", "natural"])):
        done = clocksmith.run(
            "voice", "export", "heart", *words, "--output", tmp_path / name, "--config",
            clocksmith.configuration())
        assert done.returncode == 0
        assert (tmp_path / name / "NOTICE").read_bytes() == (VOICES["heart"] / "NOTICE").read_bytes()
    read = [(tmp_path / name / "1515.wav").read_bytes() for name in ("digital", "natural")]
    assert read[0] != read[1]


@pytest.mark.parametrize("words, status, told", [
    (["export", str(VOICE)], 2, "voice export needs --output, the folder to make"),
    (["export", str(VOICE), "--output", "{folder}"], 1, "{folder}: it is there already; give another"),
    (["export", str(VOICE), "--output", "{folder}/none/out"], 1, "No such file or directory"),
])
def test_what_cannot_be_made_is_told_and_leaves_nothing(clocksmith, tmp_path, words, status, told):
    folder = tmp_path / "folder"
    folder.mkdir()
    done = clocksmith.run(
        "voice", *(word.format(folder=folder) for word in words), "--config",
        clocksmith.configuration())
    assert told.format(folder=folder) in refusal(done, status)
    assert not list(folder.iterdir())


def test_a_licence_that_cannot_go_with_the_clips_is_told(clocksmith, pack, tmp_path):
    (pack / "LICENCE").write_text(" \n\t\n")
    told = (f"its licence, 'LICENCE' in {pack}, is missing or empty; write into it who made the voice, and what others "
            "may do with it")
    configuration = clocksmith.configuration(voice=pack)
    done = clocksmith.run("voice", "export", pack, "--output", tmp_path / "out", "--config", configuration)
    assert refusal(done, 1) == f"clocksmith: cannot export the voice: {told}"
    assert not (tmp_path / "out").exists()
    assert f"    licence  {told}\n" in clocksmith.run("voice", "list", "--config", configuration).stdout
