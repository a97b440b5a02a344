"""`clocksmith bells`: what it lists, what it writes, and how it refuses."""

import resource
import shutil
import stat

import pytest
import soundfile

from program import PROGRAM, ROOT, refusal

BELLS = ROOT / "sounds/bells"


@pytest.fixture
def installed(clocksmith, tmp_path, monkeypatch):
    """The program and its table, installed as by a package, for a test to break: the table."""
    program = tmp_path / "usr/bin/clocksmith"
    table = tmp_path / "usr/share/clocksmith/bells/bells.ini"
    program.parent.mkdir(parents=True)
    table.parent.mkdir(parents=True)
    shutil.copy(PROGRAM, program)
    shutil.copy(BELLS / "bells.ini", table)
    monkeypatch.setattr("program.PROGRAM", program)
    return table


def test_list_has_a_line_for_each_sound(clocksmith):
    done = clocksmith.run("bells", "list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert list(lines) == ["E3", "B3", "E4", "F#4", "G#4", "A4", "B4", "C#5", "D#5", "E5", "ship", "pip", "pip-long",
                           "cuckoo"]
    assert lines["E3"] == ["167.0", "Hz", "authentic", "3", "takes", "25.0", "s"]
    assert lines["pip"] == ["1", "take", "0.1", "s"]


def test_list_knows_the_other_tuning(clocksmith):
    done = clocksmith.run("bells", "list", "--tuning", "concert", "--bell", "E4")
    assert done.stdout.split() == ["E4", "329.6", "Hz", "concert", "2", "takes", "16.0", "s"]


def test_render_writes_the_takes_of_one_bell_into_a_new_folder(clocksmith, tmp_path):
    folder = tmp_path / "new"
    done = clocksmith.run("bells", "render", "--bell", "F#4", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(file.name for file in folder.iterdir()) == ["Fsharp4-1.flac", "Fsharp4-2.flac"]
    for file in folder.iterdir():
        info = soundfile.info(file)
        assert (info.format, info.subtype, info.channels, info.samplerate) == ("FLAC", "PCM_16", 1, 48000)


def test_render_replaces_what_is_there(clocksmith, tmp_path):
    (tmp_path / "pip.flac").write_text("not a pip")
    assert clocksmith.run("bells", "render", "--bell", "pip", tmp_path).returncode == 0
    assert soundfile.info(tmp_path / "pip.flac").frames == 4800


SIGNALS = ["prepare", "work", "rest", "half", "last", "end", "count", "cue", "ring"]


def test_list_has_a_line_for_each_signal(clocksmith):
    done = clocksmith.run("bells", "list", "--signals")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert list(lines) == SIGNALS
    assert lines["work"] == ["E5", "G#5", "B5", "E6", "0.9", "s"]
    assert clocksmith.run("bells", "list", "--signals", "--bell", "cue").stdout.split() == ["cue", "E5", "0.6", "s"]


def test_render_writes_the_signals_and_no_bell(clocksmith, tmp_path):
    done = clocksmith.run("bells", "render", "--signals", tmp_path / "new")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(file.stem for file in (tmp_path / "new").iterdir()) == sorted(SIGNALS)
    assert soundfile.info(tmp_path / "new/count.flac").frames == 3840


def test_signals_need_no_table(clocksmith, installed):
    installed.unlink()
    assert clocksmith.run("bells", "list", "--signals").returncode == 0


def test_a_signal_that_is_missing_or_torn_is_found_by_check(clocksmith, installed):
    def line():
        done = clocksmith.run("check", "--config", clocksmith.configuration())
        [found] = [line for line in done.stdout.splitlines() if line.split()[1] == "signals"]
        return found

    signals = installed.parents[1] / "signals"
    shutil.copytree(ROOT / "sounds/signals", signals)
    assert line() == "ok    signals       all 9 of them; a timer can ring"
    ring = signals / "ring.flac"
    ring.write_bytes(ring.read_bytes()[:5000])
    assert line().startswith("FOUND") and f"cannot read {ring}" in line()
    ring.unlink()
    assert line().startswith("FOUND") and f"{ring} is not there; install clocksmith" in line()


@pytest.mark.parametrize(
    "words, named",
    [([], "'list' or 'render DIR'"),
     (["sing"], "'list' or 'render DIR'"),
     (["list", "here"], "'list' or 'render DIR'"),
     (["render"], "'list' or 'render DIR'"),
     (["render", "here", "there"], "'there'"),
     (["render", "--bell", "H3", "here"], "'H3'; there are E3, B3"),
     (["list", "--bell", "H3"], "'H3'"),
     (["list", "--tuning", "baroque"], "'baroque'"),
     (["list", "--signals", "--bell", "E3"], "no signal 'E3'; there are prepare, work"),
     (["list", "--signals", "--tuning", "concert"], "--tuning is for the bells")])
def test_misuse_is_told(clocksmith, words, named):
    assert named in refusal(clocksmith.run("bells", *words), 2)


def test_a_folder_that_cannot_be_made_is_told(clocksmith, tmp_path):
    folder = tmp_path / "no/such"
    assert str(folder) in refusal(clocksmith.run("bells", "render", folder), 1)
    file = tmp_path / "file"
    file.write_text("")
    assert str(file) in refusal(clocksmith.run("bells", "render", file), 1)


@pytest.mark.parametrize("folder", ["", "new"], ids=["there already", "new"])
def test_a_full_disk_leaves_nothing_half_written(clocksmith, full_disk, folder):
    done = clocksmith.run("bells", "render", "--bell", "E3", full_disk / folder)
    assert "No space left on device" in refusal(done, 1)
    assert list(full_disk.iterdir()) == []


def test_a_disk_that_is_full_for_the_last_frames_leaves_no_torn_file(clocksmith, tmp_path):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    assert clocksmith.run("bells", "render", "--bell", "pip", whole).returncode == 0
    largest = (whole / "pip.flac").stat().st_size - 1
    done = clocksmith.run(
        "bells", "render", "--bell", "pip", torn,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)))
    assert "cannot write" in refusal(done, 1) and "File too large" in done.stderr
    assert not torn.exists()


def test_no_file_is_readable_by_more_than_the_umask_allows(clocksmith, tmp_path):
    assert clocksmith.run("bells", "render", "--bell", "pip", tmp_path).returncode == 0
    assert stat.S_IMODE((tmp_path / "pip.flac").stat().st_mode) & 0o133 == 0


def test_the_installed_program_finds_its_table(clocksmith, installed):
    assert clocksmith.run("bells", "list").returncode == 0
    installed.write_text(installed.read_text().replace("concert = 440", "concert = la"))
    assert "bells.ini:" in refusal(clocksmith.run("bells", "list"), 1)
    installed.unlink()
    sentence = refusal(clocksmith.run("bells", "render", installed.parent), 1)
    assert sentence.endswith(
        f"{installed} is not there; install clocksmith again, or run it from where it was built")
    assert list(installed.parent.iterdir()) == []


def test_help_explains_both_actions(clocksmith):
    text = clocksmith.run("bells", "--help").stdout
    assert all(word in text for word in ("list", "render DIR", "--tuning", "concert", "--bell", "--signals"))
