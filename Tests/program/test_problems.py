"""What needs a person: the problems that `status` lists, and that Home Assistant's Problem is on for."""

import json

from one_minute import NO_SPEAKER, engaged_device
from program import zone_showing
from sound_server import wait_until


def test_a_speaker_that_cannot_be_had_is_a_problem_until_it_plays(on_the_bus, bus, start, tmp_path):
    # The quarter comes in ten seconds.
    on_the_bus.environment = on_the_bus.environment | {
        "TZ": zone_showing(on_the_bus, 3 * 3600 + 14 * 60 + 50)}
    engaged = tmp_path / "engaged"
    engaged.touch()
    service = start("interval = 15", alsa=NO_SPEAKER + engaged_device(tmp_path, engaged))

    def problems():
        with bus.caller() as caller:
            told = caller.get("Problems")
        listed = json.loads(on_the_bus.run("status", "--json").stdout).get("problems", [])
        return [each for each in told if each in listed and "cannot sound yet" in each]

    assert not problems()
    wait_until(problems, 60, "a problem")
    assert "03:15:00 cannot sound yet, trying again: " in problems()[0]
    assert "another program is using it" in problems()[0]
    engaged.unlink()
    service.wait_for('said "three fifteen A M"')
    wait_until(lambda: not problems(), 20, "the problem to be over")


def test_a_clock_without_a_zone_is_a_problem_with_what_to_do(clocksmith):
    done = clocksmith.run(
        "status", "--json", "--config", clocksmith.configuration(rest="[clock]\nzone = unset"))
    assert json.loads(done.stdout)["problems"][0] == (
        "the clock has no zone, so no time is said and no alarm rings; set the zone, and take "
        "'zone = unset' out of [clock]")
