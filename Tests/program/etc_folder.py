"""A folder that stands in for /etc/clocksmith."""

import subprocess

from program import PROGRAM

# In its own mount namespace, root without its privileges sees this folder as /etc/clocksmith.
WITH_FOLDER = """
mount -t tmpfs tmpfs /etc && cp -a "$0" /etc/clocksmith &&
exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"
"""


class Etc:
    """A folder that the program takes for /etc/clocksmith."""

    def __init__(self, clocksmith):
        self.folder = clocksmith.folder / "etc"
        self.environment = clocksmith.environment
        (self.folder / "conf.d").mkdir(parents=True)

    def run(self, *words):
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", WITH_FOLDER, self.folder, PROGRAM, *words],
            env=self.environment, capture_output=True, text=True, timeout=60, check=False)
