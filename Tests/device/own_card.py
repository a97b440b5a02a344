"""A copy of the card. Tests write its boot partition as a PC would."""

import contextlib
import shutil
import subprocess

import pytest


@contextlib.contextmanager
def own_card_of(card, folder):
    """Gives the folder of the copy, and removes it afterwards."""
    if not shutil.which("mcopy"):
        pytest.skip("mtools is missing: run 'sudo apt-get install mtools'")
    own = folder / "card"
    own.mkdir()
    try:
        subprocess.run(["cp", "--sparse=always", card / "card.img", own / "card.img"], check=True)
        for other in card.iterdir():
            if other.name != "card.img":
                (own / other.name).symlink_to(other)
        yield own
    finally:
        shutil.rmtree(own)


def boot_partition(own, *command):
    """Runs a command of mtools on the boot partition, which begins at 4 MiB."""
    subprocess.run([command[0], "-i", f"{own / 'card.img'}@@4M", *command[1:]], check=True)


def write_settings(own, text):
    (own / "clocksmith.txt").write_bytes(text.encode())
    boot_partition(own, "mcopy", "-o", own / "clocksmith.txt", "::clocksmith.txt")
