"""The files in /etc/clocksmith: an unreadable one is an error, and never means the defaults."""

import shutil

import pytest

from c_library import shared_library
from program import refusal


def without_rights(path):
    path.chmod(0)


def an_unreadable_file(etc):
    (etc.folder / "clocksmith.conf").touch()
    without_rights(etc.folder / "clocksmith.conf")
    return "clocksmith.conf"


def a_link_to_nothing(etc):
    (etc.folder / "clocksmith.conf").symlink_to("clocksmith.conf.mine")
    return "clocksmith.conf"


def a_link_to_nothing_in_the_folder(etc):
    (etc.folder / "conf.d/10-quiet.conf").symlink_to("elsewhere")
    return "conf.d/10-quiet.conf"


def an_unreadable_folder(etc):
    (etc.folder / "conf.d/10-quiet.conf").touch()
    without_rights(etc.folder / "conf.d")
    return "conf.d"


def a_file_in_the_folders_place(etc):
    (etc.folder / "conf.d").rmdir()
    (etc.folder / "conf.d").touch()
    return "conf.d"


def a_folder_that_is_a_link_to_nothing(etc):
    (etc.folder / "conf.d").rmdir()
    (etc.folder / "conf.d").symlink_to("elsewhere")
    return "conf.d"


def an_unreadable_clocksmith(etc):
    (etc.folder / "clocksmith.conf").touch()
    without_rights(etc.folder)
    return "clocksmith.conf"


BREAKAGES = [
    an_unreadable_file, a_link_to_nothing, a_link_to_nothing_in_the_folder, an_unreadable_folder, a_file_in_the_folders_place,
    a_folder_that_is_a_link_to_nothing, an_unreadable_clocksmith]


@pytest.mark.parametrize("make", BREAKAGES, ids=lambda make: make.__name__)
def test_what_cannot_be_read_is_not_taken_for_the_defaults(etc, make):
    name = make(etc)
    assert f"/etc/clocksmith/{name}: " in refusal(etc.run("agenda"), 1)
    done = etc.run("check")
    assert done.returncode == 3
    assert f"FOUND configuration cannot read /etc/clocksmith/{name}: " in done.stdout


def test_missing_rights_are_told_with_what_gives_them(etc):
    an_unreadable_folder(etc)
    assert "sudo chmod -R a+rX /etc/clocksmith" in refusal(etc.run("agenda"), 1)


@pytest.mark.parametrize("make", [a_link_to_nothing, a_link_to_nothing_in_the_folder])
def test_a_link_to_nothing_is_called_one(etc, make):
    make(etc)
    assert "it is a link to nothing" in refusal(etc.run("agenda"), 1)


@pytest.mark.parametrize("name", ["/conf.d", ""])
def test_a_file_in_the_folders_place_is_told_with_what_to_do(etc, name):
    a_file_in_the_folders_place(etc)
    if not name:
        shutil.rmtree(etc.folder)
        etc.folder.touch()
    assert refusal(etc.run("agenda"), 1) == (
        f"clocksmith: cannot read /etc/clocksmith{name}: it is no folder; move it away, and put settings "
        "into /etc/clocksmith/conf.d/NAME.conf")


# Preloaded: a folder of which the disk gives no entry.
TORN_FOLDER = r"""
#include <errno.h>
#include <stddef.h>
void *readdir(void *folder) {
  errno = EIO;
  return NULL;
}
"""


def test_a_folder_that_cannot_be_read_to_its_end_is_not_taken_for_an_empty_one(etc, tmp_path):
    (etc.folder / "conf.d/10.conf").write_text("[announce]\ninterval = 8\n")
    torn = shared_library(tmp_path / "torn.so", TORN_FOLDER)
    sentence = refusal(etc.run("agenda", before=["env", f"LD_PRELOAD={torn}"]), 1)
    assert "cannot read /etc/clocksmith/conf.d: Input/output error" in sentence


def test_without_files_the_defaults_count(etc):
    shutil.rmtree(etc.folder / "conf.d")
    assert "ok    configuration the defaults; no file" in etc.run("check").stdout


def test_the_files_are_read_in_order(etc):
    (etc.folder / "clocksmith.conf").write_text("[announce]\ninterval = 7\n")
    (etc.folder / "conf.d/10.conf").write_text("[announce]\ninterval = 8\n")
    assert "/etc/clocksmith/clocksmith.conf:2: interval = 7" in refusal(etc.run("agenda"), 1)


def test_check_names_a_file_that_is_not_read_for_its_name(etc):
    for name in ("my.cnf", "10.conf", "10.conf~", "10.conf.dpkg-old", ".hidden", "mine.conf.txt"):
        (etc.folder / "conf.d" / name).write_text("")
    done = etc.run("check")
    assert done.returncode == 3
    assert (
        "FOUND configuration /etc/clocksmith/conf.d/mine.conf.txt is not read, for its name does not end in "
        ".conf; rename it, or remove it (and 1 more)\n") in done.stdout
    (etc.folder / "conf.d/mine.conf.txt").unlink()
    assert "FOUND configuration /etc/clocksmith/conf.d/my.cnf is not read" in etc.run("check").stdout
    (etc.folder / "conf.d/my.cnf").unlink()
    assert "ok    configuration /etc/clocksmith/conf.d/10.conf\n" in etc.run("check").stdout
