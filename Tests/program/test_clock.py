"""How the program uses a real-time clock: a made-up one, in its own /sys/class."""

import datetime
import json
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from program import PROGRAM
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
clock, ahead = sys.argv[1], float(sys.argv[2])
while True:
    with open(f"{clock}/hands", "w") as fresh:
        fresh.write(f"{int(time.time() + ahead)}\\n")
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
        self.ahead = 0
        self.start()

    def write(self, name, text):
        # Renamed into place, so that nobody reads half of it.
        fresh = self.clock / "fresh"
        fresh.write_text(f"{text}\n")
        fresh.rename(self.clock / name)

    def show(self):
        self.write("since_epoch", int(time.time() + self.ahead))

    def start(self):
        self.show()
        shown = (self.clock / "since_epoch").stat().st_ino
        self.hands = subprocess.Popen(
            preferred(sys.executable, "-c", HANDS, self.clock, str(self.ahead)))
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
    def run(*words, rest=""):
        return subprocess.run(
            rtc.command(PROGRAM, *words, "--config", clocksmith.configuration(rest=rest)),
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


def line(done, name):
    [found] = [line for line in done.stdout.splitlines() if line[6:].startswith(f"{name} ")]
    return found


def test_a_clock_that_was_set_from_a_valid_rtc_holds_over(undisciplined, run):
    told = status(run)
    assert (told["trust"], told["clock_basis"]) == ("holdover", "set_from_rtc")
    assert (told["rtc"], told["rtc_valid"]) == ("ds3231", True)
    assert told["clock_uncertainty"] >= 1
    assert "holdover, set from the RTC ds3231, off by perhaps " in run("status").stdout


@pytest.mark.parametrize("chip, days", [("ds3231", 9), ("pcf8523", 5)])
def test_status_shows_when_holdover_ends(undisciplined, rtc, run, chip, days):
    rtc.write("device/name", chip)
    ends = status(run)["holdover_ends"]
    # 29 s, by the drift of the chip and 30 ppm of the clock.
    assert days <= (datetime.datetime.fromisoformat(ends).timestamp() - time.time()) / 86_400 < days + 1
    assert f"s, until {ends[:10]}" in run("status").stdout
    assert f"s, until {ends[:10]}" in line(run("check"), "clock")
    assert "holdover_ends" not in status(run, "[clock]\ngreatest_error = none")


def test_one_that_only_agrees_is_told_as_that(undisciplined, rtc, run):
    rtc.write("hctosys", "0")
    assert status(run)["clock_basis"] == "agrees_with_rtc"


def test_an_rtc_that_differs_does_not_vouch(undisciplined, rtc, run):
    rtc.stop()
    rtc.ahead = 3600
    rtc.start()
    told = status(run)
    assert told["trust"] == "untrusted" and "clock_uncertainty" not in told
    assert told["rtc_valid"] is True
    # On a busy machine the made-up RTC is late.
    shown = run("status").stdout
    assert re.search(r"untrusted: it is (1 h|59 min 5\d s) behind the RTC ds3231", shown), shown


def test_an_rtc_that_is_not_to_be_used_is_not(undisciplined, run):
    told = status(run, "[clock]\nrtc = none")
    assert (told["trust"], told.get("rtc"), told.get("rtc_valid")) == ("untrusted", None, None)


def test_check_says_of_a_good_rtc_that_it_is(run):
    told = line(run("check"), "rtc")
    assert re.match(
        rf"ok    rtc           ds3231 \({DEVICE}\), valid, [01] s from the system clock; "
        "it set the clock at the start", told), told


@pytest.mark.parametrize("shown, words", [
    ("946684800", "shows 2000-01-01, before clocksmith was released"),
    ("7900000000", "shows the year 2220, which is nonsense"),
    ("-9223372036854775808", "before clocksmith was released"),
    ("9223372036854775807", "which is nonsense"),
    ("half past three", "cannot be read: it answers 'half past three'"),
    ("", "cannot be read: it answers ''")])
def test_check_finds_an_rtc_that_answers_nonsense(rtc, run, shown, words):
    rtc.stop()
    rtc.write("since_epoch", shown)
    done = run("check")
    assert done.returncode == 3
    found = line(done, "rtc")
    assert found.startswith("FOUND") and words in found and "; look at its " in found


def test_check_finds_an_rtc_that_has_stopped(rtc, run):
    rtc.stop()
    found = line(run("check"), "rtc")
    assert found.startswith("FOUND") and "has stopped at 20" in found


def test_check_finds_a_raspberry_pi_5_without_its_battery(rtc, run):
    rtc.write("battery_voltage", "11000")
    found = line(run("check"), "rtc")
    assert found.startswith("FOUND") and "its battery is empty, or not there" in found


def test_check_names_the_rtcs_that_there_are_if_the_one_is_not(run):
    found = line(run("check", rest="[clock]\nrtc = pcf8523"), "rtc")
    assert found == ("FOUND rtc           rtc = pcf8523: there is no such RTC; "
                     f"there are ds3231 ({DEVICE})")


def test_check_advises_nothing_that_is_set_already(run, undisciplined):
    clock = "[clock]\nrtc = none\n"
    assert "or set 'untrusted = speak'" in line(run("check", rest=clock), "clock")
    found = line(run("check", rest=f"{clock}untrusted = speak"), "clock")
    assert found.startswith("FOUND") and found.endswith("('sudo hwclock --hctosys')")


def test_check_is_content_without_an_rtc(rtc, run):
    rtc.stop()
    shutil.rmtree(rtc.clock)
    found = line(run("check"), "rtc")
    assert found.startswith("ok    rtc           none;")


@pytest.fixture
def service(clocksmith, rtc, request):
    """The service, woken every second by the watchdog of a service manager: its log lines.

    The parameter is for how many days its RTC was not set, by the saved state.
    """
    state = clocksmith.folder / "state"
    state.mkdir()
    if days := getattr(request, "param", None):
        moment = datetime.datetime.fromtimestamp(time.time() // 1 - days * 86_400, datetime.UTC)
        (state / "state.json").write_text(f'{{"version":3,"rtc_set":"{moment:%Y-%m-%dT%H:%M:%SZ}"}}\n')
    log = clocksmith.folder / "service.log"
    configuration = clocksmith.configuration()
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            rtc.command(PROGRAM, "run", "--config", configuration,
                        "--output", clocksmith.folder / "service.wav"),
            env=clocksmith.environment | {"WATCHDOG_USEC": "2000000", "STATE_DIRECTORY": str(state)},
            stdin=subprocess.DEVNULL, stderr=errors)

    def lines():
        return log.read_text(encoding="utf-8").splitlines()

    wait_until(lambda: any("started:" in line for line in lines()), 60, "the start")
    def reload(rest):
        configuration.write_text(configuration.read_text() + rest)
        # `unshare` and `sh` have become the program.
        process.send_signal(signal.SIGHUP)

    lines.reload = reload
    yield lines
    process.terminate()
    process.wait(60)


def test_the_service_tells_once_of_an_rtc_that_stops_and_takes_it_back(undisciplined, rtc, service):
    assert service()[0] == "the RTC ds3231 is valid"
    assert "clock holdover" in service()[1]
    rtc.stop()
    wait_until(lambda: any("has stopped at 20" in line for line in service()), 60, "it has stopped")
    wait_until(lambda: "the clock is untrusted" in service(), 60, "the clock is judged by it")
    rtc.start()
    wait_until(lambda: "the clock is holdover" in service(), 60, "the RTC runs again")
    about = [line for line in service() if line.startswith("the RTC ")]
    assert len([line for line in about if "has stopped" in line]) == 1
    assert about[-1] == "the RTC ds3231 is valid again"


@pytest.mark.parametrize("service", [100], indirect=True)
def test_a_clock_by_an_rtc_that_was_set_too_long_ago_is_not_trusted(undisciplined, service):
    found = "\n".join(service())
    assert re.search(
        r"^nothing vouches for the clock: it was last set right too long ago, and is off by perhaps "
        r"44\.\d s, more than 'greatest_error' in \[clock\] allows", found, re.MULTILINE), found
    assert "clock untrusted" in found
    service.reload("[clock]\ngreatest_error = none\n")
    wait_until(lambda: "the clock is holdover" in service(), 60, "the new rule counts")


@pytest.mark.parametrize("service", [60], indirect=True)
def test_the_last_days_of_holdover_are_told_once(undisciplined, service):
    assert "clock holdover" in "\n".join(service())
    service.reload("[clock]\ngreatest_error = 25s\n")
    wait_until(lambda: "the clock is untrusted" in service(), 60, "the new rule counts")
    told = [line for line in service() if line.startswith("the clock is trusted until 20")]
    assert len(told) == 1 and told[0].endswith(
        ", unless the network or a person sets it right before"), service()
