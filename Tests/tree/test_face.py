"""Checks that the page in the browser keeps to itself, and that all of it ships."""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
FACE = sorted((TREE / "face").iterdir())
TEXTS = {".html", ".css", ".js", ".svg", ".webmanifest", ".json"}


def test_the_package_has_every_file_of_the_face():
    assert TREE / "face/index.html" in FACE
    assert {path.suffix for path in FACE} <= TEXTS | {".png"}
    assert "face/* usr/share/clocksmith/face\n" in (TREE / "debian/clocksmith-relay.install").read_text()
    copied = re.search(r'cp -a "\$repo"/{(.*?)}', (TREE / "deploy/package").read_text())[1]
    assert "face" in copied.split(",")


@pytest.mark.parametrize("path", [path for path in FACE if path.suffix in TEXTS], ids=lambda path: path.name)
def test_the_face_asks_nobody_else(path):
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|url\(|@import|(?:src|href)=\"//", text)


def test_the_page_has_neither_scripts_nor_styles_inside():
    text = (TREE / "face/index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]* src=)", text)


@pytest.mark.parametrize("path", [path for path in FACE if path.suffix == ".js"], ids=lambda path: path.name)
def test_nothing_that_a_stranger_wrote_can_become_a_part_of_the_page(path):
    code = path.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc", code)
    imported = re.findall(r'from "(.*?)"', code)
    assert all((TREE / "face" / name).exists() for name in imported), imported


def test_the_page_asks_for_all_its_scripts_at_once():
    text = (TREE / "face/index.html").read_text(encoding="utf-8")
    asked = re.findall(r'<link rel="modulepreload" href="(.*?)">', text)
    assert asked == sorted(path.name for path in FACE if path.suffix == ".js" and path.name != "main.js")


def test_no_script_of_the_page_imports_itself_by_way_of_others():
    imported = {path.name: set(re.findall(r'from "\./(.*?)"', path.read_text(encoding="utf-8")))
                for path in FACE if path.suffix == ".js"}
    assert imported["main.js"]
    while leaves := {name for name, others in imported.items() if not others & imported.keys()}:
        imported = {name: others for name, others in imported.items() if name not in leaves}
    assert not imported, imported


def test_the_page_has_a_place_for_each_text_that_the_relay_fills_in():
    text = (TREE / "face/index.html").read_text(encoding="utf-8")
    assert re.split("[{}]", text)[1::2] == ["version", "host", "host", "host", "time", "next", "trust"]


def test_the_page_knows_no_event_that_the_clock_does_not_have():
    events = set(re.findall(r'"(\w+) [0-9a-f]{32}"', (TREE / "Sources/Vocabulary/JournalEvent.swift").read_text()))
    code = "".join((TREE / "face" / name).read_text() for name in ("day.js", "main.js"))
    lists = re.findall(r"\[([^\[\]]*)\]\.includes\((?:record\.)?event\)", code)
    named = {word for words in lists for word in re.findall(r'"(\w+)"', words)}
    named |= set(re.findall(r'\bevent === "(\w+)"', code))
    assert len(named) > 8 and named <= events, named - events
