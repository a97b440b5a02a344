"""The plug is pulled, at any moment, again and again."""

import os
import random
import time

from device import Device

BREATH = 10  # How long after READY a cut may come, seconds.


def test_it_survives_power_cuts_at_random_moments(card, figures, full):
    """Each cut is followed by a clean start with the state intact: 20 with --full, else 3."""
    cuts = 20 if full else 3
    seed = int(os.environ.get("CLOCKSMITH_SEED", time.time()))
    figures["power cuts, CLOCKSMITH_SEED"] = seed
    chance = random.Random(seed)
    device = Device(card)
    starts, during = [], 0
    try:
        device.start()
        starts.append(device.wait_until_ready())
        written = write_state(device, 0)
        for cut in range(1, cuts + 1):
            if chance.random() < 0.5:
                # While it works: state has just been written, and the journal is being.
                device.run("systemd-run --collect sh -c 'while :; do date; done'")
                device.wait_for_host(time.monotonic() + chance.uniform(0, BREATH))
            else:
                # While it starts.
                device.cut_power()
                device.start()
                device.wait_for_host(
                    device.powered_on + chance.uniform(1, 0.9 * min(starts)))
                during += 1
            device.cut_power()
            device.start()
            starts.append(device.wait_until_ready())
            check_state(device, written)
            written = write_state(device, cut)
        device.quit()
        figures["power cuts"] = (f"{cuts}, {during} of them during the start; power-on to READY "
                                 f"{min(starts):.0f} to {max(starts):.0f} s")
    finally:
        device.remove()


def write_state(device, number):
    """What a service keeps: written anew, synchronised and put in place, in its own folder."""
    return device.run(
        "cd /var/lib/clocksmith && "
        f"(echo {number}; head -c 20000 /dev/urandom | base64) >state.new && sync state.new && "
        "mv state.new state && sync . && sha256sum state")


def check_state(device, written):
    assert device.run("systemctl --failed --no-legend") == ""
    assert device.run("cd /var/lib/clocksmith && sha256sum state") == written
    assert device.run("findmnt -n -o OPTIONS /data").startswith("rw")
    assert int(device.run("journalctl --list-boots --no-pager -q | wc -l")) >= 2, \
        "the journal of the start before is kept"
    assert device.run("journalctl --disk-usage | grep -oE '[0-9.]+[KMG]'")
    assert not device.lines(r"EXT4-fs error|I/O error")
