"""A few hundred nearly correct configurations: each is answered with a sentence."""

import importlib.util
import subprocess

from program import PROGRAM, ROOT

FILE = ROOT / "Tests/fuzz/configuration.py"
specification = importlib.util.spec_from_file_location("fuzz_configuration", FILE)
fuzzer = importlib.util.module_from_spec(specification)
specification.loader.exec_module(fuzzer)


def test_no_configuration_crashes_hangs_or_puzzles(tmp_path):
    count, wrong = fuzzer.fuzz(PROGRAM, tmp_path, 1, range(300), seconds=40)
    assert wrong == []
    assert count > 30


def test_an_input_is_made_again_from_its_seed_and_number():
    made = [fuzzer.make(1, number) for number in range(50)]
    assert made == [fuzzer.make(1, number) for number in range(50)]
    assert len(set(made)) > 40


def test_an_answer_that_is_wrong_is_called_so():
    def answer(status, stderr):
        return subprocess.CompletedProcess([], status, "", stderr)

    for status, stderr in [
            (-11, ""), (132, "clocksmith: x: y\n"), (1, ""), (1, "a: b\n"), (0, "clocksmith: x\n"),
            (1, "clocksmith: one\nclocksmith: two\n"), (1, "clocksmith: \x1b[31m\n")]:
        assert fuzzer.judge(answer(status, stderr), ["agenda"])
    assert not fuzzer.judge(answer(1, "clocksmith: a.conf:2: interval = 7: allowed\n"), ["agenda"])
