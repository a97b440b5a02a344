"""The documents link to what is there, in the source and where the packages install them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
# Where the package installs the documents.
DOCUMENTS = "usr/share/doc/clocksmith"


def pages():
    """The documents that belong to the tree."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=TREE, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so what belongs to the tree is not known")
    return [Path(line) for line in listed.stdout.splitlines() if (TREE / line).is_file()]


def prose(page):
    """The text of a page without its code, in which brackets are no links."""
    text = re.sub(r"^(?: {4}|\t).*$", "", (TREE / page).read_text(), flags=re.MULTILINE)
    return re.sub(r"`[^`]*`", "", text)


def links(page):
    """The targets of a page's links and pictures that are no addresses of the web, as (file, anchor)."""
    text = prose(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield Path(os.path.normpath(page.parent / file)) if file else page, anchor


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^ {4}.*$", "", (TREE / page).read_text(), flags=re.MULTILINE)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def installed():
    """The files of the tree that the package of the clock installs as documents, in the same folders."""
    listed = [line for line in (TREE / "debian/clocksmith.docs").read_text().splitlines() if line]
    found = set()
    for name in listed:
        assert "/" not in name, f"dh_installdocs would install {name} without its folder"
        path = TREE / name
        found |= {each for each in path.rglob("*") if each.is_file()} if path.is_dir() else {path}
    for line in (TREE / "debian/clocksmith.install").read_text().splitlines():
        if DOCUMENTS in line:
            pattern, folder = line.split()
            assert folder == f"{DOCUMENTS}/{Path(pattern).parent}", line
            found |= set(TREE.glob(pattern))
    return {path.relative_to(TREE) for path in found if path.suffix != ".mp3"}


def test_every_link_leads_to_a_file_and_a_heading():
    for page in pages():
        for file, anchor in links(page):
            assert (TREE / file).exists(), f"{page}: {file}"
            assert not anchor or anchor in anchors(file), f"{page}: {file}#{anchor}"


def test_installed_documents_link_to_installed_files_only():
    there = installed()
    for page in sorted(path for path in there if path.suffix == ".md"):
        # debian/rules makes words of the links to recordings.
        for file in {file for file, _ in links(page) if file.suffix != ".mp3"}:
            assert file in there, f"{page}: {file} is not installed"


def test_the_packages_are_built_from_a_tree_with_all_documents():
    script = (TREE / "deploy/package").read_text()
    [copied] = re.findall(r'cp -a "\$repo"/\{(.*)\} \\\n +"\$work/source/"', script)
    for path in installed():
        assert path.parts[0] in copied.split(",") or f"$repo/{path}" in script, path


def test_the_index_has_every_page():
    listed = {file for file, _ in links(Path("docs/README.md"))}
    for page in pages():
        if page.parent == Path("docs") and page.name != "README.md":
            assert page in listed, page


def test_every_picture_has_words_for_those_who_do_not_see_it():
    for page in pages():
        assert "![](" not in (TREE / page).read_text(), page
        for picture in re.findall(r"<img [^>]*>", prose(page)):
            assert re.search(r'alt="[^"]+"', picture), f"{page}: {picture}"
    for picture in TREE.glob("docs/*.svg"):
        text = picture.read_text()
        assert 'role="img"' in text and re.search(r"<title[^>]*>[^<]", text), picture.name


def test_the_page_of_samples_has_every_sample_and_they_are_small():
    samples = {path.relative_to(TREE) for path in TREE.glob("docs/samples/*.mp3")}
    listed = {file for file, _ in links(Path("docs/samples.md"))}
    assert samples and samples == {file for file in listed if file.parent.name == "samples"}
    assert sum((TREE / path).stat().st_size for path in samples) < 400_000
    # Each voice, tune and signal that ships can be heard.
    text = (TREE / "docs/samples.md").read_text()
    shipped = [path.parent.name for path in TREE.glob("sounds/*/*/voice.conf")]
    shipped += [path.stem for path in TREE.glob("sounds/tunes/*.tune")]
    shipped += [path.stem for path in TREE.glob("sounds/signals/*.flac")]
    for name in shipped:
        assert f"`{name}`" in text, name


# MARK: Home Assistant

PAGE = Path("docs/home-assistant.md")


def entities():
    """The entities that Home Assistant is told of: their names, by the ids that it gives them for a clock "hall"."""
    source = (TREE / "Sources/Relay/Discovery.swift").read_text()
    found = re.findall(r'key: "\w+", platform: "(\w+)", name: "([^"]+)"', source)
    assert len(found) == source.count("    Entity(\n")
    return {f"{platform}.hall_{name.lower().replace(' ', '_')}": name for platform, name in found}


def examples():
    """The examples of the page that are YAML, each as what it means."""
    yaml = pytest.importorskip("yaml", reason="no PyYAML here (apt install python3-yaml)")
    blocks = re.findall(r"(?:^(?: {4}.*)?\n)+", (TREE / PAGE).read_text(), re.MULTILINE)
    return [yaml.safe_load(block) for block in blocks if re.match(r"\s*(- (alias|action)|type):", block)]


def parts(example, key):
    """Every value of that key within an example."""
    if isinstance(example, dict):
        yield from (value for name, value in example.items() if name == key)
    if isinstance(example, (dict, list)):
        for value in example.values() if isinstance(example, dict) else example:
            yield from parts(value, key)


def test_the_page_of_home_assistant_has_every_entity_and_no_other():
    listed = re.findall(r"^- ([A-Z][\w ,]+):", (TREE / PAGE).read_text(), re.MULTILINE)
    assert sorted(name for names in listed for name in names.split(", ")) == sorted(entities().values())


def test_the_examples_of_home_assistant_name_entities_and_commands_that_there_are():
    shown = examples()
    assert [type(example).__name__ for example in shown] == ["dict", "list", "list", "list"]
    named = set(re.findall(r"\b\w+\.hall_\w+", (TREE / PAGE).read_text()))
    assert named and named <= set(entities())
    assert set(shown[0]["entities"]) <= set(entities())
    # The events of "Ring", and the commands.
    [rings] = re.findall(r"static let rings = \[(.*)\]", (TREE / "Sources/Relay/Discovery.swift").read_text())
    assert {event for states in parts(shown, "state") for event in states} <= {
            re.sub("([A-Z])", r"_\1", name).lower() for name in re.findall(r"\.(\w+)", rings)}
    interface = (TREE / "docs/clocksmith-relay.openapi.json").read_text()
    sent = [data for data in parts(shown, "data") if "topic" in data]
    assert sent
    for data in sent:
        assert data["topic"] == "clocksmith/clock/hall/command"
        assert f'"const": "{json.loads(data["payload"])["command"]}"' in interface


# MARK: Words

# Words of another time, and what is said instead: docs/glossary.md.
INSTEAD = {r"sound (card|device)s?": "speaker", r"cancel\w*": "remove", r"whoever": "a noun"}


def shipped_texts():
    """What people read: the documents, the manual pages, the files with settings, the entries of the journal."""
    yield from (TREE / page for page in pages() if page.parts[0] in ("README.md", "SECURITY.md", "docs"))
    for pattern in ("docs/*.svg", "debian/*.[15]", "deploy/*.conf", "deploy/device/boot/*.txt", "systemd/*.catalog"):
        yield from TREE.glob(pattern)


def test_there_is_one_word_for_each_thing():
    for path in shipped_texts():
        if path.name == "glossary.md":
            continue
        # Keys, methods, values and the buttons of other programs keep their names.
        text = re.sub(r'`[^`\n]*`|"\w+"|^\.B \w+$|\w+_cancel\w*|\w+_device\w*', "", path.read_text(), flags=re.MULTILINE)
        for old, new in INSTEAD.items():
            found = [line for line in text.splitlines() if re.search(rf"(?i)\b{old}\b", line)]
            assert not found, f"{path.relative_to(TREE)}: say {new}: {found[0][:120]}"
