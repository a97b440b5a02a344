"""The HTTP door for apps with a certificate, and what `check` says about it."""

import functools
import ssl
import subprocess

import pytest

import relay as parts
from http_door import TOKEN, refused
from pretended_apns import make_certificate
from relay import RELAY


@pytest.fixture
def door(door):
    """Starts a relay without waiting for its door to open."""
    return functools.partial(door, waits=False)


def section(certificate, key):
    return f"certificate = {certificate}\nkey = {key}"


def test_a_clock_with_a_certificate_is_believed(door, tmp_path):
    certificate, key = make_certificate(tmp_path)
    running = door(section(certificate, key)).wait_until_open()
    assert running.matching(f"apps are served at https://127.0.0.1:{running.port}")
    refused(running.state(authority=certificate), 503, "absent")
    refused(running.state(authority=certificate, token="no"), 401, "token")
    # Neither plain HTTP nor a client that trusts another certificate gets in.
    with pytest.raises(OSError):
        running.state()
    other, _ = make_certificate(tmp_path, "other")
    with pytest.raises(ssl.SSLCertVerificationError):
        running.state(authority=other)
    assert not running.matching("PRIVATE KEY")


def test_a_certificate_that_has_expired_is_told_of_and_refused_by_apps(door, tmp_path):
    certificate, key = make_certificate(tmp_path, days=-1)
    running = door(section(certificate, key)).wait_until_open()
    assert "valid only from" in running.wait_for("apps refuse it")
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        running.state(authority=certificate)


def test_a_key_of_another_certificate_opens_no_door_and_ends_nothing_else(door, tmp_path):
    certificate, _ = make_certificate(tmp_path)
    _, key = make_certificate(tmp_path, "other")
    running = door(section(certificate, key))
    told = running.wait_for("apps are not served until that is put right")
    assert "none for the certificate" in told and running.process.poll() is None
    with pytest.raises(ConnectionRefusedError):
        running.state()
    # With the right key, a reload opens the door.
    _, right = make_certificate(tmp_path, "other")
    running.text = running.written(section(tmp_path / "other.crt", right))
    running.configure()
    running.process.send_signal(parts.signal.SIGHUP)
    running.wait_until_open()


# What `check` finds.


@pytest.fixture
def check(on_the_bus, tmp_path):
    parts.need_relay()
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    (tmp_path / "short").write_text("x" * 15)
    make_certificate(tmp_path, days=90)
    make_certificate(tmp_path, "other")

    def check(text, status, environment=None):
        path = tmp_path / "relay.conf"
        path.write_text(text.format(folder=tmp_path))
        done = subprocess.run(
            [RELAY, "check", "--config", path], capture_output=True, text=True,
            env=on_the_bus.environment | (environment or {}), check=False, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr
        assert TOKEN not in done.stdout
        return done.stdout
    return check


TAKEN = "[http]\ntoken_file = {folder}/token\n"


def test_check_tells_where_apps_are_served(check, tmp_path):
    assert check(TAKEN, 0) == (
        "ok    http          http://127.0.0.1:8080\n")
    assert check(TAKEN + "listen = [::]:8443\n"
                 "certificate = {folder}/server.crt\nkey = {folder}/server.key\n", 0) == (
        "ok    http          https://[::]:8443\n"
        f"ok    certificate   {tmp_path}/server.crt\n")
    assert "the token can be read on its way" in check(TAKEN + "listen = 0.0.0.0:8080\n", 0)
    assert check("[http]\nface = yes\nlisten = 0.0.0.0:8080\n", 0) == (
        "ok    http          http://0.0.0.0:8080\n"
        "ok    face          everybody may look, paired phones may act\n"
        "note  http          without TLS, the token, or the cookie of a phone, can be read on its "
        "way through the network\n")
    assert "only paired phones may look" in check("[http]\nface = paired\n", 0)
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "http-token").write_text(TOKEN)
    assert "ok    http" in check(
        "[http]\n", 0, {"CREDENTIALS_DIRECTORY": str(credentials)})


@pytest.mark.parametrize("text, told", [
    ("[http]\n", "[http] has no token: set token_file, or put it into /etc/credstore/"),
    ("[http]\ntoken_file = {folder}/none\n", "none: No such file or directory"),
    ("[http]\ntoken_file = {folder}/server.key\n", "one line is wanted"),
    ("[http]\ntoken_file = token\n", ":2: token_file: allowed: none, or the full path"),
    ("[http]\ntoken_file = {folder}/short\n", "it is no token: 16 to 512 visible characters"),
    *((f"{TAKEN}listen = {address}\n", f"listen = {address}: allowed: ADDRESS:PORT, the port 80 or higher")
      for address in ("8080", ":8080", "127.0.0.1", "0.0.0.0:79", "::1:8080", "[]:8080", "localhost:8080",
                      "256.0.0.1:8080", "127.0.0.1:65536")),
    (TAKEN + "port = 1\n", "unknown key 'port' in [http]; there are certificate, face, key, listen"),
    (TAKEN + "certificate = /c\nkey = /k\n", "cannot read /c"),
    (TAKEN + "certificate = {folder}/token\nkey = {folder}/server.key\n", "no certificate in PEM"),
    (TAKEN + "certificate = {folder}/server.crt\nkey = {folder}/other.key\n",
     "none for the certificate"),
])
def test_check_finds_what_is_wrong(check, text, told):
    found = check(text, 3)
    assert told in found and len(found.splitlines()) == 1
