"""The page is for everybody: forced colours, large letters, low screens, fingers, and a page that stands still."""

import re

import pytest
from test_face import CONTRAST
from test_pictures import SYNCHRONISED

from c_library import shared_library

READY = {"clock": ("bread", "#soon"), "alarms": ("bread", "#timer-list"), "settings": ("Time zone", "#settings")}
STYLES = """const [selector, name, pseudo = null] = arguments;
return [...document.querySelectorAll(selector)].map((each) => getComputedStyle(each, pseudo)[name]);"""
# What is folded, and the days of a new alarm.
UNFOLD = """for (const each of document.querySelectorAll('details')) each.open = true;
const kind = document.querySelector('#new-alarm [value=days]')?.parentElement;
if (kind) { kind.value = 'days'; kind.dispatchEvent(new Event('change', {bubbles: true})); }"""
# A box has its label as a target, too, if the label is around it.
LOW = """
const low = [];
for (const each of document.querySelectorAll('a, button, input, select, summary')) {
  if (!each.checkVisibility() || getComputedStyle(each).display === 'inline') continue;
  const own = each.getBoundingClientRect();
  const around = [...each.labels ?? []].map((label) => label.getBoundingClientRect()).filter((label) =>
    label.top <= own.top && label.bottom >= own.bottom && label.left <= own.left && label.right >= own.right);
  const height = Math.max(own.height, ...around.map((label) => label.height));
  if (height < 43.9) low.push([each.ariaLabel ?? each.textContent, each.id, height]);
}
return low;
"""
SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => { for (const {value, sources} of list.getEntries())
  shifts.push([value, ...sources.map(({node}) => node?.id || node?.className || node?.nodeName)]);
}).observe({type: 'layout-shift', buffered: true});
// "Asking the clock" comes after two seconds. A busy machine takes longer to answer.
addEventListener('animationstart', ({target}) => {
  for (const each of target.getAnimations()) each.effect.updateTiming({duration: 60_000}); });"""
DRAWN = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"


@pytest.fixture
def busy(on_the_bus, clock, door, bus):
    """The face of a clock that the network keeps right, with two timers and an alarm: its door."""
    on_the_bus.environment["LD_PRELOAD"] = str(shared_library(on_the_bus.folder / "right.so", SYNCHRONISED))
    clock()
    del on_the_bus.environment["LD_PRELOAD"]
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=900, name="tea")
        caller.ask("StartTimer", seconds=5400, name="bread")
        caller.ask("SetAlarm", time="22:30", days="mon-sun", name="school")
    return door("face = yes").wait_for_announcer()


def unfold(page, view):
    page.open(view).wait_for(*READY[view]).run(UNFOLD)
    return page


def test_with_forced_colours_what_is_marked_stays_marked(paired, busy, bus):
    page = paired(busy)
    page.tell("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    unfold(page, "clock").wait(lambda: page.all(".key"), "the day")
    assert page.run(STYLES, "nav a", "textDecorationLine") == ["underline", "none", "none"]
    swatches = zip(page.run(STYLES, ".key", "backgroundColor", "::before"), page.run(STYLES, ".key", "boxShadow", "::before"))
    assert len(set(swatches)) == 4
    assert page.run(CONTRAST) == []
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=1, name="egg")
    unfold(page, "alarms").wait(lambda: page.all("#timer-list .ringing"), "a timer that rings")
    assert page.run(STYLES, "#timer-list .item", "outlineStyle") == ["solid", "none", "none"]
    # A browser puts a ground of its own behind letters elsewhere.
    own = ".ringed svg, button.main, .message, .days label"
    assert set(page.run(STYLES, own, "forcedColorAdjust")) == {"none"}
    # The knob of a switch, and a day that is chosen.
    assert page.run(STYLES, "[role=switch]", "backgroundColor", "::before") != page.run(
        STYLES, "[role=switch]", "backgroundColor", "::after")
    page.field("Fri", "#new-alarm").click()
    grounds = page.run(STYLES, "#new-alarm .days label", "backgroundColor")
    assert len(set(grounds)) == 2 and grounds.count(grounds[4]) == 1
    assert page.run(CONTRAST) == []


@pytest.mark.parametrize("width, letters", [(390, "32px"), (320, "16px"), (320, "32px")])
def test_nothing_scrolls_sideways(paired, busy, width, letters):
    page = paired(busy)
    page.size(width, 844)
    # The widest time.
    page.change("/v1/time", 'answer.instant = "2027-01-12T22:58:59.000Z"; answer.local = "2027-01-12T22:58:59+00:00"')
    for view in READY:
        unfold(page, view).run("document.documentElement.style.fontSize = arguments[0]", letters)
        if view == "settings":
            page.press("Add a time", "#settings")
        wide = page.run("""return [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
            && each.getBoundingClientRect().right > arguments[0] && !each.closest('.scroll'))
            .map((each) => `${each.nodeName} ${each.id} ${each.className}`)""", width)
        assert page.run("return document.documentElement.scrollWidth") <= width, (view, wide)


def test_the_hours_of_a_narrow_strip_do_not_overlap(paired, busy):
    page = paired(busy, width=320)
    page.wait(lambda: page.all(".hours span"), "the day")
    places = page.run("""return [...document.querySelectorAll('.hours span')].filter((each) => each.textContent
        && getComputedStyle(each).visibility === 'visible').map((each) => {
          const range = document.createRange();
          range.selectNodeContents(each);
          const {left, right} = range.getBoundingClientRect();
          return [left, right];
        })""")
    assert len(places) == 2 and places[0][1] < places[1][0]


@pytest.mark.parametrize("width, height", [(844, 390), (720, 450), (568, 320)])
def test_a_low_screen_shows_the_time_first_beside_the_dial(paired, busy, width, height):
    page = paired(busy)
    page.size(width, height)
    page.open().wait_for("PM" if "PM" in page.text("#time") else ":", "#time").wait_for("bread", "#soon")
    time, dial = page.run("""return ['#time', '#dial'].map((each) =>
        document.querySelector(each).getBoundingClientRect().toJSON())""")
    assert 0 < time["top"] < time["bottom"] < height and dial["bottom"] < height
    assert dial["right"] < time["left"] and time["right"] <= width


def test_what_is_pressed_is_as_high_as_a_finger(paired, busy):
    page = paired(busy)
    for view in READY:
        unfold(page, view)
        if view == "settings":
            page.press("Add a time", "#settings").press("Save: Quiet hours").message("Quiet hours is saved.")
            page.wait(lambda: page.all("button.quiet"), "the way back")
        assert page.run(LOW) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_old_can_be_read(paired, clock, door, scheme):
    service = clock()
    page = paired(door("face = yes").wait_for_announcer()).prefer(color_scheme=scheme).wait_for("Next", "#next")
    page.wait(lambda: page.all(".entry"), "the day")
    fresh = page.run(STYLES, "#next", "color")
    assert service.stop() == 0
    page.wait(lambda: page.all(".stale"), "what is old")
    page.run(DRAWN)
    assert page.run(STYLES, "#next", "color") != fresh
    assert set(page.run(STYLES, ".cards, .level, .next, .trust, .soon", "opacity")) == {"1"}
    assert page.run(CONTRAST) == []


@pytest.mark.parametrize("width, height", [(390, 844), (1280, 800)])
def test_the_page_stands_still_while_it_loads(paired, busy, width, height):
    page = paired(busy)
    page.size(width, height)
    page.begin_with(SHIFTS)
    for view in READY:
        page.open(view).wait_for(*READY[view])
        page.wait(lambda: page.run("return document.querySelector('.entry.will')"), "the day")
        page.run(DRAWN)
        shifts = page.run("return shifts")
        assert sum(each[0] for each in shifts) <= 0.05, (view, shifts)


def test_what_is_seen_on_a_button_is_in_its_name(paired, busy):
    page = paired(busy, "settings").wait_for(*READY["settings"])
    page.wait(lambda: page.run("return document.querySelectorAll('#alarm-items button').length"), "the alarm")
    names = page.run("""return [...document.querySelectorAll('button[aria-label]')].map((each) => [each.textContent, each.ariaLabel])""")
    assert len(names) > 30
    assert not [(seen, name) for seen, name in names if not re.search(rf"(?<!\w){re.escape(seen)}(?!\w)", name, re.I)]


def test_focus_stays_at_a_choice_that_is_taken_back_and_a_mute_is_told_once(paired, busy):
    page = paired(busy, "settings").wait_for("Chime at the hour", "#settings")
    page.write("Chime at the hour", "cuckoo")
    page.message("Chime at the hour is saved.").wait_for("set here", "#settings")
    page.run("""const back = document.querySelector('[data-key="announce.chime"]').form.querySelector('.quiet');
        back.focus();
        back.click();""")
    page.message("Chime at the hour is back").wait(
        lambda: page.run("return document.activeElement.dataset.key") == "announce.chime", "the focus")
    page.open().press("Mute").press("Mute until I unmute").message("Muted until you unmute it.")
    page.wait_for("Muted until you unmute it.", "#health").run(DRAWN)
    assert not any("silent now" in each for each in page.run("return told"))
