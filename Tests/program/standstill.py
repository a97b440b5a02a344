"""A process that stands still until it gets SIGCONT, as in a debugger."""

import contextlib
import signal
from pathlib import Path

from sound_server import wait_until


def stand_still(process):
    """Stops all threads of a process. On a busy machine they still take in events for a moment
    after the signal was sent."""
    process.send_signal(signal.SIGSTOP)

    def is_still():
        states = set()
        for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
            # A thread may end meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                states.add(stat.read_text("ascii").rpartition(")")[2].split()[0])
        return states == {"T"}
    wait_until(is_still, 60, "a stop")
