"""The HTTP door for apps with a certificate."""

import functools
import signal
import ssl

import pytest

from http_door import refused
from pretended_apns import make_certificate


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
    running.process.send_signal(signal.SIGHUP)
    running.wait_until_open()


# What `check` finds.
