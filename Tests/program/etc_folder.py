"""A folder that stands in for /etc."""

import subprocess

from program import PROGRAM

# In its own mount namespace, root without its privileges sees this folder as /etc.
WITH_FOLDER = """#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$0" /etc &&
exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"' {root} {program} "$@"
"""


class Etc:
    """A folder that the program takes for /etc/clocksmith."""

    def __init__(self, clocksmith):
        self.root = clocksmith.folder / "etc"
        self.folder = self.root / "clocksmith"
        self.environment = clocksmith.environment
        (self.folder / "conf.d").mkdir(parents=True)
        self.program = clocksmith.folder / "in etc"
        self.program.write_text(WITH_FOLDER.format(root=self.root, program=PROGRAM))
        self.program.chmod(0o755)

    def run(self, *words):
        return subprocess.run(
            [self.program, *words], env=self.environment, capture_output=True, text=True, timeout=60,
            check=False)
