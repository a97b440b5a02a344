"""A few hundred nearly correct configurations: each is answered with a sentence."""

import importlib.util

from program import PROGRAM, ROOT

FILE = ROOT / "Tests/fuzz/configuration.py"
specification = importlib.util.spec_from_file_location("fuzz_configuration", FILE)
fuzzer = importlib.util.module_from_spec(specification)
specification.loader.exec_module(fuzzer)


def test_no_configuration_crashes_hangs_or_puzzles(tmp_path):
    count, wrong = fuzzer.fuzz(PROGRAM, tmp_path, 1, range(300), seconds=40)
    assert wrong == []
    assert count > 30
