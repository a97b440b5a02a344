"""What the page shows is so: over changes of the zone, sleep, odd days, many tabs, and proxies."""

import datetime
import zoneinfo

import pytest
from proxy import Proxy
from test_face import is_right, shown

SHIFT = """window.shift = {date: 0, since: 0};
for (const [clock, key] of [[Date, 'date'], [performance, 'since']]) {
  const now = clock.now.bind(clock);
  clock.now = () => now() + shift[key];
}"""
TIMES = "#next, #trust, #alarm-items, #day .legend, #day .hours, #day .entry"


def set_zone(served, zone):
    assert served.order({"command": "setting", "key": "clock.zone", "value": zone}).status == 200


@pytest.fixture
def proxy(served):
    started = []

    def proxy(*words, **options):
        started.append(Proxy(served, *words, **options))
        return started[-1]

    yield proxy
    for each in started:
        each.close()


def test_another_zone_changes_every_time_that_is_shown(phone, served, bus):
    with bus.caller() as caller:
        caller.ask("SetAlarm", time="07:00", name="school")
    page = phone(served).wait_for("Next", "#next")

    def times():
        return page.run("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", TIMES)

    for zone in ("Asia/Tokyo", "America/New_York", "Asia/Kolkata"):
        before = times()
        set_zone(served, zone)
        now = datetime.datetime.now(zoneinfo.ZoneInfo(zone))
        page.wait(lambda: abs((shown(page) or 0) - now.hour * 3600 - now.minute * 60) < 120, "the time there")
        page.wait(lambda: page.run("return document.querySelector('#health').textContent").count(zone), "its name")
        page.wait(lambda: times()[0] != before[0], "another next")
        page.wait(lambda: page.text("#day .entry.will .what").split("\n")[0] in page.text("#next"), "the new agenda")
        # As for somebody who comes now.
        after = times()
        page.open().wait(lambda: times() == after, "the same times")


def test_without_a_zone_no_time_is_shown(phone, unset):
    page = phone(unset).wait_for("The time zone is not set", "#trust")
    page.wait_for("once the time zone is set", "#day")
    assert page.text("#time") == "–:––" and not page.text("#date") and not page.all("#day .hours")
    assert "The time is right" not in page.text() and ":" not in page.text("#next").removeprefix("Next:")
    set_zone(unset, "Europe/London")
    page.wait(lambda: is_right(page), "the time")
    page.wait(lambda: page.all("#day .hours"), "the day")


def test_without_a_zone_and_without_javascript_no_time_is_shown(phone, unset):
    page = phone(unset)
    if not page.run("return fetch('/v1/state').then((answer) => answer.json()).then((state) => state.problem_keys)"):
        pytest.skip("this clock does not tell the keys of its problems")
    page.tell("Emulation.setScriptExecutionDisabled", value=True)
    page.open()
    assert page.text("#time") == "–:––" and not page.text("#next") and page.text("#trust") == "the clock has no time zone"


@pytest.mark.parametrize("which, by", [("since", -3_600_000), ("date", 3_600_000), ("since", 3_600_000)])
def test_a_page_that_has_slept_shows_no_time_until_it_has_asked(phone, served, which, by):
    page = phone(served)
    page.begin_with(SHIFT)
    page.open().wait(lambda: is_right(page), "the time")
    page.block("*/v1/time*")
    page.run(f"shift.{which} += {by}")
    page.wait(lambda: page.text("#time") == "–:––", "no time", 3)
    page.block()
    page.open().wait(lambda: is_right(page), "the time")
    # A timer is not longer than it is, either.
    page.run(f"shift.{which} += {by}")
    page.wait(lambda: is_right(page), "the time", 5)


@pytest.mark.parametrize("zone, day, first", [
    ("America/Santiago", "2026-09-06", "01:00"), ("Africa/Cairo", "2027-04-30", "01:00"), ("Asia/Beirut", "2027-03-28", "01:00"),
    ("America/Havana", "2027-03-14", "01:00"), ("Atlantic/Azores", "2027-03-28", "01:00"), ("America/Havana", "2027-11-07", "00:00"),
    ("Atlantic/Azores", "2027-10-31", "00:00"), ("Asia/Beirut", "2027-10-31", "00:00"), ("Europe/London", "2027-03-28", "00:00")])
def test_a_day_begins_with_its_first_instant(phone, clock, door, zone, day, first):
    clock("interval = 30\nclock = 24\nquiet = 22:00-07:00")
    page = phone(door("face = yes").wait_for_announcer())
    noon = datetime.datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=zoneinfo.ZoneInfo(zone))
    page.change("/v1/time", f"""answer.instant = "{noon.astimezone(datetime.UTC).isoformat()[:19]}.000Z";
        answer.local = "{noon.isoformat()}"; answer.zone = "{zone}";""")
    page.open().wait(lambda: page.all("#day .hours span"), "the day")
    date = f"{noon:%A} {noon.day} {noon:%B}"
    page.wait(lambda: page.text("#day .legend").startswith(date) and page.text("#date") == date, f"the day {date}")
    page.wait(lambda: page.run("return document.querySelector('.hours span').textContent") == first, f"from {first}")
    # The quiet hours end at seven, wherever that is in the day.
    begin = noon - datetime.timedelta(hours=12 if first == "00:00" else 11)
    bar = page.run("const {x, width} = document.querySelector('.strip .night'); return x.baseVal.value + width.baseVal.value")
    seven = datetime.datetime.fromisoformat(f"{day}T07:00").replace(tzinfo=zoneinfo.ZoneInfo(zone))
    assert abs(bar / 60 - (seven.timestamp() - begin.timestamp()) / 3600) < 0.6


def test_a_page_from_before_an_upgrade_loads_itself_anew_unless_somebody_writes(phone, served):
    page = phone(served)
    page.begin_with(SHIFT)
    page.open("alarms").wait_for("Start the timer")
    version = "return document.documentElement.dataset.version"
    asked = "return performance.getEntriesByType('resource').filter(({name}) => name.endsWith('/v1/pair')).length"
    page.write("Name, if you like", "tea", "#timers")
    before = page.run(asked)
    # It is asked for the pairing at each new contact. The focus is elsewhere by then.
    page.run("""
        document.activeElement.blur();
        document.documentElement.dataset.version = "before";
        document.dispatchEvent(new Event("visibilitychange"));""")
    page.wait(lambda: page.run(asked) > before, "the question")
    assert page.run(version) == "before" and page.field("Name, if you like", "#timers").get_attribute("value") == "tea"
    page.run("shift.date += 7e5; shift.since += 7e5; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait(lambda: page.run(version) != "before", "the new page")


def test_seven_tabs_work(phone, served):
    page = phone(served)
    page.wait(lambda: is_right(page), "the time")
    first = page.driver.current_window_handle
    try:
        for _ in range(6):
            page.driver.switch_to.new_window("tab")
            page.open().wait(lambda: is_right(page), "the time")
        page.driver.switch_to.window(first)
        page.wait(lambda: is_right(page), "the time")
    finally:
        for each in page.driver.window_handles:
            if each != first:
                page.driver.switch_to.window(each)
                page.driver.close()
        page.driver.switch_to.window(first)


def test_offline_and_online_do_not_end_a_stream_that_lives(phone, served):
    page = phone(served)
    page.wait(lambda: is_right(page), "the time")
    page.run("""window.asked = 0;
        const fetch = window.fetch;
        window.fetch = (path, ...words) => { asked += path.endsWith("events"); return fetch(path, ...words); };
        dispatchEvent(new Event('offline'));""")
    assert is_right(page) and not page.text("#contact")
    page.run("dispatchEvent(new Event('online'))")
    assert is_right(page) and page.run("return asked") == 0


def test_a_stream_that_is_refused_is_told_in_the_words_of_the_relay(phone, served):
    page = phone(served)
    page.begin_with("""{
        const fetch = window.fetch;
        const full = {reason: "full", error: "the page of this clock is open too often; close it elsewhere"};
        window.fetch = (path, ...words) =>
          path.endsWith("/v1/events") ? Promise.resolve(Response.json(full, {status: 503})) : fetch(path, ...words);
    }""")
    page.open().wait_for("The page of this clock is open too often; close it elsewhere.", "#contact")


def test_a_phone_whose_pairing_is_not_known_now_is_not_asked_to_pair(paired, served):
    page = paired(served)
    page.block("*/v1/pair*")
    page.open().press("Say the time").message("The clock cannot be reached.")
    assert not page.find("#pairing").is_displayed()
    page.block()
    page.hears_the_time()


def test_it_works_below_a_path(phone, proxy):
    page = phone(proxy("/clock/"))
    page.wait(lambda: is_right(page), "the time")
    page.wait_for("Next", "#next")
    assert page.run("return getComputedStyle(document.querySelector('.card')).borderRadius") == "18px"
    found = page.run("""const at = (rel) => document.querySelector(`link[rel=${rel}]`).href;
        return fetch(at('manifest')).then((answer) => answer.json()).then((manifest) => [at('icon'),
          ...[manifest.start_url, manifest.scope, manifest.icons[0].src].map((each) => new URL(each, at('manifest')).href)])""")
    assert all(each.startswith(page.running.address) for each in found)


def test_a_proxy_that_holds_back_events_is_named(phone, proxy):
    phone(proxy(holds_events=True)).wait_for("a proxy on the way holds back", "#contact", 40)


def test_what_is_translated_is_not_written_again_and_names_are_left_alone(phone, served, bus):
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=900, name="tea")
    page = phone(served)
    page.begin_with("const now = Date.now; Date.now = () => now() + 3600000;")
    page.open().wait_for("This phone's own clock", "#contact").wait_for("tea", "#soon")
    page.run("document.querySelector('#contact').innerHTML = '<font>Die Uhr des Telefons geht vor.</font>'")
    second = shown(page)
    page.wait(lambda: (shown(page) or 0) > second + 6, "some seconds")
    assert page.text("#contact") == "Die Uhr des Telefons geht vor."
    kept = page.run("""return ['h1', '#time .digits', '#next strong', '#soon .name', '#soon .digits', '.hours span']
        .filter((each) => document.querySelector(each).translate)""")
    assert kept == []
    page.open("settings").wait_for("Voice", "#settings")
    assert not page.run("return [...document.querySelectorAll('#settings option')].some((each) => each.value === each.text && each.translate)")


def test_the_other_clocks_of_the_network_are_links(phone, served):
    page = phone(served)
    page.change("/v1/clocks", 'answer.clocks = [{name: "shed", url: "http://shed.local/"}]')
    page.open().wait_for("shed", "#health")
    links = page.run("return [...document.querySelectorAll('#health a')].map(({href}) => href)")
    assert links == ["http://shed.local/"]
