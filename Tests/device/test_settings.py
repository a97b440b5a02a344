"""The card does what the owner writes into clocksmith.txt on a PC."""

import subprocess

import pytest

from device import Device, listens_for_ssh, wait_until
from hearing import hear_occasion
from own_card import boot_partition, own_card_of, write_settings

# With the line ends of an editor on Windows.
SETTINGS = """\
[card]
hostname = harbour
zone = Asia/Kathmandu
user = ada
password = love lace
[announce]
interval = 5
[switch]
;line = GPIO17
""".replace("\n", "\r\n")

MORE = """\
[card]
ssh = yes
wifi_name = the harbour
wifi_password = more than eight
wifi_country = GB
""".replace("\n", "\r\n")


@pytest.fixture
def own_card(card, tmp_path):
    with own_card_of(card, tmp_path) as own:
        yield own


def test_the_settings_are_applied_at_every_start(own_card, figures):
    write_settings(own_card, SETTINGS)
    # The label does not matter: a PC may change it.
    boot_partition(own_card, "mlabel", "::NO NAME")
    device = Device(own_card, clock="2027-06-15T11:05:00")
    try:
        device.start()
        device.wait_until_ready()
        assert device.run("hostname") == "harbour"
        assert device.run("readlink /etc/localtime").endswith("/Asia/Kathmandu")
        assert {"ada", "audio", "gpio", "systemd-journal"} <= set(device.run("id -nG ada").split())
        assert "no switch is configured" in device.run(
            "runuser -u ada -- clocksmith check --switch 2>&1", check=False)
        assert knows_password(device, "ada", "love lace")
        assert not knows_password(device, "ada", "lovelace")
        assert not listens_for_ssh(device)
        hear_occasion(device, "2027-06-15 11:20:00", "five oh five P M")
        device.cut_power()

        write_settings(own_card, SETTINGS.replace("harbour", "school") + MORE)
        device.start()
        device.wait_until_ready()
        assert device.run("hostname") == "school"
        wait_until(lambda: listens_for_ssh(device), "ssh listens", 120)
        key = device.run("cat /data/ssh/ssh_host_ed25519_key.pub")
        assert device.run("cat /etc/ssh/ssh_host_ed25519_key.pub") == key
        assert may_log_in(device, "ada", "love lace")
        assert not may_log_in(device, "ada", "lovelace")
        joins_wifi(device, figures)
        assert device.run("systemctl --failed --no-legend") == ""
        device.run("sync")
        device.cut_power()

        tear_boot_partition(device)
        device.start()
        device.wait_until_ready()
        device.wait_for_line("cannot be read: the settings of the last start count")
        assert device.run("hostname") == "school"
        assert device.run("readlink /etc/localtime").endswith("/Asia/Kathmandu")
        assert "interval = 5" in device.run("cat /etc/clocksmith/conf.d/50-card.conf")
        device.quit()
    finally:
        device.remove()


def tear_boot_partition(device):
    """Overwrites its first MiB, which has the file tables, on the card of a device that is off."""
    subprocess.run(["qemu-io", "-f", "qcow2", "-c", "write -q -P 90 4M 1M", device.disk], check=True)


def knows_password(device, user, password):
    return device.run(
        f"getent shadow {user} | cut -d: -f2 | PASSWORD='{password}' perl -ne "
        "'chomp; print crypt($ENV{PASSWORD}, $_) eq $_ ? \"yes\" : \"no\"'") == "yes"


def may_log_in(device, user, password):
    """Tries ssh from the device to itself, as the emulator has no network."""
    device.run(f"printf '#!/bin/sh\\necho {password}\\n' >/run/ask && chmod 755 /run/ask")
    return device.run(
        "SSH_ASKPASS=/run/ask SSH_ASKPASS_REQUIRE=force ssh -o StrictHostKeyChecking=no "
        f"-o UserKnownHostsFile=/dev/null -o NumberOfPasswordPrompts=1 {user}@localhost id -un",
        check=False).endswith(f"\n{user}")


def joins_wifi(device, figures):
    """Uses two simulated radios of the kernel: one for the clock, one for a network that comes late."""
    mark = device.mark()
    device.run("modprobe mac80211_hwsim radios=2")
    device.run("cat >/run/network.conf <<'END'\nnetwork={\nssid=\"the harbour\"\nmode=2\n"
               "frequency=2412\nkey_mgmt=WPA-PSK\npsk=\"more than eight\"\n}\nEND")
    device.run("systemd-run --unit=network wpa_supplicant -i wlan1 -c /run/network.conf")
    line = device.wait_for_line("^wlan0: CTRL-EVENT-CONNECTED", mark, seconds=120)
    assert line.unit == "wpa_supplicant@wlan0.service"
    wait_until(lambda: device.run("cat /sys/class/net/wlan0/operstate") == "up", "wlan0 is up", 60)
    assert device.run("systemctl is-active systemd-networkd") == "active"
    figures["Wi-Fi, by simulated radios"] = line.message
