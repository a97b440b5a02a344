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

    def command(self, *words, before=()):
        return ["unshare", "--mount", "sh", "-c", WITH_FOLDER, self.folder, *before, PROGRAM, *words]

    def run(self, *words, before=()):
        return subprocess.run(
            self.command(*words, before=before), env=self.environment, capture_output=True, text=True,
            timeout=60, check=False)

    def start(self, *words):
        return subprocess.Popen(
            self.command(*words), env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
