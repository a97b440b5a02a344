"""Rows and fields are what they say, and the set-up is not lost."""

import pytest
from conftest import confirm
from test_contact import set_zone
from test_face import is_right, settings


def test_a_new_timer_has_its_own_name_after_lost_contact(paired, served, door, bus):
    page = paired(served, "alarms")
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=900, name="tea")
        page.wait_for("tea", "#timer-list")
        first = served.state().body["timers"][0]["number"]
        assert served.stop() == 0
        page.wait_for("There is no contact", "#contact")
        caller.ask("CancelTimer", timer=first)
        caller.ask("StartTimer", seconds=600, name="eggs")
        door("face = yes", port=served.port).wait_for_announcer()
        page.wait_for("eggs", "#timer-list")
        assert "tea" not in page.text("#timer-list")
        labels = page.run("return [...document.querySelectorAll('#timer-list button')].map((each) => each.ariaLabel)")
        assert labels and all("eggs" in each for each in labels)
        page.open("clock").wait_for("eggs", "#soon").open("alarms").press("Remove timer eggs")
        page.message("The timer eggs is removed.").wait_for("None runs.", "#timers")


def test_what_has_gone_is_told_by_its_name(paired, served, bus):
    page = paired(served, "alarms")
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=900, name="tea")
        page.wait_for("tea", "#timer-list")
        page.run("window.tea = document.querySelector('[aria-label=\"Remove timer tea\"]')")
        caller.ask("CancelTimer", timer="tea")
    page.wait_for("None runs.", "#timers").run("window.tea.click()")
    page.message("There is no timer tea any more.")


@pytest.mark.parametrize("quiet", ["22:00-00:00", "sat 22:00-24:00,  sun 01:00-02:00"])
@pytest.mark.parametrize("level", ["-12.0dB", "-012dB", "-.5dB"])
def test_an_untouched_field_is_unchanged(paired, clock, door, quiet, level):
    clock(f"interval = 30\nquiet = {quiet}", f"[speaker]\nquieter = 20:00-07:00 {level}\n")
    served = door("face = yes").wait_for_announcer()
    page = paired(served, "settings").wait_for("Quieter at times", "#settings")
    page.wait(lambda: page.find_named("From", "#settings"), "the times")
    assert not page.find_named("Save: Quiet hours") and not page.find_named("Save: Quieter at times")
    # Another phone's change is shown.
    for key, value in ("announce.quiet", "21:00-06:00"), ("speaker.quieter", "21:15-06:00 -3dB"):
        assert served.order({"command": "setting", "key": key, "value": value}).status == 200
    values = "return [...document.querySelectorAll('#settings input[type=time]')].map((each) => each.value)"
    page.wait(lambda: page.run(values) == ["21:00", "06:00", "21:15", "06:00"], "the new times")
    assert not page.find_named("Save: Quiet hours") and not page.find_named("Undo")
    # What somebody is about to change is left alone; what is saved is untouched again.
    page.press("Add a time", "#settings").press("Save: Quiet hours").message("Quiet hours is saved.")
    page.wait(lambda: not page.find_named("Save: Quiet hours"), "the end of the change")
    assert served.order({"command": "setting", "key": "announce.quiet", "value": "none"}).status == 200
    page.wait(lambda: page.run(values) == ["21:15", "06:00"], "no quiet hours")


def test_an_alarm_for_a_file_is_not_made_on_the_page(paired, served):
    page = paired(served, "settings").wait_for("Alarms of the configuration", "main")
    page.wait_for("A new alarm, of one day or of every week, is set under Timers and alarms.")
    assert not page.find_named("Set the alarm") and not page.all("#configured input")


def test_focus_stays_near_a_button_that_goes(paired, served):
    page = paired(served)
    page.press("Mute").press("Mute until I unmute").press("Unmute").wait_for("Not muted.", "#health")
    assert page.run("return document.activeElement.id") == "mute"
    page.open("alarms").press("Start the interval").press("Stop the interval").wait_for("None runs.", "#interval")
    page.wait(lambda: page.run("return document.activeElement.id") == "interval-title", "the focus")


def test_the_set_up_comes_again_until_there_is_a_zone(paired, unset):
    page = paired(unset, zone="Asia/Tokyo").wait_for("Set up this clock", "#setup")
    assert page.run("return document.querySelector('#setup').getBoundingClientRect().top") < 300
    page.press("Later")
    assert not page.find("#setup").is_displayed()
    # Not again in this session, if nobody wants it.
    page.open().wait_for("The time zone is not set", "#trust")
    assert not page.find("#setup").is_displayed()
    page.run("sessionStorage.clear()")
    page.open("alarms").wait_for("Set up this clock", "#setup")
    # Also if something else has been chosen.
    for key, value in ("announce.voice", "heart"), ("switch.line", "none"):
        assert unset.order({"command": "setting", "key": key, "value": value}).status == 200
    page.open().wait_for("Set up this clock", "#setup")
    page.wait(lambda: not page.find_named("Voice", "#setup"), "the zone and the quiet hours alone")
    page.press("Set up the clock", "#setup").message("The clock is set up.")
    assert settings(unset)["clock.zone"] == "Asia/Tokyo"
    page.open().wait_for("The time", "#trust")
    assert not page.find("#setup").is_displayed() and page.text("#time") != "–:––"


@pytest.mark.parametrize("name", ["Etc/Unknown", "UTC", "Etc/GMT+3", ""])
def test_a_zone_that_is_no_place_is_not_proposed(paired, unset, name):
    page = paired(unset)
    page.begin_with(f"""const {{resolvedOptions}} = Intl.DateTimeFormat.prototype;
        Intl.DateTimeFormat.prototype.resolvedOptions = function () {{
          return {{...resolvedOptions.call(this), timeZone: "{name}"}}; }};""")
    page.open().wait_for("Set up this clock", "#setup")
    assert page.field("Time zone", "#setup").get_attribute("value") == ""
    assert "Take this phone's" not in page.run("return document.body.textContent")
    # An empty field is not sent.
    page.press("Set up the clock")
    assert page.run("return document.activeElement.validity.valueMissing")


def test_a_problem_has_the_button_that_mends_it(paired, unset):
    page = paired(unset)
    if not page.run("return fetch('/v1/state').then((answer) => answer.json()).then((state) => state.problem_keys)"):
        pytest.skip("this clock does not tell the keys of its problems")
    page.press("Later").press("Set the time zone", "#problems")
    assert page.run("return document.activeElement.closest('#setup') !== null")
    page.press("Later")
    set_zone(unset, "Europe/London")
    page.wait(lambda: not page.find_named("Set the time zone"), "the end of the problem")


def test_a_speaker_is_heard_without_a_zone(paired, unset):
    page = paired(unset).wait_for("Set up this clock", "#setup")
    page.press("Hear it on the speaker", "#setup").message("The speaker says “")


@pytest.mark.parametrize("face, words", [
    ("yes", "This phone may look. To act, pair it."), ("paired", "This clock shows itself to paired phones only.")])
def test_each_view_of_a_phone_that_is_not_paired_says_so_and_offers_it(phone, clock, door, face, words):
    clock()
    served = door(f"face = {face}").wait_for_announcer()
    page = phone(served)
    for view in ("clock", "alarms", "settings"):
        page.open(view).wait(lambda: page.find("#pair").is_displayed(), "the offer")
        if page.find("#pairing").is_displayed():
            page.press("Not now", "#pairing")
        page.wait_for(words).press("Pair this phone")
        page.press("Not now", "#pairing")
    # A name that was typed is there when the pairing is tried again.
    page.press("Pair this phone").write("Name of this phone", "Anna's phone", "#pairing")
    page.press("Begin", "#pairing").wait(lambda: page.text("#pairing .words"), "the words")
    page.press("Cancel", "#pairing")
    asked = "return fetch('/v1/pair').then((answer) => answer.json()).then(({status}) => status)"
    page.wait(lambda: page.run(asked) == "none", "the end of the pairing")
    page.press("Pair this phone")
    assert page.field("Name of this phone", "#pairing").get_attribute("value") == "Anna's phone"
    page.press("Begin", "#pairing").wait(lambda: page.text("#pairing .words"), "the words")
    confirm(served)
    page.wait(lambda: not page.find("#pair").is_displayed(), "the end of the offer")
    page.open().wait(lambda: is_right(page), "the time")
