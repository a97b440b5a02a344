"""Checks the table of `deploy/bench all`."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
sys.path.insert(0, str(DEPLOY))

import bench_rows  # noqa: E402


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """The rows that a part has added, as a list that grows."""
    path = tmp_path / "rows"
    monkeypatch.setenv(bench_rows.VARIABLE, str(path))
    return lambda: [json.loads(line) for line in path.read_text().splitlines()]


def test_a_cost_is_better_the_less_it_is(rows):
    bench_rows.compared("noon, rendered", 0.3331, 1.187, "s", "sox")
    assert rows() == [
        {"what": "noon, rendered", "clocksmith": "0.333 s", "instead": "1.19 s, sox", "ratio": "3.6"}]


def test_a_rate_is_better_the_more_it_is(rows):
    bench_rows.compared("a push, a second", 14_321, 3_800, "", "aioapns", more_is_better=True)
    assert rows() == [
        {"what": "a push, a second", "clocksmith": "14,321", "instead": "3,800, aioapns", "ratio": "3.8"}]


def test_what_clocksmith_does_not_have_at_all_is_better_without_bounds(rows):
    bench_rows.compared("silence between clips", 0, 73.04, "ms", "script")
    assert rows()[0]["clocksmith"] == "0 ms"
    assert rows()[0]["ratio"] == "∞"


def test_growth_is_the_ratio_of_the_largest_to_the_smallest(rows):
    bench_rows.grows("start", [1, 10, 1000], [0.02, 0.03, 0.05], "s")
    assert rows() == [
        {"what": "start, 1 to 1,000", "clocksmith": "0.02 to 0.05 s", "instead": "",
         "ratio": "2.5 for 1,000 times the size"}]


def test_without_a_table_nothing_is_kept(monkeypatch):
    monkeypatch.delenv(bench_rows.VARIABLE, raising=False)
    bench_rows.compared("noon", 1, 2, "s", "sox")


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (0.0042, "0.0042"), (0.14159, "0.142"), (13.64, "13.6"), (281.4, "281"), (12_345.6, "12,346"),
    (1, "1"), (-2.5, "-2.5"), (100, "100")])
def test_a_figure_has_three_digits(value, text):
    assert bench_rows.number(value) == text


def test_the_table_names_the_machine_and_has_a_line_for_each_row(rows, tmp_path):
    bench_rows.compared("noon, rendered", 1, 2, "s", "sox")
    bench_rows.grows("agenda: days", [1, 365], [1, 2], "s")
    done = subprocess.run(
        [sys.executable, "-B", DEPLOY / "bench_rows.py", tmp_path / "rows", "25"],
        check=True, capture_output=True, text=True)
    assert re.search(r"^.+, \d+ cores; Linux .+; .+; load [\d.]+ .+; 25 min$", done.stdout, re.M)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines == [
        "| what | clocksmith | instead | ratio |", "|---|---|---|---|",
        "| noon, rendered | 1 s | 2 s, sox | 2 |",
        "| agenda: days, 1 to 365 | 1 to 2 s |  | 2 for 365 times the size |"]


def test_every_part_of_the_benchmark_adds_rows():
    parts = set(re.findall(r"-B deploy/(bench\w*)\.py", (DEPLOY / "bench").read_text())) - {"bench_rows"}
    assert len(parts) >= 6
    for part in parts:
        assert re.search(r"^ *(compared|grows)\(", (DEPLOY / f"{part}.py").read_text(), re.M), part
