"""Each part of deploy/bench runs once, on as little as it can, and prints its figures."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from program import PROGRAM, ROOT
from relay import RELAY, need_relay

ONSETS = PROGRAM.with_name("onsets")
# deploy/bench makes it, with a package of PyPI in it.
PYTHON_OF_PUSH = ROOT / ".build/bench-push/bin/python"
NGINX_MODULE = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")


@pytest.fixture
def figures(surroundings, tmp_path):
    """Runs a part with these words. Returns the names of the figures that it adds to the table."""
    def run(part, *words):
        rows = tmp_path / "rows"
        # One part plays on ALSA's own null device; the others name theirs.
        environment = {key: value for key, value in surroundings.items() if key != "ALSA_CONFIG_PATH"}
        done = subprocess.run(
            ["/usr/bin/python3", "-B", ROOT / "deploy" / part, *map(str, words)], check=False,
            env=environment | {"CLOCKSMITH_BENCH_ROWS": str(rows)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stdout + done.stderr
        table = subprocess.run(
            ["/usr/bin/python3", "-B", ROOT / "deploy/bench_rows.py", rows, "1"], check=True,
            capture_output=True, text=True).stdout
        names = [json.loads(line)["what"] for line in rows.read_text().splitlines()]
        assert names and all(f"| {name} | " in table for name in names)
        return names

    return run


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"no {program} here; deploy/test installs it")


def test_rendering_and_memory(figures):
    need("sox")
    assert "the words of a day, 1 times, rendered" in figures("bench.py", PROGRAM, 1)


def test_growth(figures):
    need("dbus-daemon")
    names = figures("bench_growth.py", PROGRAM, 1)
    assert "memory of the service: timers that count down, 1 to 1" in names


def test_idleness(figures):
    need("dbus-daemon", "mosquitto_sub")
    need_relay()
    assert "idle: wake-ups a minute" in figures("bench_idle.py", PROGRAM, RELAY, 0.05)


def test_intervals(figures):
    need("aplay", "pulseaudio")
    names = figures("bench_intervals.py", PROGRAM, 0.1)
    assert names == ["a cue each second for 0.1 min: worst error"]


@pytest.mark.alone
def test_onsets(figures):
    need("aplay", "pulseaudio", "sox", "saytime")
    if not ONSETS.exists():
        pytest.skip(f"no {ONSETS} (swift build -c release --product onsets)")
    names = figures("bench_onset.py", PROGRAM, ONSETS, "no cron", 1)
    assert "first sound against its second, median" in names


def test_pushes(figures):
    need_relay()
    if not (PYTHON_OF_PUSH.exists() and NGINX_MODULE.exists()):
        pytest.skip("no nginx with its echo module, or no aioapns: './deploy/bench push' installs them")
    assert "a push to 10 phones" in figures("bench_push.py", RELAY, PYTHON_OF_PUSH, 10)
