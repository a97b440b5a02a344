"""The size of the program as it ships."""

import os
import shutil
import subprocess

import pytest


def test_the_stripped_program_is_under_ten_megabytes(tmp_path):
    if not shutil.which("strip"):
        pytest.skip("strip is missing: run 'sudo apt-get install binutils'")
    subprocess.run(["strip", "-o", tmp_path / "stripped", os.environ["CLOCKSMITH"]], check=True)
    assert (tmp_path / "stripped").stat().st_size < 10_000_000
