"""The relay's command line and configuration file: one sentence says what is wrong."""

import json
import re
import subprocess

import pytest

import relay as parts
from pretended_apns import make_certificate
from program import ROOT


@pytest.fixture
def run(surroundings):
    if not parts.RELAY.exists():
        pytest.skip(f"no {parts.RELAY} (swift build -c release --product clocksmith-relay)")

    def run(*words, **environment):
        return subprocess.run(
            [parts.RELAY, *map(str, words)], env=surroundings | environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    return run


def test_it_says_what_it_does_and_which_version_it_is(run):
    done = run("--help")
    assert done.returncode == 0 and re.findall(r"^  (\w+) ", done.stdout, re.M) == ["run", "check", "device", "pair", "push", "feedback"]
    assert re.fullmatch(r"clocksmith-relay \d+\.\d+\.\d+\n", run("--version").stdout)
    for subcommand in ("run", "check"):
        done = run(subcommand, "--help")
        assert done.returncode == 0
        assert done.stdout.startswith(f"usage: clocksmith-relay {subcommand} [options]\n")


@pytest.mark.parametrize("words, told", [
    ([], "no subcommand; see 'clocksmith-relay --help'"),
    (["play"], "unknown subcommand 'play'; see 'clocksmith-relay --help'"),
    (["run", "--fast"], "unknown option '--fast'; see 'clocksmith-relay run --help'"),
    (["run", "now"], "unexpected 'now'; see 'clocksmith-relay run --help'"),
])
def test_misuse_is_told(run, words, told):
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"clocksmith-relay: {told}\n"


# What `check` finds.


TOKEN = "0123456789abcdef"


@pytest.fixture
def check(run, tmp_path):
    """Checks a configuration: what is told."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    (tmp_path / "short").write_text("x" * 15)
    (tmp_path / "lines").write_text("one\ntwo\n")

    def check(text, status, **environment):
        path = tmp_path / "relay.conf"
        path.write_text(text.format(folder=tmp_path))
        done = run("check", "--config", path, **environment)
        assert (done.returncode, done.stderr) == (status, ""), done.stdout
        assert TOKEN not in done.stdout
        return done.stdout
    return check


SERVED = "[http]\ntoken_file = {folder}/token\n"
APNS = "[apns]\ntopic = a.b\nkey_id = ABCDEFGHIJ\nteam = ABCDEFGHIJ\n"


def test_the_topics_are_shown(check):
    told = check("[mqtt]\nbroker = box\nname = hall\ngroup = all\n", 0)
    assert "box:1883, no TLS" in told
    assert "clocksmith/clock/hall/command, clocksmith/group/all/command" in told
    assert parts.discovery() in told
    told = check(
        "[mqtt]\nbroker = ::1\nport = 8884\nprefix = school/bells\nname = hall\ndiscovery = none\n", 0)
    assert "8884" in told and "school/bells/clock/hall/command" in told
    assert "homeassistant" not in told


def test_where_apps_are_served_is_shown(check, tmp_path):
    certificate, key = make_certificate(tmp_path, days=90)
    assert check(SERVED, 0) == "ok    http          http://127.0.0.1:8080\n"
    assert check(f"{SERVED}listen = [::]:8443\ncertificate = {certificate}\nkey = {key}\n", 0) == (
        f"ok    http          https://[::]:8443\nok    certificate   {certificate}\n")
    assert "the token can be read on its way" in check(SERVED + "listen = 0.0.0.0:8080\n", 0)
    assert check("[http]\nface = yes\nlisten = 0.0.0.0:8080\n", 0) == (
        "ok    http          http://0.0.0.0:8080\n"
        "ok    face          everybody may look, paired phones may act\n"
        "note  http          without TLS, the token, or the cookie of a phone, can be read on its "
        "way through the network\n")
    assert "only paired phones may look" in check("[http]\nface = paired\n", 0)
    (tmp_path / "http-token").write_text(TOKEN)
    assert "ok    http" in check("[http]\n", 0, CREDENTIALS_DIRECTORY=str(tmp_path))


@pytest.mark.parametrize("text, told", [
    ("", "no broker is set; write 'broker = HOST' under [mqtt]"),
    ("[mqtt\n", ":1: not a [section]"),
    ("[web]\nport = 1\n", "unknown section [web]; there are mqtt, push, apns, ntfy NAME"),
    ("[mqtt]\nbroker = a\nqos = 2\n", ":3: unknown key 'qos' in [mqtt]; there are authority,"),
    ("[mqtt]\nbroker = a\nbroker = b\n", "set twice"),
    ("[mqtt]\nbroker = box:1884\n", "its port is set by 'port'"),
    ("[mqtt]\nbroker = a\nport = 0\n", ":3: port = 0: allowed: none, or 1 to 65535"),
    ("[mqtt]\nbroker = a\nname = a/b\n", "allowed: none, or 1 to 64 of a-z"),
    ("[mqtt]\nbroker = a\ntls = maybe\n", "allowed: yes, no"),
    ("[mqtt]\nbroker = a\nauthority = /x\n", "[mqtt] has certificates and no TLS"),
    ("[mqtt]\nbroker = a\ntls = yes\nkey = /x\n", ":4: key is set and certificate is not"),
    ("[mqtt]\nbroker = a\nuser = b\npassword_file = {folder}/lines\n", "one line is wanted"),
    ("[http]\n", "[http] has no token: set token_file, or put it into /etc/credstore/"),
    ("[http]\ntoken_file = {folder}/none\n", "none: No such file or directory"),
    ("[http]\ntoken_file = {folder}/short\n", "it is no token: 16 to 512 visible characters"),
    *((f"{SERVED}listen = {address}\n", f"listen = {address}: allowed: ADDRESS:PORT, the port 80 or higher")
      for address in ("8080", "0.0.0.0:79", "::1:8080", "localhost:8080")),
    ("[http]\norigins = *\n", ":2: origins = *: allowed: none, or origins"),
    ("[http]\nface = maybe\n", "face = maybe: allowed: no, yes, paired"),
    ("[http]\nnames = a, b:80\n", "allowed: none, or names of this machine"),
    ("[webhook a]\nurl = https://x/y\n", "has no secret"),
    ("[webhook a]\nurl = https://x/y\nsecret_file = {folder}/token\n", "it is no secret: whsec_"),
    ("[webhook a]\nsecret_file = {folder}/secret\n", "[webhook a] has no address"),
    ("[ntfy a]\nserver = https://x\n", "[ntfy a] has no topic"),
    ("[ntfy a]\ntopic = x\nevents = tea\n", "allowed: all, or some of timer"),
    ("[ntfy a]\ntopic = x\nserver = https://x/bells\n",
     ":3: server = https://x/bells: allowed: https://HOST, or http://HOST, without a path"),
    ("[push]\nahead = 4s\n", ":2: ahead = 4s: allowed: none, or 5s to 120s"),
    ("[apns]\n", "[apns] has no topic"),
    ("[apns]\ntopic = a.b\n", "has no credentials"),
    ("[apns]\nserver = x:y:z\n", "allowed: none, or HOST, or HOST:PORT"),
    (f"{APNS}key_file = {{folder}}/token\n", "it is no private key of P-256"),
])
def test_what_is_wrong_is_found(check, text, told):
    assert told in check(text, 3).splitlines()[0]


@pytest.mark.parametrize("key", [
    "[http]\ntoken_file", "[mqtt]\nbroker = a\npassword_file", "[webhook a]\nsecret_file",
    "[ntfy a]\ntoken_file", "[apns]\nkey_file"])
def test_a_secret_in_place_of_its_file_is_not_shown(check, key):
    told = check(f"{key} = tk_s3cret\n", 3)
    assert "_file: allowed: none, or the full path of a file" in told and "s3cret" not in told


def test_the_password_in_an_address_is_not_shown(check):
    told = check("[webhook a]\nurl = https://me:s3cret@box:x/\n", 3)
    assert ":2: url: allowed: none, or https://HOST/PATH" in told and "s3cret" not in told


def test_the_relay_ends_with_what_is_wrong(run, tmp_path):
    path = tmp_path / "relay.conf"
    for text, told in [("[mqtt\n", ":1: not a [section]"),
                       (None, "there is no such file; write [mqtt] and a broker into it")]:
        if text:
            path.write_text(text)
        else:
            path.unlink()
        done = run("run", "--config", path)
        [line] = done.stderr.splitlines()
        assert done.returncode == 1
        assert line.startswith(f"clocksmith-relay: {path}") and told in line


@pytest.mark.parametrize("section", ["[mqtt]\nbroker = box\ntls = yes\n", APNS, SERVED],
                         ids=["mqtt", "apns", "http"])
def test_certificates_and_keys_are_loaded(check, tmp_path, section):
    for name, days in ("own", 30), ("other", 30), ("old", -1):
        make_certificate(tmp_path, name, days=days)
    for certificate, key, told in [
            ("{folder}/token", "{folder}/own.key", "it is no certificate in PEM form"),
            ("{folder}/own.crt", "{folder}/token", "it is no key in PEM"),
            ("{folder}/own.crt", "{folder}/other.key", "none for the certificate"),
            ("{folder}/old.crt", "{folder}/old.key", "this certificate is valid only from 20")]:
        assert told in check(f"{section}certificate = {certificate}\nkey = {key}\n", 3)
    check(section + "certificate = {folder}/own.crt\nkey = {folder}/own.key\n", 0)
    if "http" not in section:
        told = check(section + "authority = {folder}/token\n", 3)
        assert "it holds no certificate that can be read" in told


# What the documents say.


def test_the_docs_have_every_key_of_the_state():
    """The page names what the state has beside the properties of D-Bus, and what it lacks of them."""
    api = json.loads((ROOT / "docs/clocksmith-relay.openapi.json").read_text())
    bus = (ROOT / "docs/dbus.md").read_text().split("## Properties")[1].split("The signals are")[0]
    properties = " ".join(re.findall(r"^- (.*?):", bus, re.MULTILINE))
    keys = set(re.findall(r"\w+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", properties).lower()))
    text = (ROOT / "docs/programmers.md").read_text()
    [item] = re.findall(r"^- `clocksmith/[^`]*/state`: (.*?)^- ", text, re.MULTILINE | re.DOTALL)
    lacking, more = (set(re.findall(r"`(\w+)`", part)) for part in item.split("without")[1].split("and with"))
    assert keys - lacking | more == set(api["components"]["schemas"]["State"]["properties"])


def test_the_docs_have_every_command():
    section = (ROOT / "docs/programmers.md").read_text().split("## Commands")[1].split("Every command may have")[0]
    names = re.findall(r"^- (`.*?`):", section, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"`(\w+)`", " ".join(names))
    assert sorted(listed) == sorted(parts.described_commands())
