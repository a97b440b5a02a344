"""The strikes that ship match the measured bells, by analysis of the files alone.

The script that computes them takes no part in that; it only has to make the same samples again.
"""


import numpy as np
import pytest
import soundfile

import bell_checks as checks
import bell_tunes
from bell_table import BELLS, OTHER_SOUNDS, Recordings, read_table
from made_again import made, step_of_difference
from sound_level import RATE

SHIPPED = Recordings()
TABLE = read_table()
TUNES = checks.tunes()

every_bell = pytest.mark.parametrize("name", TABLE)


@pytest.mark.parametrize(("tune", "part", "notes"), [
    *[("westminster", part, bell_tunes.quarter(name)) for name, (part, _) in bell_tunes.QUARTERS.items()],
    *[(tune, "hour", bell_tunes.ring(tune)) for tune in bell_tunes.RINGS],
    ("pips", "hour", bell_tunes.pips())])
def test_the_tunes_that_ship_have_the_changes_of_their_clocks(tune, part, notes):
    assert bell_tunes.section(tune, part)["notes"].split()[::2] == [bell for _, bell in notes]


def test_what_the_table_lists_ships_and_nothing_else():
    listed = {file for bell in TABLE.values() for file in bell.file_names()} | {f"{name}.flac" for name in OTHER_SOUNDS}
    assert {file.name for file in BELLS.glob("*.flac")} == listed
    assert (BELLS / "LICENCE").read_text().strip()


def test_files_are_mono_16_bit_flac_at_48_khz():
    assert list(checks.formats(SHIPPED)) == []


@every_bell
def test_every_partial_is_there_with_its_frequency_decay_and_level(name):
    assert list(checks.partials(TABLE[name], SHIPPED.samples[name])) == []


@every_bell
def test_no_strike_is_cut_off(name):
    assert list(checks.tails(TABLE[name], SHIPPED.samples[name])) == []


@pytest.mark.parametrize("name", [*TABLE, *OTHER_SOUNDS])
def test_no_sound_clicks_at_its_ends(name):
    assert list(checks.ends(name, SHIPPED.samples[name])) == []


@pytest.mark.parametrize("name", TUNES)
def test_tunes_have_their_loudness_and_room_for_their_peaks(name):
    assert list(checks.loudness(name, TUNES[name], SHIPPED.samples)) == []


@pytest.mark.parametrize(("name", "seconds"), [("pip", 0.1), ("pip-long", 0.5)])
def test_pips_are_as_broadcast(name, seconds):
    assert list(checks.pip(SHIPPED.samples[name][0], seconds)) == []
    assert np.abs(SHIPPED.samples[name][0]).max() == np.abs(SHIPPED.samples["pip"][0]).max()


def test_the_cuckoo_falls_by_a_third():
    assert list(checks.cuckoo(SHIPPED.samples["cuckoo"][0])) == []


# ---- Made again ------------------------------------------------------------------


def test_the_script_makes_the_samples_that_ship_again(tmp_path):
    files = made(tmp_path, "ship", "F#4", *OTHER_SOUNDS)
    assert {file.name for file in files} == {
        "ship-1.flac", "ship-2.flac", "Fsharp4-1.flac", "Fsharp4-2.flac", "pip.flac", "pip-long.flac", "cuckoo.flac"}
    assert [file.name for file in files if step_of_difference(file, BELLS / file.name) > 1] == []


# A measured bell, and one that is scaled.
@pytest.mark.parametrize("name", ["F#4", "E5"])
def test_concert_bells_are_made_with_their_strike_notes(tmp_path, name):
    file, _ = made(tmp_path, name, "--tuning", "concert")
    heard = [checks.strongest_hertz(samples[RATE // 2:]) for samples in (SHIPPED.samples[name][0], soundfile.read(file)[0])]
    assert heard[1] / heard[0] == pytest.approx(TABLE[name].concert / TABLE[name].strike, rel=2e-4)
