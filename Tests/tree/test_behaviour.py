"""Each rule of docs/behaviour.md has a name and a test that cites it, and nothing cites a rule that is not there."""

import re
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
# Code has brackets, too.
TEXT = re.sub(r"`[^`]*`", "", (TREE / "docs/behaviour.md").read_text())
NAMES = re.compile(r"\[([a-z][a-z,\s-]+)\](?!\()")


def names(text):
    return re.findall(r"[a-z-]+", " ".join(NAMES.findall(text)))


def citations():
    """The names that the tests cite, each with its file."""
    for path in [*TREE.glob("Tests/*Tests/*.swift"), *TREE.glob("Tests/*/test_*.py")]:
        trait = r"@pytest\.mark\.rule" if path.suffix == ".py" else r"(?<=[(\s])\.rule"
        for arguments in re.findall(rf"{trait}\(([^)]*)\)", path.read_text()):
            yield from ((name, path.name) for name in re.findall(r'"([^"]*)"', arguments))


def properties():
    """The properties of the simulation's judge, each with the rules that its comment names."""
    for path in TREE.glob("Sources/Simulation/Judge/*.swift"):
        for comment, name in re.findall(r"((?:^///.*\n)*)^struct (\w+): Property", path.read_text(), re.MULTILINE):
            yield name, re.findall(r"[a-z-]+", comment.partition("/// Rules: ")[2].replace("///", ""))


def test_each_rule_has_a_name_of_its_own():
    found = names(TEXT)
    assert sorted(found) == sorted(set(found))
    items = [part for part in re.split(r"\n(?=- )|\n\n", TEXT) if part.startswith("- ")]
    assert len(items) > 40
    assert not (nameless := [item for item in items if not names(item)]), nameless


def test_each_rule_has_a_test():
    cited = {name for name, _ in citations()}
    untested = [name for name in names(TEXT) if name not in cited]
    assert not untested, ", ".join(untested)


def test_what_is_cited_is_a_rule():
    rules = set(names(TEXT))
    judged = [(name, judge) for judge, cited in properties() for name in cited]
    unknown = [f"{name} in {place}" for name, place in [*citations(), *judged] if name not in rules]
    assert not unknown, ", ".join(unknown)


def test_each_property_of_the_judge_names_the_rules_that_it_judges():
    judge = (TREE / "Sources/Simulation/Judge/Judge.swift").read_text()
    listed = re.findall(r"(\w+)\(\)", judge.partition("properties: [any Property] = [")[2].partition("]")[0])
    assert len(listed) > 5
    assert sorted(name for name, rules in properties() if rules) == sorted(listed)
