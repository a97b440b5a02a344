"""The relay's command line and configuration file: one sentence says what is wrong."""

import json
import re
import subprocess
import time

import pytest

import relay as parts
from pretended_apns import make_certificate, make_dated_certificate
from program import ROOT


@pytest.fixture
def run(surroundings, tmp_path):
    if not parts.RELAY.exists():
        pytest.skip(f"no {parts.RELAY} (swift build -c release --product clocksmith-relay)")

    def run(*words):
        return subprocess.run(
            [parts.RELAY, *map(str, words)], env=surroundings, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60, check=False)
    return run


@pytest.fixture
def configured(tmp_path):
    def configured(text):
        path = tmp_path / "relay.conf"
        path.write_text(text)
        return path
    return configured


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


@pytest.mark.parametrize("text, told", [
    ("", "no broker is set; write 'broker = HOST' under [mqtt]"),
    ("[mqtt]\nbroker = a\nqos = 2\n", ":3: unknown key 'qos' in [mqtt]; there are authority,"),
    ("[mqtt\n", ":1: not a [section]"),
])
def test_a_file_that_is_wrong_ends_it_with_one_sentence(run, configured, text, told):
    path = configured(text)
    done = run("run", "--config", path)
    [line] = done.stderr.splitlines()
    assert done.returncode == 1 and line.startswith(f"clocksmith-relay: {path}") and told in line
    done = run("check", "--config", path)
    assert done.returncode == 3 and done.stdout.startswith("FOUND") and told in done.stdout


def test_a_check_says_what_to_do_about_a_key_of_an_earlier_version(run, configured):
    path = configured("[mqtt]\nbroker = box\n[http]\nface = yes\nrate = 5\n")
    done = run("check", "--config", path)
    assert done.returncode == 3 and "ok    http " in done.stdout
    assert done.stdout.startswith(f"FOUND {path}:5: 'rate' in [http] has no effect any more; remove it\n")


def test_a_file_that_is_missing_is_told_with_what_to_write(run, tmp_path):
    done = run("run", "--config", tmp_path / "none.conf")
    assert done.returncode == 1
    assert "there is no such file; write [mqtt] and a broker into it" in done.stderr


def test_a_check_shows_the_topics(run, configured):
    done = run("check", "--config", configured("[mqtt]\nbroker = box\nname = hall\ngroup = all\n"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "box:1883, no TLS" in done.stdout
    assert "clocksmith/clock/hall/command, clocksmith/group/all/command" in done.stdout
    assert "homeassistant/device/clocksmith_hall/config" in done.stdout


@pytest.mark.parametrize("section", [
    "[mqtt]\nbroker = box\ntls = yes\n",
    "[apns]\ntopic = a.b\nkey_id = ABCDEFGHIJ\nteam = ABCDEFGHIJ\n",
], ids=["mqtt", "apns"])
def test_a_check_loads_certificates_and_keys(run, configured, tmp_path, section):
    make_certificate(tmp_path, "own")
    make_certificate(tmp_path, "other")
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-out", tmp_path / "rsa.key"], check=True,
        capture_output=True)

    def check(files):
        return run("check", "--config", configured(section + files.format(folder=tmp_path) + "\n"))
    for files, told in [
            ("authority = /etc/passwd", "FOUND /etc/passwd: it holds no certificate that can be read"),
            ("certificate = /etc/passwd\nkey = {folder}/own.key",
             "FOUND /etc/passwd: it is no certificate in PEM form"),
            ("certificate = {folder}/own.crt\nkey = /etc/passwd", "FOUND /etc/passwd: it is no key in PEM"),
            ("certificate = {folder}/own.crt\nkey = {folder}/other.key", "none for the certificate"),
            ("certificate = {folder}/own.crt\nkey = {folder}/rsa.key", "none for the certificate")]:
        done = check(files)
        assert done.returncode == 3 and told in done.stdout, done.stdout
    done = check("certificate = {folder}/own.crt\nkey = {folder}/own.key")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("section", [
    "[mqtt]\nbroker = box\ntls = yes\n", "[apns]\ntopic = a.b\n",
    "[http]\ntoken_file = {folder}/token\n",
], ids=["mqtt", "apns", "http"])
@pytest.mark.parametrize("begins, ends, is_valid", [(-9, -2, False), (5, 90, False), (-9, 9, True)],
                         ids=["expired", "not yet valid", "valid"])
def test_a_check_tells_of_a_certificate_that_is_not_valid(
        run, configured, tmp_path, section, begins, ends, is_valid):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    begins, ends = (time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * 86_400))
                    for days in (begins, ends))
    certificate, key = make_dated_certificate(
        tmp_path, "own", *(f"{day.replace('-', '')}120000Z" for day in (begins, ends)))
    done = run("check", "--config", configured(
        f"{section.format(folder=tmp_path)}certificate = {certificate}\nkey = {key}\n"))
    assert done.returncode == (0 if is_valid else 3), done.stdout
    told = f"ok    certificate   {certificate}" if is_valid else (
        f"FOUND {certificate}: this certificate is valid only from {begins} to {ends}; renew it")
    assert told in done.stdout


def test_the_docs_have_every_key():
    source = (ROOT / "Sources/Relay/RelayConfiguration.swift").read_text()
    keys = re.findall(r'^    "(\w+)": ', source, re.MULTILINE)
    assert len(keys) > 8
    text = "".join((ROOT / f"docs/{page}.md").read_text() for page in ("home-assistant", "programmers", "phone"))
    for key in keys:
        assert re.search(rf"^ +;?{key} = ", text, re.MULTILINE), key


def test_the_docs_have_every_key_of_the_state():
    api = json.loads((ROOT / "docs/clocksmith-relay.openapi.json").read_text())
    text = (ROOT / "docs/programmers.md").read_text()
    [row] = re.findall(r"^\| `clocksmith/[^`]*/state` \|(.*)", text, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", row)) == sorted(
        api["components"]["schemas"]["State"]["properties"])


def test_the_docs_have_every_command():
    section = (ROOT / "docs/programmers.md").read_text().split("| `command` | with |")[1].split("\n\n")[0]
    listed = [word for row in section.splitlines()[2:]
              for word in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(listed) == sorted(parts.described_commands())
