"""A few lines of C that stand in for what cannot be made to happen otherwise."""

import shutil
import subprocess

import pytest


def shared_library(path, source, *options):
    """Makes a shared library of that path, and gives the path; skips without a compiler."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        pytest.skip(f"no C compiler to make {path.name} (apt install gcc)")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-xc", "-", "-o", path, *options], input=source, text=True,
        check=True)
    return path
