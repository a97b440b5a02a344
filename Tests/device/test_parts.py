"""How the card writes its parts for the firmware, on the device's own FAT boot partition."""

import base64
import struct

import pytest

PARTS = "/usr/lib/clocksmith-card/parts /boot/firmware"
BOOT = "/dev/vda1"


@pytest.fixture
def parts(device):
    """Runs the script on the device; restores the boot partition afterwards."""
    device.run("blockdev --setrw /dev/vda1")
    yield lambda rtc, sound: device.run(f"{PARTS} '{rtc}' '{sound}'", check=False)
    device.run(f"blockdev --setrw {BOOT}; mount -o remount,rw /boot/firmware; rm -f /boot/firmware/filler; "
               f"mount -o remount,ro /boot/firmware; {PARTS} '' ''; rm -f /data/before")
    assert "ro" in device.run("findmnt -n -o OPTIONS /boot/firmware").split(",")
    device.restart_clock()


def test_what_is_written_touches_one_sector_of_data_and_no_table(device, parts):
    device.run(f"sync; dd if={BOOT} of=/data/before bs=1M iflag=direct status=none", 120)
    assert parts("ds3231", "max98357a").endswith("wrote")
    device.run("sync")
    # The sectors that changed, read past the kernel's cache: the file's own and that of its date.
    sectors = device.run(
        f"dd if={BOOT} bs=1M iflag=direct status=none | cmp -l /data/before - "
        "| awk '{ print int(($1 - 1) / 512) }' | uniq", 240).split()
    assert 1 <= len(sectors) <= 2, sectors
    content = [device.run(f"dd if={BOOT} bs=512 skip={sector} count=1 status=none | tr -d '\\0'")
               for sector in sectors]
    assert sum("dtoverlay=rtc-ds3231\ndtoverlay=max98357a" in text for text in content) == 1
    # The tables lie between the reserved sectors and the data.
    head = base64.b64decode(device.run(f"dd if={BOOT} bs=512 count=1 status=none | base64 -w 0"))
    reserved, tables = struct.unpack_from("<HB", head, 14)
    data = reserved + tables * struct.unpack_from("<I", head, 36)[0]
    assert all(int(sector) >= data for sector in sectors), (sectors, data)


def test_a_boot_partition_that_is_full_or_locked_is_told_and_nothing_restarts(device, parts):
    # Fill it to the last cluster: cat writes whole pages, which leaves some free.
    device.run("cd /boot/firmware && mount -o remount,rw . && rm parts.txt && "
               "{ cat /dev/zero >filler; dd if=/dev/zero bs=512 >>filler; } 2>/dev/null; "
               "cd / && mount -o remount,ro /boot/firmware", 120)
    said = parts("ds3231", "")
    assert "the boot partition cannot be written" in said and "No space left" in said, said
    assert "wrote" not in said
    device.run(f"blockdev --setro {BOOT}")
    said = parts("ds3231", "")
    assert "the boot partition cannot be written" in said and "wrote" not in said, said
