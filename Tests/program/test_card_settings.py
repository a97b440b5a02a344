"""What the card makes of clocksmith.txt: whatever editor wrote it, no setting is lost."""

import shutil
import subprocess

import pytest

from program import ROOT

SETTINGS = ROOT / "deploy/device/files/usr/lib/clocksmith-card/settings"

ENTRIES = SETTINGS.with_name("entries")
UNSET = ROOT / "deploy/device/files/etc/clocksmith/conf.d/30-zone.conf"

# It runs in its own namespaces, so that neither /etc nor the name of this machine changes.
# /etc/alternatives is needed for awk.
APPLIED = """
mount -t tmpfs tmpfs /mnt && cp -a /etc/alternatives /mnt && mount --move /mnt /etc &&
mkdir -p /etc/wpa_supplicant /etc/clocksmith/conf.d && cp "$4" /etc/clocksmith/conf.d &&
PATH="$2:$PATH" sh "$0" "$1" && eval "$3" && cat /etc/hostname /etc/clocksmith/conf.d/50-card.conf
"""
TEXT = "; a comment\n[card]\nhostname = harbour\n[announce]\ninterval = 5\n[speaker]\nvolume = -3dB\n"


def tool(folder, name, script):
    """A shell script that runs in place of the program of that name."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def applied(folder, text, then="true"):
    """All output lines, without the white space around them; the host name and configuration last."""
    path = folder / "clocksmith.txt"
    path.write_text(text, newline="")
    # With parts.txt as shipped no restart is due. If one were, this systemctl would only print it.
    shutil.copy(ROOT / "deploy/device/boot/parts.txt", folder)
    tool(folder, "systemctl", 'echo systemctl "$@"')
    done = subprocess.run(
        ["unshare", "--mount", "--uts", "sh", "-c", APPLIED, SETTINGS, path, folder, then, UNSET],
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("/etc cannot be replaced here (not root?)")
    assert (done.returncode, done.stderr) == (0, "<6>wired to the header: RTC none, sound none\n")
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.replace("\n", "\r\n"), TEXT.replace("\n", "\r"), TEXT.replace("\n", "\n  "),
     TEXT.replace("\n", "\n\t"), "\ufeff" + TEXT.removeprefix("; a comment\n")],
    ids=["Unix", "Windows", "carriage returns", "spaces", "tabs", "byte order mark"])
def test_every_editor_is_understood(tmp_path, text):
    lines = [line for line in applied(tmp_path, text) if line]
    assert lines == ["harbour", "[announce]", "interval = 5", "[speaker]", "volume = -3dB"]


def test_the_first_section_may_be_the_clocks(tmp_path):
    lines = applied(tmp_path, "\ufeff[announce]\ninterval = 5\n[card]\nhostname = harbour\n")
    assert [line for line in lines if line] == ["harbour", "[announce]", "interval = 5"]


def test_a_backslash_is_kept(tmp_path):
    assert r"device = a\nb" in applied(tmp_path, TEXT + "device = a\\nb\n")


def test_a_user_that_cannot_be_made_costs_the_clock_nothing(tmp_path):
    """Neither the clock's own settings are lost, nor the card's settings that follow the user."""
    text = TEXT.replace("[announce]", "user = Joe Smith\npassword = a\\tb\nwifi_name = n\\t\n[announce]")
    lines = applied(tmp_path, text, "cat /etc/wpa_supplicant/*.conf")
    assert "interval = 5" in lines
    assert any("user 'Joe Smith' in" in line and "cannot be made" in line for line in lines)
    assert "ssid=6e5c74" in lines, "n, a backslash, t"


def test_the_login_may_use_the_speaker_and_the_lines_and_read_the_journal(tmp_path):
    made = tmp_path / "made"
    tool(tmp_path, "useradd", f'echo "$@" >{made}')
    applied(tmp_path, TEXT.replace("[announce]", "user = ada\n[announce]"))
    words = made.read_text().split()
    groups = words[words.index("--groups") + 1].split(",")
    assert {"audio", "gpio", "systemd-journal"} <= set(groups) and words[-1] == "ada"


@pytest.mark.parametrize(
    "zone, is_unset", [("zone = Europe/London\n", False), ("", True), ("zone = Mars\n", True)])
def test_until_a_zone_is_set_the_clock_has_none(tmp_path, zone, is_unset):
    assert "zone = unset" in UNSET.read_text()
    lines = applied(tmp_path, TEXT.replace("hostname", f"{zone}hostname", 1), "ls /etc/clocksmith/conf.d")
    assert ("30-zone.conf" in lines) == is_unset


@pytest.mark.parametrize("zone", ["europe/london", "EUROPE/LONDON"])
def test_a_zone_is_known_in_any_capitals(tmp_path, zone):
    lines = applied(tmp_path, TEXT.replace("hostname", f"zone = {zone}\nhostname"), "readlink /etc/localtime")
    assert "/usr/share/zoneinfo/Europe/London" in lines
    assert not [line for line in lines if line.startswith("<3>")]


@pytest.mark.parametrize("zone", ["right/Europe/London", "../../../etc/passwd"])
def test_what_is_no_zone_of_the_clocks_is_not_taken(tmp_path, zone):
    lines = applied(tmp_path, TEXT.replace("hostname", f"zone = {zone}\nhostname"))
    assert any(f"zone '{zone}' in" in line and "is not a time zone" in line for line in lines)
    assert "interval = 5" in lines


HASHES = {
    "yescrypt": "$y$j9T$pR1x4QyZrL3dT2mNbV9cK/$h8vJmUfYxSx0xkVvJt0m2qWw4sT1oXq0Yd9n0bGk3L5",
    "sha512crypt": "$6$saltsalt$" + "a" * 86,
    "sha512crypt with rounds": "$6$rounds=6000$saltsalt$" + "a" * 86,
    "sha256crypt": "$5$saltsalt$" + "b" * 43,
    "bcrypt": "$2b$05$" + "C" * 21 + "e" + "d" * 31,
    "md5crypt": "$1$saltsalt$" + "e" * 22,
}


PASSWORDS = ("lovelace", "$ecret", "$", "$1$ and a half", "$6$saltsalt$short", "$y$j9T$", "$9$a$b", "a" * 13)


@pytest.mark.parametrize("password", [*HASHES.values(), *PASSWORDS], ids=[*HASHES, *PASSWORDS])
def test_only_a_hash_that_crypt_knows_is_set_as_it_is(tmp_path, password):
    tool(tmp_path, "useradd", "")
    tool(tmp_path, "usermod", f'echo "$@" >{tmp_path}/hash')
    tool(tmp_path, "chpasswd", f"cat >{tmp_path}/password")
    lines = applied(tmp_path, TEXT.replace("[announce]", f"user = ada\npassword = {password}\n[announce]"))
    is_hash = password in HASHES.values()
    assert (tmp_path / "hash").exists() is is_hash and (tmp_path / "password").exists() is not is_hash
    if is_hash:
        assert (tmp_path / "hash").read_text() == f"--password {password} ada\n"
    else:
        assert (tmp_path / "password").read_text() == f"ada:{password}\n"
    told = any("is not a hash that crypt(3) knows" in line for line in lines)
    assert told == (password.startswith("$") and not is_hash)


QUOTED = "<5>the quotes around 'wifi_password' in [card] of clocksmith.txt are left out: "
COMMENT = "<4>the comment behind 'wifi_password' in [card] of clocksmith.txt is left out: "


@pytest.mark.parametrize("typed, value, told", [
    ("geheim 12", "geheim 12", ""), ("  geheim=12\u00a0", "geheim=12", ""),
    ('"geheim 12"', "geheim 12", QUOTED), ("'geheim 12'", "geheim 12", QUOTED),
    ("\u201cgeheim 12\u201d", "geheim 12", QUOTED), ("\u201egeheim 12\u201c", "geheim 12", QUOTED),
    ("\u2018geheim 12\u2019", "geheim 12", QUOTED),
    ("geheim12 ; new since May", "geheim12", COMMENT), ("geheim12\u00a0;new", "geheim12", COMMENT),
    ('"geheim ; 12"', "geheim ; 12", QUOTED), ('"geheim ; 12" ; new', "geheim ; 12", QUOTED),
    ('""geheim""', '"geheim"', QUOTED), ('"geheim', '"geheim', ""), ("geheim'", "geheim'", ""),
    ("geheim;12", "geheim;12", ""), ("geheim #12", "geheim #12", ""), (" ; none", "", COMMENT), ('"', '"', ""),
    ("g\\te$1&", "g\\te$1&", ""),
])
def test_a_value_is_read_as_people_type_it(typed, value, told):
    """The rules are those of the line in clocksmith.txt."""
    def entries(*words):
        text = f"[card]\nwifi_password={typed}\n[other]\nwifi_password = 1\n"
        return subprocess.run(
            [ENTRIES, "card", "zone, wifi_password", *words], input=text, stdout=subprocess.PIPE, text=True,
            timeout=60, check=True).stdout
    assert entries() == f"wifi_password={value}\n"
    said = entries("tell")
    assert said.startswith(told) and bool(said) == bool(told) and "geheim" not in said


@pytest.mark.parametrize("typed, starts, told", [
    ("yes", True, False), ("Yes", True, False), ("on", True, False), ("TRUE", True, False),
    ("yes ; at home", True, False), ("yes # at home", True, False), ('"yes"', True, False),
    ("no", False, False), ("off", False, False), ("", False, False), ("perhaps", False, True)])
def test_ssh_is_started_by_any_yes(tmp_path, typed, starts, told):
    for name in ("useradd", "ssh-keygen", "cp", "mkdir"):
        tool(tmp_path, name, f'[ {name} = mkdir ] && [ "$2" != /data/ssh ] && exec /bin/mkdir "$@"; '
                             f'[ {name} = cp ] && [ "$1" != -p ] && exec /bin/cp "$@"; true')
    lines = applied(tmp_path, TEXT.replace("[announce]", f"user = ada\nssh = {typed}\n[announce]"))
    assert ("systemctl start --no-block ssh.service" in lines) == starts
    assert any("is neither yes nor no" in line for line in lines) == told


def test_a_file_with_quotes_and_capitals_is_applied(tmp_path):
    text = ('\ufeff[card]\r\nHostname = "harbour" ; by the sea\r\nzone\u00a0=\u00a0\u201cEurope/Berlin\u201d\r\n'
            'wifi_name = "Home ; Net"\r\n')
    lines = applied(tmp_path, text, "readlink /etc/localtime; cat /etc/wpa_supplicant/*.conf")
    assert lines[-1] == "harbour" and "/usr/share/zoneinfo/Europe/Berlin" in lines
    assert f"ssid={b'Home ; Net'.hex()}" in lines
    assert not [line for line in lines if line.startswith("<3>")]


def test_settings_that_break_off_say_so(tmp_path):
    """Most tools do not say what failed in a way that `clocksmith check` repeats."""
    path = tmp_path / "clocksmith.txt"
    path.write_text(TEXT)
    for name in "mountpoint", "mkdir":
        tool(tmp_path, name, "exit 1")
    done = subprocess.run(
        ["sh", SETTINGS, path], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True,
        timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert done.stdout.startswith(f"<3>the settings of {path} broke off")
