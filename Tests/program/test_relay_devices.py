"""The register of devices, as the command edits it."""

import json
import sqlite3
import subprocess

import pytest

import relay as parts

PHONE, WATCH = "ab" * 32, "cd" * 40


@pytest.fixture
def device(tmp_path):
    """Runs `clocksmith-relay` on a private register."""
    if not parts.RELAY.exists():
        pytest.skip(f"no {parts.RELAY} (swift build -c release --product clocksmith-relay)")

    def device(*words, status=0, given=None, notes=False):
        done = subprocess.run(
            [parts.RELAY, *words], input=given, capture_output=True, text=True, timeout=60,
            env={"LC_ALL": "C", "STATE_DIRECTORY": str(tmp_path)})
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 and not notes else done.stderr
    return device


APNS = "[apns]\ntopic = a.b\nkey_id = ABC123DEFG\nteam = DEF123GHIJ\n"


@pytest.mark.parametrize("text, told", [
    (None, "relay.conf: there is no such file; write [mqtt] and a broker into it"),
    ("[http]\n", "relay.conf: there is no section [apns]"),
    ("[mqtt]\n", "relay.conf: no broker is set"),
    (APNS, None),
], ids=["no file", "no section", "nothing set", "set"])
def test_who_adds_a_device_that_gets_no_messages_is_told_so(device, tmp_path, text, told):
    configuration = tmp_path / "relay.conf"
    if text:
        configuration.write_text(text)
    added = device("device", "add", PHONE, "--config", configuration, notes=True)
    if told:
        [line] = added.splitlines()
        assert line.startswith("clocksmith-relay: devices get no messages yet: ") and told in line
    else:
        assert added == ""
    assert PHONE in device("device", "list")


def test_a_device_is_added_listed_and_removed(device):
    assert device("device", "add", PHONE) == "registered 1 device\n"
    assert device("device", "add", WATCH, "--platform", "watchos", "--environment",
                  "sandbox") == "registered 1 device\n"
    # It keeps what the second registration does not name.
    assert device("device", "add", WATCH, "--events", "alarm,hour") == "registered 1 device\n"
    assert device("device", "add", PHONE.upper()) == "registered 1 device\n"
    phone, watch = map(json.loads, device("device", "list", "--json").splitlines())
    assert phone.pop("registered").endswith("Z")
    assert phone == {
        "token": PHONE, "platform": "ios", "environment": "production",
        "events": ["timer", "alarm", "trouble", "clock"]}
    assert watch["platform"] == "watchos" and watch["events"] == ["alarm", "hour"]
    assert f"watchos sandbox  alarm,hour  {WATCH}" in device("device", "list")
    assert device("device", "remove", WATCH) == "removed 1 device\n"
    assert WATCH not in device("device", "list")
    assert "no device has the token" in device("device", "remove", WATCH, status=1)


def test_many_are_added_at_once_or_none(device):
    tokens = "".join(f"{number:064x}\n" for number in range(1000))
    assert device("device", "add", "-", given=tokens) == "registered 1000 devices\n"
    wrong = device("device", "add", "-", given=f"{WATCH}\n\nnone\n", status=2)
    assert 'line 3: token: not an APNs token' in wrong
    assert len(device("device", "list").splitlines()) == 1000


@pytest.mark.parametrize("words, status, told", [
    (["device"], 2, "write 'add TOKEN', 'list' or 'remove TOKEN'"),
    (["device", "add"], 2, "write 'add TOKEN'"),
    (["device", "add", "zz"], 2, "not an APNs token"),
    (["device", "add", PHONE, "--platform", "amiga"], 2, "write ios, ipados, macos"),
    (["device", "add", PHONE, "--environment", "test"], 2, "write production, sandbox"),
    (["device", "add", PHONE, "--events", "tea"], 2, "write all, or some of timer, alarm"),
    (["device", "add", PHONE, "--events", ""], 2, "write all, or some of timer, alarm"),
    (["device", "add", PHONE, "--json"], 2, "--json means nothing for 'device add'"),
    (["device", "list", "--platform", "ios"], 2, "--platform means nothing for 'device list'"),
    (["device", "remove", PHONE, "--json"], 2, "--json means nothing for 'device remove'"),
    (["feedback", "now"], 2, "unexpected 'now'"),
])
def test_what_is_wrong_is_told_with_what_is_right(device, words, status, told):
    line = device(*words, status=status)
    assert told in line and len(line.splitlines()) == 1


def test_who_has_gone_is_listed_with_the_reason(device, tmp_path):
    device("device", "add", PHONE)
    device("device", "add", WATCH)
    with sqlite3.connect(tmp_path / "register.sqlite") as register:
        register.execute(
            "UPDATE devices SET deactivated = 1795000000000000, reason = 'Unregistered' "
            "WHERE token = ?", (WATCH,))
    [line] = device("feedback").splitlines()
    assert line.startswith("2026-11-18T11:06:40Z  Unregistered  ") and WATCH in line
    [gone] = map(json.loads, device("feedback", "--json").splitlines())
    assert gone["reason"] == "Unregistered" and gone["deactivated"] == "2026-11-18T11:06:40Z"
    assert device("device", "add", WATCH) == "registered 1 device\n"
    assert device("feedback") == ""


def test_a_register_that_cannot_be_used_is_told_in_one_line(device, tmp_path):
    (tmp_path / "register.sqlite").write_text("no database" * 100)
    for words in (["device", "list"], ["device", "add", PHONE], ["push", "hello"]):
        told = device(*words, status=1)
        assert "file is not a database; do this as root; 'systemctl restart clocksmith-relay' makes" in told
    (tmp_path / "register.sqlite").unlink()
    (tmp_path / "register.sqlite").mkdir()
    assert "cannot open the register" in device("device", "list", status=1)
