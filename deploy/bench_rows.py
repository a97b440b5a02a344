"""The rows of the table that `deploy/bench all` prints. Each part adds its rows with `compared` and `grows`.

The rows are lines of JSON in the file that the environment names. Without it, a part only prints its own
lines. `bench_rows.py FILE MINUTES` prints the machine and the table.
"""

import json
import math
import os
import platform
import sys
from pathlib import Path

VARIABLE = "CLOCKSMITH_BENCH_ROWS"


def compared(what, ours, theirs, unit, instead, more_is_better=False):
    """Adds a figure of clocksmith and the same figure of the program `instead`."""
    ratio = (ours, theirs) if more_is_better else (theirs, ours)
    add({"what": what, "clocksmith": with_unit(ours, unit),
         "instead": f"{with_unit(theirs, unit)}, {instead}", "ratio": quotient(*ratio)})


def grows(what, sizes, costs, unit):
    """Adds the cost of the smallest and of the largest size."""
    small, large = sizes[0], sizes[-1]
    add({"what": f"{what}, {small:,} to {large:,}",
         "clocksmith": f"{number(costs[0])} to {with_unit(costs[-1], unit)}", "instead": "",
         "ratio": f"{quotient(costs[-1], costs[0])} for {number(large / small)} times the size"})


def add(row):
    if path := os.environ.get(VARIABLE):
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def number(value):
    """Three digits of the value, or all digits before the point if there are more."""
    if value == 0:
        return "0"
    places = max(2 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_unit(value, unit):
    return f"{number(value)} {unit}".strip()


def quotient(first, second):
    if second == 0:
        return "∞" if first else "1"
    return number(float(f"{first / second:.2g}"))


def table(rows):
    """The rows as a table in Markdown."""
    head = ["what", "clocksmith", "instead", "ratio"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(row[column] for column in head)} |" for row in rows]
    return "\n".join(lines)


def machine():
    """The processor, kernel and distribution of this machine, in a line."""
    processor = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            processor = line.partition(":")[2].strip()
    board = Path("/proc/device-tree/model")
    if board.exists():
        processor = board.read_text(encoding="utf-8").strip("\0\n")
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    return (f"{processor}, {os.cpu_count()} cores; Linux {platform.release()}; {system}; "
            f"load {os.getloadavg()[2]:.1f} in the last 15 min")


def main(path, minutes):
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    print(f"\n{machine()}; {minutes} min\n")
    print(table(rows))
    print("\nA ratio above 1 means that clocksmith is that many times better. In rows without a program to"
          "\ncompare with, the ratio is the growth of the cost.")


if __name__ == "__main__":
    main(*sys.argv[1:])
