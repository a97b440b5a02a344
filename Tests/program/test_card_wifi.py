"""What the card makes of wifi_ in clocksmith.txt: a network that wpa_supplicant can join."""

import re
import shutil
import subprocess

import pytest

from program import PROGRAM, ROOT
from test_card_settings import TEXT, applied, tool

KEY = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdef1234"


@pytest.fixture
def wifi(tmp_path):
    """Applies settings of [card]; returns what wpa_supplicant reads of its file, and what is told."""
    if not shutil.which("wpa_passphrase") or not shutil.which("wpa_supplicant", path="/usr/sbin:/usr/bin"):
        pytest.skip("no wpa_supplicant here (apt install wpasupplicant)")
    path = tmp_path / "wpa.conf"

    def join(settings):
        text = TEXT.replace("[announce]", f"{settings}\n[announce]")
        lines = applied(tmp_path, text, f"cp /etc/wpa_supplicant/*wlan0.conf {path} 2>/dev/null || true")
        told = [line for line in lines if line.startswith("<")]
        return (read(path) if path.exists() else None), told

    return join


def read(path):
    """What wpa_supplicant, without a radio, reads of a file: its debug output up to its first network."""
    command = ["/usr/sbin/wpa_supplicant", "-Dnone", "-ilo", "-c", path, "-dd", "-K"]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            lines.append(line.strip())
            if "Added interface" in line or "Failed to" in line:
                break
        process.kill()
    said = "\n".join(lines)
    assert "Failed to" not in said, said
    return said


def dumped(said, label):
    """The bytes of a value in that output."""
    dump = re.search(rf"^{label} - hexdump.*\n?((?:(?: *[0-9a-f]{{2}})+ .*\n)*)", said, re.MULTILINE)
    assert dump, said
    line = dump[0].splitlines()[0]
    if dump[1]:
        return bytes.fromhex("".join(re.match(r"(?:[0-9a-f]{2} )+", row)[0] for row in dump[1].splitlines()))
    return bytes.fromhex(line.rsplit(":", 1)[1])


@pytest.mark.parametrize("name", [
    "the harbour", 'the "harbour"', "Müllers Café ☕", "a#b\\n;c", "0123456789abcdef0123456789abcdef"])
def test_a_network_of_any_name_is_looked_for_even_if_it_is_hidden(wifi, name):
    said, _ = wifi(f"wifi_name = {name}\nwifi_password = more than eight\nwifi_country = gb")
    assert dumped(said, "ssid") == name.encode()
    assert "scan_ssid=1" in said and "country='GB'" in said


@pytest.mark.parametrize("password", ['a "b" #\\n', "pässword", "$6$salt$x", "x" * 63])
def test_any_password_is_made_the_key_that_it_stands_for(wifi, password):
    said, told = wifi(f"wifi_name = harbour\nwifi_password = {password}\nwifi_country = GB")
    made = subprocess.run(["wpa_passphrase", "harbour", password], capture_output=True, text=True, check=True)
    assert dumped(said, "PSK").hex() == re.search(r"\tpsk=(\w+)", made.stdout)[1]
    assert told == []


def test_a_key_of_64_hexadecimal_digits_is_taken_as_it_is(wifi):
    said, _ = wifi(f"wifi_name = harbour\nwifi_password = {KEY}\nwifi_country = GB")
    assert dumped(said, "PSK").hex() == KEY.lower()


def test_a_network_without_a_password_is_open(wifi):
    said, told = wifi("wifi_name = harbour\nwifi_country = GB")
    assert "key_mgmt: 0x4" in said and told == []


@pytest.mark.parametrize("password", ["short", "x" * 64])
def test_a_password_that_no_network_has_is_told(wifi, password):
    said, told = wifi(f"wifi_name = harbour\nwifi_password = {password}\nwifi_country = GB")
    assert said is None
    assert len(told) == 1 and told[0].startswith("<3>wifi_password in ") and "there is no Wi-Fi: " in told[0]
    assert password not in told[0]


def test_a_name_that_no_network_has_is_told(wifi):
    said, told = wifi(f"wifi_name = {'ä' * 17}\nwifi_password = more than eight")
    assert said is None and "longer than the 32 bytes" in told[0]


def test_a_missing_country_is_the_zones(wifi):
    said, told = wifi("zone = Asia/Kathmandu\nwifi_name = harbour\nwifi_password = more than eight")
    assert "country='NP'" in said
    assert len(told) == 1 and told[0].startswith("<5>the country for Wi-Fi is NP, by the zone")


@pytest.mark.parametrize("zone", ["zone = Etc/UTC\n", ""])
def test_without_a_country_there_is_wifi_all_the_same(wifi, zone):
    said, told = wifi(f"{zone}wifi_name = harbour\nwifi_password = more than eight")
    assert "country=" not in said and dumped(said, "ssid") == b"harbour"
    assert len(told) == 1 and told[0].startswith("<4>the country for Wi-Fi is not known: set wifi_country")


@pytest.mark.parametrize("country", ["UK", "Germany"])
def test_a_country_that_is_none_is_told_and_is_the_zones(wifi, country):
    said, told = wifi(f"zone = Europe/London\nwifi_name = harbour\nwifi_country = {country}")
    assert "country='GB'" in said
    assert told[0].startswith(f"<3>wifi_country '{country.upper()}' in ")


def test_what_the_card_told_is_repeated_by_check(clocksmith, tmp_path):
    """From the file that the card's own unit keeps; only a system with this file has the line."""
    unit = ROOT / "deploy/device/files/etc/systemd/system/clocksmith-settings.service"
    command = re.search(r"^ExecStart=(.*)", unit.read_text(), re.MULTILINE)[1]
    tool(tmp_path, "settings", "echo '<3>wifi_name is too long'\necho '<6>no sound' >&2\necho '<4>no country'\nexit 3")
    command = command.replace("/usr/lib/clocksmith-card", str(tmp_path))
    script = (f"mount -t tmpfs tmpfs /run && mkdir /run/clocksmith-card && {{ {command}; echo ended $?; }} && "
              '"$0" check --config "$1"')
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "bash", "-c", script, PROGRAM,
         clocksmith.configuration()],
        env=clocksmith.environment, capture_output=True, text=True, timeout=60, check=False)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("nothing can be mounted here, so no /run made up")
    assert "ended 3" in done.stdout
    lines = [line.split(None, 2) for line in done.stdout.splitlines() if " settings " in line]
    assert lines == [["FOUND", "settings", "wifi_name is too long"], ["FOUND", "settings", "no country"]]
