"""Checks the translations of the page: the lists face/words-XX.json against what the page says."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

FACE = Path(__file__).resolve().parents[2] / "face"
LISTS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FACE.glob("words-*.json"))}
LANGUAGE = (FACE / "language.js").read_text(encoding="utf-8")
CODE = {path.name: path.read_text(encoding="utf-8")
        for path in sorted(FACE.glob("*.js")) if path.name != "language.js"}
TEXT = r'"(?:[^"\\]|\\.)*"'
LITERAL = rf"{TEXT}(?:\s*\+\s*{TEXT})*"
# What an element of text is called, where there is little room.
BUTTONS = r'\bbutton\(tr\((LITERAL)\)|h\("button", \{[^}]*\}, tr\((LITERAL)\)|^ +\[tr\((LITERAL)\), tr\('.replace(
    "LITERAL", LITERAL)


class Page(HTMLParser):
    """Finds what elements with `data-tr` have: the label, or else the text, in which an element is `{link}`."""

    def __init__(self):
        super().__init__()
        self.keys = []
        self.buttons = []
        self.open = []
        self.feed((FACE / "index.html").read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if self.open:
            self.open[-1][1] += "{link}"
        if "data-tr" not in attributes:
            return
        if "aria-label" in attributes:
            self.keys.append(attributes["aria-label"])
        else:
            self.open.append([tag, ""])

    def handle_data(self, data):
        if self.open:
            self.open[-1][1] += data

    def handle_endtag(self, tag):
        if self.open and self.open[-1][0] == tag:
            key = " ".join(self.open.pop()[1].split())
            self.keys.append(key)
            if tag == "button":
                self.buttons.append(key)


def joined(literal):
    """The text of a literal, which may have several parts."""
    return "".join(json.loads(part) for part in re.findall(TEXT, literal))


def keys_of(code):
    literals = re.findall(rf"\b(?:tr|parts)\(\s*({LITERAL})", code)
    for table in re.findall(r"\btrEach\(\{(.*?)\}\)", code, re.DOTALL):
        literals += re.findall(rf": ({LITERAL})", table)
    return [joined(literal) for literal in literals]


PAGE = Page()
KEYS = list(dict.fromkeys(PAGE.keys + [key for code in CODE.values() for key in keys_of(code)]))


def placeholders(text):
    return sorted(re.findall(r"\{\w+\}", text))


def test_each_language_has_its_list():
    languages = json.loads(re.search(r"LANGUAGES = (\[.*?\])", LANGUAGE)[1])
    assert [f"words-{each}" for each in sorted(languages) if each != "en"] == list(LISTS)


@pytest.mark.parametrize("name", CODE)
def test_what_is_translated_stands_in_the_code(name):
    calls = re.findall(r"\b(?:tr|parts|trEach)\((?!\))", CODE[name])
    found = re.findall(rf"\b(?:tr|parts)\(\s*{LITERAL}|\btrEach\(\{{", CODE[name])
    assert len(calls) == len(found)


@pytest.mark.parametrize("name", LISTS)
def test_each_list_has_what_the_page_says_and_no_more(name):
    assert len(KEYS) > 200
    assert [key for key in KEYS if key not in LISTS[name]] == []
    assert [key for key in LISTS[name] if key not in KEYS] == []


@pytest.mark.parametrize("name", LISTS)
def test_a_translation_has_the_values_of_its_sentence(name):
    assert {key: text for key, text in LISTS[name].items() if placeholders(key) != placeholders(text) or not text.strip()} == {}


@pytest.mark.parametrize("name", LISTS)
def test_a_translation_ends_as_its_sentence_does(name):
    def end(text):
        return re.search(r"[.?:…]?$", text)[0]
    assert {key: text for key, text in LISTS[name].items() if end(key) != end(text)} == {}


@pytest.mark.parametrize("name", LISTS)
def test_the_words_of_a_button_are_not_long(name):
    found = [joined(literal) for code in CODE.values() for each in re.findall(BUTTONS, code, re.MULTILINE)
             for literal in each if literal]
    buttons = set(found + PAGE.buttons)
    assert {"Say the time", "Add a time", "Begin", "Skip next"} <= buttons
    long = {key: text for key in buttons if len(text := LISTS[name][key]) > 1.7 * len(key) + 8}
    assert long == {}


@pytest.mark.parametrize("name", LISTS)
def test_the_label_of_a_button_has_its_words(name):
    """Who says to a phone what stands on a button must be understood."""
    pairs = [(joined(text), joined(label)) for code in CODE.values()
             for text, label in re.findall(rf"\[tr\(({LITERAL})\), tr\(({LITERAL})", code)]
    pairs += [("Save", "Save: {title}"), ("Remove the alarm", "Remove the alarm {name}"), ("Undo", "Undo: {title}"),
              ("Remove", "Remove this time"), ("Remove", "Remove {name}")]
    words = LISTS[name]
    assert len(pairs) > 12
    assert [label for text, label in pairs if words[text].casefold() not in words[label].casefold()] == []
