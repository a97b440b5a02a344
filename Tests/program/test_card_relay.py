"""What the card makes of [relay] in clocksmith.txt: the relay runs only with that section, and no
secret gets into a journal."""

import pytest

from test_card_settings import TEXT, applied

RELAY = """\
[relay]
mqtt_password = pass = word
[announce]
interval = 5
[mqtt]
broker = 192.0.2.1
user = clock
[webhook school]
url = https://school.example/bell
"""
SHOWN = "; ".join([
    "echo === relay.conf", "cat /etc/clocksmith/relay.conf", "echo === secret",
    "cat /etc/credstore/*", "stat -c '%a %n' /etc/credstore/*", "echo === clock"])
NOTHING = "! ls /etc/credstore/clocksmith* /etc/clocksmith/relay* 2>/dev/null; echo === clock"


def test_the_relay_is_off_without_its_section(tmp_path):
    lines = applied(tmp_path, TEXT, NOTHING)
    assert lines == ["=== clock", "harbour", "[announce]", "interval = 5", "[speaker]", "volume = -3dB"]


def test_the_relay_is_on_with_its_section_and_each_program_has_its_own(tmp_path):
    lines = applied(tmp_path, f"[card]\nhostname = harbour\n{RELAY}", SHOWN)
    assert lines == [
        "systemctl start --no-block clocksmith-relay.service", "=== relay.conf",
        "[mqtt]", "broker = 192.0.2.1", "user = clock",
        "[webhook school]", "url = https://school.example/bell", "=== secret",
        "pass = word", "600 /etc/credstore/clocksmith-relay.mqtt-password", "=== clock",
        "harbour", "[announce]", "interval = 5"]


@pytest.mark.parametrize("section", ["[mqtt]", "[ntfy phone]", " [ HTTP ]", "[Relay]"])
def test_what_is_the_relays_never_reaches_the_clock(tmp_path, section):
    text = f"[card]\nhostname = harbour\n{section}\nbroker = mqtt.example\n"
    lines = applied(tmp_path, text, NOTHING)
    told = f"{section.strip()} in clocksmith.txt is for the relay, which is off: write a line '[relay]'"
    assert told in lines[0]
    assert lines[1:] == ["=== clock", "harbour"]


def test_a_section_in_capitals_is_for_the_relay_to_refuse(tmp_path):
    text = f"[card]\nhostname = harbour\n{RELAY}".replace("[mqtt]", "[MQTT]")
    assert "[MQTT]" in applied(tmp_path, text, SHOWN)


@pytest.mark.parametrize("line, told", [
    ("bicycle", "a line of [relay] in clocksmith.txt is no 'key = value'"),
    ("password = bicycle", "'password' in [relay] of clocksmith.txt is not a setting of the relay"),
    ("mqtt_password = bicycle\nmqtt_password = bicycle", "'mqtt_password' stands twice in [relay]"),
])
def test_a_slip_in_the_section_is_told_without_the_secret(tmp_path, line, told):
    text = f"[card]\nhostname = harbour\n{RELAY}".replace("mqtt_password = pass = word", line)
    lines = applied(tmp_path, text)
    assert any(told in said for said in lines)
    assert not any("bicycle" in said for said in lines)


def test_certificates_are_the_relays_own(tmp_path):
    (tmp_path / "relay").mkdir()
    (tmp_path / "relay/broker.pem").write_text("a certificate\n")
    (tmp_path / "chown").write_text("#!/bin/sh\necho chown \"$@\"\n")
    (tmp_path / "chown").chmod(0o755)
    lines = applied(tmp_path, f"[card]\nhostname = harbour\n{RELAY}",
                    "cat /etc/clocksmith/relay/broker.pem; stat -c %a /etc/clocksmith/relay/broker.pem")
    assert "chown -R root:clocksmith-relay /etc/clocksmith/relay" in lines
    assert lines[lines.index("a certificate") + 1] == "640"
