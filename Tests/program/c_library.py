"""Small shared libraries in C, for faults that a test cannot cause in another way."""

import shutil
import subprocess

import pytest


def shared_library(path, source, *options):
    """Makes a shared library at that path, and returns the path; skips without a compiler."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        pytest.skip(f"no C compiler to make {path.name} (apt install gcc)")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-xc", "-", "-o", path, *options], input=source, text=True,
        check=True)
    return path
