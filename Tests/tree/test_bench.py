"""Checks the table of `deploy/bench all`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
sys.path.insert(0, str(DEPLOY))

import bench_rows  # noqa: E402


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (0.0042, "0.0042"), (0.14159, "0.142"), (281.4, "281"), (12_345.6, "12,346"), (-2.5, "-2.5")])
def test_a_figure_has_three_digits(value, text):
    assert bench_rows.number(value) == text


def test_the_table_names_the_machine_and_has_a_line_for_each_row(tmp_path, monkeypatch):
    monkeypatch.setenv(bench_rows.VARIABLE, str(tmp_path / "rows"))
    bench_rows.compared("noon, rendered", 0.3331, 1.187, "s", "sox")
    bench_rows.compared("a push, a second", 14_321, 3_800, "", "aioapns", more_is_better=True)
    bench_rows.compared("silence between clips", 0, 73.04, "ms", "script")
    bench_rows.grows("agenda: days", [1, 10, 365], [1, 1.5, 2], "s")
    done = subprocess.run(
        [sys.executable, "-B", DEPLOY / "bench_rows.py", tmp_path / "rows", "25"],
        check=True, capture_output=True, text=True)
    assert re.search(r"^.+, \d+ cores; Linux .+; .+; load [\d.]+ .+; 25 min$", done.stdout, re.M)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines == [
        "| what | clocksmith | instead | ratio |", "|---|---|---|---|",
        "| noon, rendered | 0.333 s | 1.19 s, sox | 3.6 |", "| a push, a second | 14,321 | 3,800, aioapns | 3.8 |",
        "| silence between clips | 0 ms | 73 ms, script | ∞ |",
        "| agenda: days, 1 to 365 | 1 to 2 s |  | 2 for 365 times the size |"]
