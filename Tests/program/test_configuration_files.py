"""The files in /etc/clocksmith: an unreadable one is an error, and never means the defaults."""

import shutil

import pytest

from program import refusal


def unreadable(etc, name):
    """Puts an empty file there that nobody may read."""
    (etc.folder / name).touch()
    (etc.folder / name).chmod(0)


def in_place_of_the_folder(etc, put):
    (etc.folder / "conf.d").rmdir()
    put(etc.folder / "conf.d")


def unreadable_folder(etc, name):
    (etc.folder / name).mkdir(exist_ok=True)
    (etc.folder / name / "10-quiet.conf").touch()
    (etc.folder / name).chmod(0)


# The name that is told, and what is done.
BREAKAGES = {
    "an unreadable file": ("clocksmith.conf", lambda etc: unreadable(etc, "clocksmith.conf")),
    "a link to nothing": (
        "clocksmith.conf", lambda etc: (etc.folder / "clocksmith.conf").symlink_to("clocksmith.conf.mine")),
    "a link to nothing in the folder": (
        "conf.d/10-quiet.conf", lambda etc: (etc.folder / "conf.d/10-quiet.conf").symlink_to("elsewhere")),
    "an unreadable folder": ("conf.d", lambda etc: unreadable_folder(etc, "conf.d")),
    "a file in the folder's place": ("conf.d", lambda etc: in_place_of_the_folder(etc, lambda path: path.touch())),
    "a folder that is a link to nothing": (
        "conf.d", lambda etc: in_place_of_the_folder(etc, lambda path: path.symlink_to("elsewhere"))),
}


@pytest.mark.parametrize("kind", BREAKAGES)
def test_what_cannot_be_read_is_not_taken_for_the_defaults(etc, kind):
    name, make = BREAKAGES[kind]
    make(etc)
    told = refusal(etc.run("agenda"), 1)
    assert f"/etc/clocksmith/{name}: " in told
    assert ("sudo chmod -R a+rX /etc/clocksmith" in told) == ("unreadable" in kind)
    done = etc.run("check")
    assert done.returncode == 3
    assert f"FOUND configuration cannot read /etc/clocksmith/{name}: " in done.stdout


def test_without_files_the_defaults_count(etc):
    shutil.rmtree(etc.folder / "conf.d")
    assert "ok    configuration the defaults; no file" in etc.run("check").stdout


def test_the_files_are_read_in_order(etc):
    (etc.folder / "clocksmith.conf").write_text("[announce]\ninterval = 7\n")
    (etc.folder / "conf.d/10.conf").write_text("[announce]\ninterval = 8\n")
    assert "/etc/clocksmith/clocksmith.conf:2: interval = 7" in refusal(etc.run("agenda"), 1)
