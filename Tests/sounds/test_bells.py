"""The strikes that ship match the measured bells, by analysis of the files alone.

The script that computes them takes no part in that; it only has to make the same samples again.
"""


import numpy as np
import pytest
import soundfile

import bell_checks as checks
import bell_partials
import bell_tunes
from bell_table import BELLS, OTHER_SOUNDS, Recordings, read_table
from made_again import made, step_of_difference
from sound_level import RATE, decibels

SHIPPED = Recordings()
TABLE = read_table()
TUNES = checks.tunes()
# The number of partials of each scaled bell that die within the hammer's noise; a measured bell has none.
MASKED = {"B4": 1, "C#5": 2, "D#5": 3, "E5": 3, "ship": 7}

every_bell = pytest.mark.parametrize("name", TABLE)


def test_the_table_has_the_bells_of_the_tunes():
    assert {"E3", "B3", "E4", "F#4", "G#4", "A4", "B4", "C#5", "D#5", "E5", "ship"} == TABLE.keys()


@pytest.mark.parametrize(("name", "count", "sums"), [
    ("E3", 41, (54399.63, 491.60, -563.90)), ("B3", 16, (15835.91, 245.10, -318.00)),
    ("E4", 20, (25173.40, 150.30, -318.90)), ("F#4", 16, (20988.38, 103.60, -250.10)),
    ("G#4", 16, (21559.38, 98.30, -239.00))])
def test_no_measured_figure_has_changed(name, count, sums):
    """The sums of all measured frequencies, decays and levels: no adjustment may change them."""
    assert len(TABLE[name].partials) == count
    assert [sum(column) for column in zip(*TABLE[name].partials)] == pytest.approx(sums, abs=0.004)


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


def test_only_partials_of_scaled_bells_die_in_the_hammers_noise():
    masked = {name: sum(checks.is_masked(*partial[1:]) for partial in bell.partials) for name, bell in TABLE.items()}
    assert {name: count for name, count in masked.items() if count} == MASKED


@pytest.mark.parametrize("take", range(TABLE["E3"].take_count))
@pytest.mark.parametrize("check", [checks.great_bell_decay, checks.great_bell_centroid],
                         ids=lambda check: check.__name__)
def test_the_whole_of_the_great_bell_is_as_measured(check, take):
    assert list(check(SHIPPED.samples["E3"][take])) == []


@every_bell
@pytest.mark.parametrize("check", [checks.attack, checks.tails, checks.differing], ids=lambda check: check.__name__)
def test_strikes_hold(check, name):
    assert list(check(TABLE[name], SHIPPED.samples[name])) == []


@pytest.mark.parametrize("name", [*TABLE, *OTHER_SOUNDS])
def test_no_sound_clicks_at_its_ends(name):
    assert list(checks.ends(name, SHIPPED.samples[name])) == []


def test_the_hammer_is_heard_where_there_are_no_partials():
    assert list(checks.hammer_noise(TABLE["E3"], SHIPPED.samples["E3"])) == []


def test_the_quarter_bells_stand_to_each_other_as_measured():
    found = {}
    for name in checks.QUARTER_LEVELS:
        hertz, t60, _ = max(TABLE[name].partials, key=lambda partial: partial[2])
        others = [partial[:2] for partial in TABLE[name].partials if abs(partial[0] - hertz) < 2 * bell_partials.NEAR]
        fitted = bell_partials.fit([take[:-3 * RATE] for take in SHIPPED.samples[name]], others)
        found[name] = decibels(fitted[others.index((hertz, t60)), 2:]).mean()
    assert list(checks.quarter_levels(found)) == []


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


def equal_temperament(note):
    """Hz of a note in scientific pitch, A4 at 440 Hz."""
    semitones = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}[note[0]] + note.count("#")
    return 440 * 2 ** (semitones / 12 + int(note[-1]) - 4)


# A measured bell, and one that is scaled.
@pytest.mark.parametrize("name", ["F#4", "E5"])
def test_concert_bells_are_made_with_their_strike_notes(tmp_path, name):
    file, _ = made(tmp_path, name, "--tuning", "concert")
    heard = [checks.strongest_hertz(samples[RATE // 2:]) for samples in (SHIPPED.samples[name][0], soundfile.read(file)[0])]
    assert heard[1] / heard[0] == pytest.approx(TABLE[name].concert / TABLE[name].strike, rel=2e-4)


def test_quarter_bells_of_the_clock_are_45_to_85_cents_sharp():
    cents = [1200 * np.log2(TABLE[name].strike / equal_temperament(name)) for name in checks.QUARTER_LEVELS]
    assert 44 <= min(cents) and max(cents) <= 85.5
