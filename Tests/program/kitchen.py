"""A person in a kitchen, who uses `clocksmith timer`."""

import json


def timers(kitchen):
    done = kitchen.run("timer", "list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def do(kitchen, *words):
    done = kitchen.run("timer", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()
