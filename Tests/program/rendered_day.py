"""All 1,440 minutes of a day as files."""

import concurrent.futures
import itertools
import time


def render(program, at, output, configuration):
    """Renders a time of UTC, and returns what was printed."""
    done = program.run(
        "render", "--at", at, "--zone", "UTC", "--output", output, "--config", configuration)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


class RenderedDay:
    """A day in one clock format, rendered bit by bit while there is nothing else to do."""

    def __init__(self, program, clock):
        self.program = program
        self.clock = clock
        self.configuration = program.configuration(f"clock = {clock}")
        # (hour, minute, path, what was printed)
        self.rendered = []

    def minute(self, number):
        hour, minute = divmod(number, 60)
        path = self.program.folder / f"{self.clock}-{hour:02}{minute:02}.wav"
        at = f"2026-11-21T{hour:02}:{minute:02}"
        return hour, minute, path, render(self.program, at, path, self.configuration)

    def advance(self, until=float("inf")):
        """Renders missing minutes, two at a time, until that second of UTC."""
        with concurrent.futures.ThreadPoolExecutor(2) as two_cores:
            missing = iter(range(len(self.rendered), 1440))
            while time.time() < until and (some := list(itertools.islice(missing, 48))):
                self.rendered += two_cores.map(self.minute, some)

    def minutes(self):
        self.advance()
        return self.rendered
