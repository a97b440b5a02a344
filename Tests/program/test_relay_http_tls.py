"""The HTTP door for apps with a certificate."""

import functools
import signal
import ssl
import subprocess

import pytest

from http_door import refused
from pretended_apns import make_certificate
from relay import RELAY
from sound_server import wait_until


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
    assert "valid only from" in running.wait_for("so it is refused")
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
    running.process.send_signal(signal.SIGHUP)
    running.wait_until_open()


def test_a_renewed_certificate_is_served_without_a_reload(door, tmp_path):
    certificate, key = make_certificate(tmp_path)
    running = door(section(certificate, key)).wait_until_open()
    for number in range(2):
        newer = make_certificate(tmp_path, f"newer-{number}")
        for old, new in zip((certificate, key), newer):
            # As by a tool that replaces the file, and one that writes into it.
            if number:
                old.write_bytes(new.read_bytes())
            else:
                new.rename(old)

        def is_served():
            try:
                return running.state(authority=certificate).status == 503
            except OSError:
                return False
        wait_until(is_served, 60, "the newer certificate")
    assert not running.matching("is put right")


@pytest.mark.parametrize("days, is_told", [(19, True), (21, False)])
def test_a_certificate_that_ends_soon_is_told_of(door, tmp_path, days, is_told):
    certificate, key = make_certificate(tmp_path, days=days)
    running = door(section(certificate, key)).wait_until_open()
    assert running.state(authority=certificate).status == 503
    assert bool(running.matching("this certificate ends on 20")) is is_told
    done = subprocess.run(
        [RELAY, "check", "--config", running.configuration], capture_output=True, text=True,
        check=False, timeout=60)
    assert (done.returncode, "this certificate ends on 20" in done.stdout) == (3 * is_told, is_told)


# What `check` finds.
