"""Power cuts at random moments, machines that hang, and a damaged card."""

import itertools
import os
import random
import struct
import subprocess
import time

import pytest

from device import BOOT_SECONDS, Device
from hearing import hear_occasion

BREATH = 10  # How long after READY a cut may come, seconds.
BITE = 60  # The longest that the watchdog may wait: it counts to 15 s, in two stages.


@pytest.fixture(scope="module")
def machine(card):
    """One device for all tests here, up and ready; each test leaves it so."""
    device = Device(card)
    try:
        device.start()
        device.first_start = device.wait_until_ready()
        yield device
        device.quit()
    finally:
        device.remove()


def test_a_data_partition_gone_bad_is_mended(machine, figures):
    """The clock starts as usual and keeps its state on the card again, as the power cuts after this
    test show."""
    device = machine
    device.cut_power()
    overwrite_data_partition(device, 64 << 20)
    device.start()
    bad = device.wait_until_ready()
    figures["power-on to READY, with the data partition overwritten"] = (
        f"{bad:.0f} s ({device.first_start:.0f} s when it was new)")
    hear_occasion(device, "2027-06-15 09:15:00", "nine fifteen A M")
    assert device.run("systemctl --failed --no-legend") == ""
    for kept in ("/data", "/var/lib/clocksmith", "/var/log/journal"):
        assert device.run(f"findmnt -n -o SOURCE {kept}").startswith("/dev/vda3"), kept


def overwrite_data_partition(device, size):
    """Overwrites its first bytes with noise, on the card of a device that is off."""
    entry = (device.card / "card.img").open("rb").read(512)[446 + 2 * 16:]
    start = struct.unpack_from("<I", entry, 8)[0] * 512
    noise = device.folder / "noise"
    noise.write_bytes(random.Random(size).randbytes(size))
    subprocess.run(["qemu-io", "-f", "qcow2", "-c", f"write -q -s {noise} {start} {size}",
                    device.disk], check=True)


@pytest.mark.rule("timer-kept", "setting-kept")
def test_it_survives_power_cuts_at_random_moments(machine, figures, full):
    """Each cut is followed by a clean start with the state intact: 20 with --full, else 2."""
    cuts = 20 if full else 2
    seed = int(os.environ.get("CLOCKSMITH_SEED", time.time()))
    figures["power cuts, CLOCKSMITH_SEED"] = seed
    chance = random.Random(seed)
    device, starts, during = machine, [machine.first_start], 0
    written = write_state(device)
    for _ in range(cuts):
        if chance.random() < 0.5:
            # A cut while it works: state was just written, and the journal is being written.
            device.run("systemd-run --collect sh -c 'while :; do date; done'")
            device.wait_for_host(time.monotonic() + chance.uniform(0, BREATH))
        else:
            # A cut while it starts.
            device.cut_power()
            device.start()
            device.wait_for_host(device.powered_on + chance.uniform(1, 0.9 * min(starts)))
            during += 1
        device.cut_power()
        device.start()
        starts.append(device.wait_until_ready())
        check_state(device, written)
        written = write_state(device)
    figures["power cuts"] = (f"{cuts}, {during} of them during the start; power-on to READY "
                             f"{min(starts):.0f} to {max(starts):.0f} s")


INTERFACE = "org.clocksmith.Announcer1 /org/clocksmith/Announcer1 org.clocksmith.Announcer1"
STATES = itertools.count()


def volume(number):
    """A volume in dB, loud enough to be heard; 12 states in a row have different ones."""
    return -(number % 12) - 1


def wait_for_bus(device):
    """On a busy host the service's name may appear on the bus only after the service is ready."""
    device.run("until busctl status org.clocksmith.Announcer1 >/dev/null 2>&1; do sleep 1; done")


def write_state(device):
    """Writes the service's state, and a file in its folder that takes a while to write."""
    number = next(STATES)
    wait_for_bus(device)
    # Each is on the disk when the command ends.
    device.run(f"busctl call -- {INTERFACE} SetVolume 'a{{sv}}' 1 volume_db d {volume(number)}")
    device.run(f"clocksmith timer 30h --name 'cut {number}'")
    return number, device.run(
        "cd /var/lib/clocksmith && "
        f"(echo {number}; head -c 20000 /dev/urandom | base64) >state.new && sync state.new && "
        "mv state.new state && sync . && sha256sum state")


def check_state(device, written):
    number, checksum = written
    wait_for_bus(device)
    assert device.run("systemctl --failed --no-legend") == ""
    assert device.run("cd /var/lib/clocksmith && sha256sum state") == checksum
    assert device.run(f"busctl get-property {INTERFACE} VolumeDB") == f"d {volume(number)}"
    assert f'"cut {number}"' in device.run("clocksmith timer list")
    assert not device.lines("set-aside")
    assert device.run("findmnt -n -o OPTIONS /data").startswith("rw")
    assert int(device.run("journalctl --list-boots --no-pager -q | wc -l")) >= 2, \
        "the journal of the start before is kept"
    assert device.run("journalctl --disk-usage | grep -oE '[0-9.]+[KMG]'")
    assert not device.lines(r"EXT4-fs error|I/O error")


# Nothing runs any more, and the kernel does not restart by itself.
HALT = "echo 0 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger"


def test_the_hardware_watchdog_restarts_a_machine_that_hangs(machine, figures):
    """Left alone, it is ready again with its state, and says the next quarter."""
    device = machine
    device.wait_for_line("[Ww]atchdog running with a hardware timeout of 15s")
    written = write_state(device)
    mark, since = device.mark(), time.monotonic()
    # The hang comes a second later, so that the agent can answer first.
    device.run(f"setsid sh -c 'sleep 1; {HALT}' >/dev/null 2>&1 &")
    ready = device.wait_for_line(
        r"^Started clocksmith\.service", mark, seconds=BITE + BOOT_SECONDS)
    device.qmp("query-status")
    assert "WATCHDOG" in device.events, f"something else restarted it: {device.events}"
    check_state(device, written)
    figures["the kernel halted to READY again"] = f"{ready.host - since:.0f} s"
    hear_occasion(device, "2027-06-15 09:30:00", "nine thirty A M")
