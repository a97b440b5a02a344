"""What the card makes of the relay's sections in clocksmith.txt: it serves the page unless they say
otherwise, and no secret gets into a journal."""

import re

import pytest

import test_card_settings
from program import ROOT
from test_card_settings import TEXT, tool

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
CONFIGURED = "! ls /etc/credstore/clocksmith* 2>/dev/null; cat /etc/clocksmith/relay.conf; echo === clock"
STARTED = "systemctl start --no-block clocksmith-relay.service"
PAGE = ["[http]", "face = paired", "listen = [::]:80"]


def applied(folder, *words):
    """As for a card with the relay on it."""
    (folder / "clocksmith-relay").touch(0o755)
    return test_card_settings.applied(folder, *words)


def test_the_card_as_it_is_shipped_serves_the_page(tmp_path):
    shipped = (ROOT / "deploy/device/boot/clocksmith.txt").read_text(encoding="utf-8")
    lines = applied(tmp_path, shipped, CONFIGURED)
    assert lines[:5] == [STARTED, *PAGE, "=== clock"]
    # What is commented out there is what counts.
    assert "\n".join(f";{line}" for line in PAGE) in shipped


@pytest.mark.parametrize("own, added", [
    ("face = yes", ["listen = [::]:80"]),
    ("listen = 0.0.0.0:8080", ["face = paired"]),
    ("names = clock.example", PAGE[1:]),
    ("origins = http://panel.local:8123", PAGE[1:]),
    ("certificate = /etc/clocksmith/relay/own.pem", ["face = paired", "listen = [::]:443"]),
    ("face=no\nlisten\t= [::]:81", [])])
def test_a_key_of_the_owners_leaves_the_cards_others(tmp_path, own, added):
    lines = applied(tmp_path, f"{TEXT}[http]\n{own}\n", CONFIGURED.replace("! ls", "ls"))
    lines = lines[lines.index("[http]"):]
    assert lines[:lines.index("=== clock")] == ["[http]", *own.splitlines(), "[http]", *added]


@pytest.mark.parametrize("own, type_and_port", [
    ("face = paired", "_http._tcp 80"), ("listen\t= 0.0.0.0:8080", "_http._tcp 8080"),
    ("certificate = /etc/clocksmith/relay/own.pem", "_https._tcp 443"), ("face = no", "")])
def test_the_page_is_announced_in_the_network(tmp_path, own, type_and_port):
    lines = applied(tmp_path, f"{TEXT}[http]\n{own}\n", "cat /etc/avahi/services/clocksmith.service 2>/dev/null; echo === clock")
    file = "\n".join(lines[:lines.index("=== clock")]).partition("<service-group>")[2]
    kind, port = (re.findall(f"<{name}>(.*?)</{name}>", file) for name in ("type", "port"))
    assert " ".join(kind + port) == type_and_port


@pytest.mark.parametrize("more, starts", [
    ("", False), ("[relay]\nhttp_token = a\n", True), ("[mqtt]\nbroker = a\n", True), ("[ntfy http]\n", True)])
def test_without_the_page_the_relay_runs_only_if_it_has_other_work(tmp_path, more, starts):
    lines = applied(tmp_path, f"{TEXT}[http]\n face=no \n{more}", CONFIGURED.replace("! ls", "ls"))
    assert (STARTED in lines) == starts
    assert "face = paired" not in lines


def test_each_program_has_its_own_sections(tmp_path):
    lines = applied(tmp_path, f"[card]\nhostname = harbour\n{RELAY}", SHOWN)
    assert lines == [
        STARTED, "=== relay.conf",
        "[mqtt]", "broker = 192.0.2.1", "user = clock",
        "[webhook school]", "url = https://school.example/bell", *PAGE, "=== secret",
        "pass = word", "600 /etc/credstore/clocksmith-relay.mqtt-password", "=== clock",
        "harbour", "[announce]", "interval = 5"]


@pytest.mark.parametrize("section", ["[mqtt]", "[ntfy phone]", "[ HTTP ]"])
def test_what_is_the_relays_never_reaches_the_clock(tmp_path, section):
    text = f"[card]\nhostname = harbour\n {section}\nbroker = mqtt.example\n"
    lines = applied(tmp_path, text, CONFIGURED)
    assert lines == [STARTED, section, "broker = mqtt.example", *PAGE, "=== clock", "harbour"]


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
    tool(tmp_path, "chown", 'echo chown "$@"')
    lines = applied(tmp_path, f"[card]\nhostname = harbour\n{RELAY}",
                    "cat /etc/clocksmith/relay/broker.pem; stat -c %a /etc/clocksmith/relay/broker.pem")
    assert "chown -R root:clocksmith-relay /etc/clocksmith/relay" in lines
    assert lines[lines.index("a certificate") + 1] == "640"


@pytest.mark.parametrize("typed", ['"pass word"', "pass word ; the broker's", "\u201cpass word\u201d ; old"])
def test_a_secret_is_read_as_people_type_it(tmp_path, typed):
    lines = applied(tmp_path, f"{TEXT}[relay]\nmqtt_password = {typed}\n", SHOWN)
    assert lines[lines.index("=== secret") + 1] == "pass word"
    assert any("'mqtt_password' in [relay] of clocksmith.txt" in line for line in lines)
