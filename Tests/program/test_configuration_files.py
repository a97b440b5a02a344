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
    assert ("it is a link to nothing" in told) == ("link to nothing" in kind)
    assert ("sudo chmod -R a+rX /etc/clocksmith" in told) == ("unreadable" in kind)
    done = etc.run("check")
    assert done.returncode == 3
    assert f"FOUND configuration cannot read /etc/clocksmith/{name}: " in done.stdout


@pytest.mark.parametrize("name", ["/conf.d", ""])
def test_a_file_in_the_folders_place_is_told_with_what_to_do(etc, name):
    in_place_of_the_folder(etc, lambda path: path.touch())
    if not name:
        shutil.rmtree(etc.folder)
        etc.folder.touch()
    assert refusal(etc.run("agenda"), 1) == (
        f"clocksmith: cannot read /etc/clocksmith{name}: it is no folder; move it away, and put settings "
        "into /etc/clocksmith/conf.d/NAME.conf")


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


def test_check_says_what_to_do_about_a_key_of_an_earlier_version(etc):
    path = etc.folder / "conf.d/my.conf"
    path.write_text("[switch]\ndebounce = long\n[speaker]\nlatency_offset = 1s\n")
    done = etc.run("check")
    assert done.returncode == 3
    assert (
        "FOUND configuration /etc/clocksmith/conf.d/my.conf:2: 'debounce' in [switch] has no effect any more; "
        "remove it (and 1 more)\n") in done.stdout
    path.write_text("[speaker]\nlatency_offset = 1s\n")
    assert "my.conf:2: 'latency_offset' in [speaker] is now called 'delay'; write that\n" in etc.run("check").stdout
