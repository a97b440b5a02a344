"""How the program uses a real-time clock: a made-up one, in its own /sys/class."""

import datetime
import json
import re
import shutil
import subprocess
import sys
import time

import pytest

from program import PROGRAM, about
from sound_server import preferred, wait_until

# Mounted in a private namespace. No machine has an RTC with this number.
INSIDE = """
mount -t tmpfs none /sys/class && mkdir /sys/class/rtc && mount --bind "$0" /sys/class/rtc \
    && exec "$@"
"""
DEVICE = "rtc901"
# A process of its own moves the hands: in that of the tests, they would wait for the tests' work.
# The file is renamed into place, so that nobody reads half of it.
HANDS = """
import os, sys, time
clock = sys.argv[1]
while True:
    with open(f"{clock}/hands", "w") as fresh:
        fresh.write(f"{int(time.time())}\\n")
    os.rename(f"{clock}/hands", f"{clock}/since_epoch")
    time.sleep(0.05)
"""


class RTC:
    """A real-time clock made of files, with hands that can be stopped."""

    def __init__(self, folder):
        self.folder = folder
        self.clock = folder / DEVICE
        (self.clock / "device").mkdir(parents=True)
        self.write("name", "rtc-ds1307 1-0068")
        self.write("device/name", "ds3231")
        self.write("hctosys", "1")
        self.start()

    def write(self, name, text):
        # Renamed into place, so that nobody reads half of it.
        fresh = self.clock / "fresh"
        fresh.write_text(f"{text}\n")
        fresh.rename(self.clock / name)

    def start(self):
        self.write("since_epoch", int(time.time()))
        shown = (self.clock / "since_epoch").stat().st_ino
        self.hands = subprocess.Popen(
            preferred(sys.executable, "-c", HANDS, self.clock))
        wait_until(
            lambda: (self.clock / "since_epoch").stat().st_ino != shown, 60, "the hands to move")

    def stop(self):
        self.hands.kill()
        self.hands.wait()

    def command(self, *words):
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", INSIDE, self.folder, *words]


@pytest.fixture
def rtc(tmp_path):
    made_up = RTC(tmp_path / "rtc")
    try:
        if subprocess.run(made_up.command("true"), stderr=subprocess.DEVNULL).returncode:
            pytest.skip("nothing can be mounted here, so no RTC made up")
        yield made_up
    finally:
        made_up.stop()


@pytest.fixture
def run(clocksmith, rtc):
    """Runs the program on a machine with that RTC."""
    def run(*words, rest="", within=()):
        return subprocess.run(
            rtc.command(*within, PROGRAM, *words, "--config", clocksmith.configuration(rest=rest)),
            env=clocksmith.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False)
    return run


@pytest.fixture
def undisciplined(run):
    without = json.loads(run("status", "--json", rest="[clock]\nrtc = none").stdout)
    if without["trust"] != "untrusted":
        pytest.skip("this machine's clock is synchronised, and needs no RTC")


def status(run, rest=""):
    done = run("status", "--json", rest=rest)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.rule("trust-basis", "trust-told")
def test_a_clock_that_agrees_with_a_valid_rtc_holds_over(undisciplined, run):
    told = status(run)
    assert (told["trust"], told["clock_basis"]) == ("holdover", "agrees_with_rtc")
    assert (told["rtc"], told["rtc_valid"]) == ("ds3231", True)
    assert told["clock_uncertainty"] >= 1
    assert "holdover, agrees with the RTC ds3231, off by perhaps " in run("status").stdout


@pytest.mark.rule("holdover-shown")
def test_status_shows_when_holdover_ends(undisciplined, run):
    ends = status(run)["holdover_ends"]
    # 29 s, by the drift of the chip and 30 ppm of the clock.
    assert 9 <= (datetime.datetime.fromisoformat(ends).timestamp() - time.time()) / 86_400 < 10
    assert f"s, until {ends[:10]}" in run("status").stdout
    assert f"s, until {ends[:10]}" in about(run("check"), "clock")
    assert "holdover_ends" not in status(run, "[clock]\ngreatest_error = none")


def test_check_says_of_a_good_rtc_that_it_is(run):
    told = about(run("check"), "rtc")
    assert re.match(
        rf"ok    rtc           ds3231 \({DEVICE}\), valid, [01] s from the system clock; "
        "it set the clock at the start", told), told


@pytest.mark.parametrize("shown, words", [
    ("946684800", "shows 2000-01-01, which cannot be right"),
    ("half past three", "cannot be read: it answers 'half past three'")])
def test_check_finds_an_rtc_that_answers_nonsense(rtc, run, shown, words):
    rtc.stop()
    rtc.write("since_epoch", shown)
    done = run("check")
    assert done.returncode == 3
    found = about(done, "rtc")
    assert found.startswith("FOUND") and words in found and "; look at its " in found


def test_check_finds_an_rtc_that_keeps_local_time(run, tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/adjtime").write_text("0.0 0 0.0\n0\nLOCAL\n")
    within = ["sh", "-c", 'mount --bind "$0" /etc && exec "$@"', tmp_path / "etc"]
    assert about(run("check", within=within), "rtc").endswith(
        "seems to keep local time, and clocksmith needs UTC in it; "
        "set it to UTC with 'sudo hwclock --systohc --utc'")


def test_check_names_the_rtcs_that_there_are_if_the_one_is_not(run):
    found = about(run("check", rest="[clock]\nrtc = pcf8523"), "rtc")
    assert found == ("FOUND rtc           rtc = pcf8523: there is no such RTC; "
                     f"there are ds3231 ({DEVICE})")


def test_check_is_content_without_an_rtc(rtc, run):
    rtc.stop()
    shutil.rmtree(rtc.clock)
    found = about(run("check"), "rtc")
    assert found.startswith("ok    rtc           none;")


@pytest.fixture
def service(clocksmith, rtc):
    """The service, woken every second by the watchdog of a service manager: its log lines."""
    log = clocksmith.folder / "service.log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            rtc.command(PROGRAM, "run", "--config", clocksmith.configuration(),
                        "--output", clocksmith.folder / "service.wav"),
            env=clocksmith.environment | {"WATCHDOG_USEC": "2000000"},
            stdin=subprocess.DEVNULL, stderr=errors)

    def lines():
        return log.read_text(encoding="utf-8").splitlines()

    wait_until(lambda: any("started:" in line for line in lines()), 60, "the start")
    yield lines
    process.terminate()
    process.wait(60)


def test_the_service_tells_once_of_an_rtc_that_stops_and_takes_it_back(undisciplined, rtc, service):
    assert service()[0] == "the RTC ds3231 is valid"
    assert "clock holdover" in service()[1]
    rtc.stop()
    wait_until(lambda: any("has stopped at 20" in line for line in service()), 60, "it has stopped")
    told = "the clock is untrusted: it is not synchronised, and the RTC ds3231 has stopped at "
    wait_until(lambda: any(told in line for line in service()), 60, "the clock is judged by it")
    rtc.start()
    told = "the clock is holdover, agrees with the RTC ds3231, off by perhaps "
    wait_until(lambda: any(told in line for line in service()), 60, "the RTC runs again")
    about = [line for line in service() if line.startswith("the RTC ")]
    assert len([line for line in about if "has stopped" in line]) == 1
    assert about[-1] == "the RTC ds3231 is valid"
