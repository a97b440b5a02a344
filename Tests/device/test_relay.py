"""The relay on the card, turned on by clocksmith.txt; a broker and Apple's servers run on this PC."""

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from device import Device, wait_until
from own_card import boot_partition, own_card_of, write_settings
from switch import CHIP, SWITCH

# The broker and the servers come from the program's own tests.
sys.path.append(str(Path(__file__).parent.parent / "program"))
pytest.importorskip("h2", reason="h2 is missing: run 'sudo apt-get install python3-h2'")
import pretended_apns  # noqa: E402
import push  # noqa: E402
import relay  # noqa: E402

HOST = "10.0.2.2"  # This PC, as the emulated network has it; the resolver calls it _gateway.
UNIT = "clocksmith-relay.service"
SECRET = "bicycle-4711"
SETTINGS = f"""\
[card]
hostname = harbour
zone = Etc/UTC
[switch]
line = {CHIP}:{SWITCH}
active = high
[relay]
mqtt_password = {SECRET}
[mqtt]
broker = _gateway
port = %(mqtt)d
user = clock
name = hall
[apns]
topic = {push.TOPIC}
key_id = ABC123DEFG
team = DEF123GHIJ
key_file = /etc/clocksmith/relay/key.p8
server = {HOST}:%(apns)d
authority = /etc/clocksmith/relay/server.crt
"""
# With a locally administered address Linux would call the interface usb0.
ADAPTER = {"driver": "usb-net", "id": "adapter", "netdev": "host", "mac": "00:16:3e:00:00:01"}
PHONES = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("relay")


@pytest.fixture(scope="module")
def broker(folder):
    """A mosquitto that requires a password."""
    for program in ("mosquitto", "mosquitto_sub", "mosquitto_passwd"):
        if not shutil.which(program, path="/usr/sbin:/usr/bin"):
            pytest.skip(f"{program} is missing: run 'sudo apt-get install mosquitto mosquitto-clients'")
    passwords = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "clock", SECRET], check=True)
    passwords.chmod(0o600)
    broker = relay.Broker(
        folder, f"allow_anonymous false\npassword_file {passwords}\n",
        client=["-u", "clock", "-P", SECRET])
    yield broker
    broker.close()


@pytest.fixture(scope="module")
def heard(broker):
    """A listener to everything that the clock publishes."""
    return broker.listen(f"{relay.CLOCK}/#")


@pytest.fixture(scope="module")
def apple(folder):
    servers = pretended_apns.PretendedAPNs(
        folder, pretended_apns.make_certificate(folder, host=f"IP:{HOST}"))
    yield servers
    servers.stop()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture(scope="module")
def clock(card, folder, broker, apple):
    """A device whose clocksmith.txt turns the relay on, up and ready, without a network."""
    pretended_apns.make_provider_key(folder / "key.p8")
    with own_card_of(card, folder) as own:
        write_settings(own, SETTINGS % {"mqtt": broker.port, "apns": apple.port})
        boot_partition(own, "mmd", "::relay")
        boot_partition(own, "mcopy", folder / "key.p8", folder / "server.crt", "::relay")
        # The device has the PC's time, as the certificates are made now; no time server may set it.
        device = Device(own, kernel="systemd.mask=systemd-timesyncd.service")
        # Port 80 of the device, as this PC reaches it.
        device.page = f"127.0.0.1:{free_port()}"
        device.arguments += ["-netdev", f"user,id=host,hostfwd=tcp:{device.page}-:80"]
        try:
            device.start()
            device.wait_until_ready()
            device.wait_for_line(f"^Started {UNIT}", seconds=120)
            device.is_online = False
            yield device
            device.quit()
        finally:
            device.remove()


def state(heard, fits, seconds=60):
    return heard.wait_for_state(fits, seconds)


def availability(heard, payload, seconds=60):
    heard.wait_for(f"{relay.CLOCK}/availability", lambda last: last == payload, seconds)


def plug_in(clock, heard):
    """Gives it a network."""
    clock.qmp("device_add", **ADAPTER)
    availability(heard, "online", 120)
    clock.is_online = True


@pytest.fixture
def online(clock, heard):
    """It has a network, also if a test is made again from power-on."""
    if not clock.is_online:
        plug_in(clock, heard)


def test_the_relay_waits_for_a_network_and_takes_it(clock, heard, figures):
    assert not heard.messages
    before = time.monotonic()
    plug_in(clock, heard)
    figures["network plugged in to the relay online"] = f"{time.monotonic() - before:.0f} s"
    state(heard, lambda last: last["switch"] == "on")
    assert clock.run("systemctl --failed --no-legend") == ""


@pytest.mark.usefixtures("online")
def test_the_clocks_own_configuration_has_nothing_of_the_relay(clock):
    assert "mqtt" not in clock.run("cat /etc/clocksmith/conf.d/50-card.conf")
    assert clock.run("clocksmith-relay check").count("FOUND") == 0
    assert clock.run("stat -c %U:%G:%a /etc/clocksmith/relay/key.p8") == "root:clocksmith-relay:640"


@pytest.mark.usefixtures("online")
def test_the_page_is_served_to_browsers_in_the_network(clock):
    request = urllib.request.Request(f"http://{clock.page}/", headers={"Host": "harbour.local"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert "<html" in answer.read().decode()


# Asks the network for the services of a browser, by mDNS, and prints what answers.
ASK = r"""
use IO::Socket::INET; alarm 10;
$socket = IO::Socket::INET->new(Proto => "udp");
$question = pack("n6", 1, 0, 1, 0, 0, 0) . "\5_http\4_tcp\5local\0" . pack("n2", 12, 1);
send($socket, $question, 0, sockaddr_in(5353, inet_aton("224.0.0.251")));
recv($socket, $answer, 9000, 0); print $answer;
"""


@pytest.mark.usefixtures("online")
def test_the_clock_announces_its_page(clock, figures):
    clock.run(f"cat >/run/ask.pl <<'END'\n{ASK}\nEND\n"
              "until perl /run/ask.pl 2>/dev/null | grep -aq harbour; do sleep 0.2; done", 120)
    # As the relay looks up names.
    clock.run("until getent hosts harbour.local; do sleep 0.2; done", 60)
    memory = clock.run("cat /proc/$(systemctl show avahi-daemon -P MainPID)/smaps_rollup")
    figures["avahi-daemon, resident"] = re.search(r"Rss: +(.*)", memory)[1]
    assert clock.run("systemctl --failed --no-legend") == ""


@pytest.mark.usefixtures("online")
def test_no_secret_stands_in_the_journal(clock):
    clock.wait_for_line("^connected to|is back$", unit=UNIT)
    assert clock.run(f"journalctl --boot -o json --all | grep -c {SECRET}", check=False) == "0"


@pytest.mark.usefixtures("online")
def test_a_relay_that_hangs_is_restarted_and_the_clock_is_not(clock, heard):
    announcer = clock.run("systemctl show clocksmith -P MainPID")
    # A watchdog of 5 s instead of the unit's minute, to save time.
    clock.run(f"mkdir -p /run/systemd/system/{UNIT}.d && printf '[Service]\\nWatchdogSec=5\\n' "
              f">/run/systemd/system/{UNIT}.d/test.conf && systemctl daemon-reload && "
              f"systemctl restart {UNIT}")
    availability(heard, "online")
    mark, told = clock.mark(), len(heard.messages)
    clock.run(f"systemctl kill -s STOP --kill-whom=main {UNIT}")
    clock.wait_for_line("Watchdog timeout", mark)
    clock.wait_for_line(f"^Started {UNIT}", mark)
    wait_until(lambda: [payload for topic, payload, _ in heard.messages[told:]
                        if topic.endswith("/availability")][-2:] == ["offline", "online"],
               "the relay gone and back", 60)
    assert clock.run("systemctl show clocksmith -P MainPID") == announcer


@pytest.mark.usefixtures("online")
def test_the_relay_is_confined(clock, figures):
    said = clock.run(f"systemd-analyze security --no-pager {UNIT} | tail -1")
    exposure = float(re.search(r"([\d.]+) \w+", said.split(":", 1)[1])[1])
    figures["exposure of the relay, by systemd-analyze security"] = exposure
    assert exposure <= 2.0
    process = f"/proc/$(systemctl show {UNIT} -P MainPID)"
    assert clock.run(f"stat -c %U {process}") == "clocksmith-relay"
    # CAP_NET_BIND_SERVICE alone, for port 80.
    assert "CapEff:\t0000000000000400" in clock.run(f"cat {process}/status")
    # The clock itself has no network, even if the machine has one.
    assert "AF_INET" not in clock.run("systemctl show clocksmith -P RestrictAddressFamilies")


@pytest.mark.usefixtures("online")
def test_a_network_that_is_torn_out_is_taken_back(clock, heard, figures):
    clock.qmp("device_del", id="adapter")
    clock.run("until ! ip link show eth0 2>/dev/null && ! ls /sys/class/net/en* 2>/dev/null; "
              "do sleep 0.2; done", 60)
    clock.set_switch(True, SWITCH)
    clock.wait_for_line("^the switch is off")
    assert clock.run(f"systemctl is-active clocksmith {UNIT}") == "active\nactive"
    before = time.monotonic()
    clock.qmp("device_add", **ADAPTER)
    state(heard, lambda last: last["switch"] == "off", 120)
    figures["network back to the switch seen over MQTT"] = f"{time.monotonic() - before:.0f} s"
    clock.set_switch(False, SWITCH)
    state(heard, lambda last: last["switch"] == "on")


@pytest.mark.usefixtures("online")
def test_a_power_cut_in_the_middle_of_a_publish_loses_nothing(clock, apple, figures):
    phones = {push.token(number) for number in range(PHONES)}
    # Slow enough answers for a power cut in the middle.
    apple.answer = lambda request: time.sleep(0.02) or (200, {})
    clock.run("for n in $(seq 0 %d); do printf '%%064x\\n' $n; done | clocksmith-relay device add -"
              % (PHONES - 1))
    clock.run("clocksmith-relay push 'the bell is at ten'")
    apple.wait_for(PHONES // 3, 60)
    clock.cut_power()
    arrived = len(apple.requests)
    assert arrived < PHONES, "the power was cut when all was over"

    clock.arguments += ["-device", ",".join(
        f"{key}={value}" if key != "driver" else value for key, value in ADAPTER.items())]
    clock.start()
    clock.wait_until_ready()
    line = clock.wait_for_line('^published "the bell is at ten"', seconds=120)
    figures["power cut in a publish"] = f"{arrived} of {PHONES} had arrived; {line.message}"
    assert set(apple.tokens()) == phones, "something was lost"
    # A message that comes twice has the same id.
    ids = {(request.token, request.headers["apns-id"]) for request in apple.requests}
    assert len(ids) == PHONES
