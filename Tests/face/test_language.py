"""The page in the language of the browser: words, dates and times."""

import datetime
import re
import zoneinfo

import pytest

LONDON = zoneinfo.ZoneInfo("Europe/London")
DAYS = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
MONTHS = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
          "Dezember"]


def prefer(page, *languages):
    page.begin_with(f"Object.defineProperty(navigator, 'languages', {{get: () => {list(languages)}}});")
    return page


def in_german(hours, page):
    now = datetime.datetime.now(LONDON)
    time = f"{now.hour:02}:{now:%M}" if hours == "24" else f"{now.hour % 12 or 12}:{now:%M}"
    date = f"{DAYS[now.weekday()]}, {now.day}. {MONTHS[now.month - 1]}"
    return page.text("#time .digits") == time and page.text("#date") == date


@pytest.mark.parametrize("hours", ["12", "24"])
def test_a_german_phone_has_german_dates_and_the_hours_of_the_clock(phone, clock, door, hours):
    clock(f"interval = 30\nclock = {hours}")
    page = prefer(phone(door("face = yes").wait_for_announcer()), "de-CH", "en-GB").open()
    page.wait_for("Als Nächstes", "#next").wait(lambda: in_german(hours, page), "the date and the time")
    assert bool(re.search(r"[AP]M", page.text("#time"))) == (hours == "12")
    assert page.run("return document.documentElement.lang") == "de"
    assert page.button("Uhrzeit ansagen") and page.button("Ton stoppen")
    spoken = page.wait(lambda: page.all("#next [lang]"), "what is said")[0]
    assert spoken.get_attribute("lang") == "en" and re.fullmatch("„.*“", spoken.text)


def test_a_german_phone_starts_and_stops_a_timer(paired, served):
    page = prefer(paired(served), "de").open("alarms")
    page.press("Timer von 3 min starten").message("Ein Timer von 3 min läuft.").wait_for("von 3 min", "#timer-list")
    name = f"Timer {served.state().body['timers'][0]['number']}"
    page.press(f"{name} anhalten").wait_for("angehalten", "#timer-list").press(f"Weiter: {name}")
    page.press(f"{name} entfernen").message("ist entfernt.").wait_for("Nichts läuft.", "#timers")
    # What the clock says itself is English, and says so.
    page.open("settings").write("Zeitzone", "Europe/Nowhere")
    page.press("Speichern: Zeitzone").wait_for("not in the tz database", "#settings .error")
    assert [each.get_attribute("lang") for each in page.all("#settings .error") if each.text] == ["en"]


def test_the_first_known_language_counts_and_without_its_words_the_page_is_english(phone, served):
    page = prefer(phone(served), "nl-NL", "pt-BR", "de").open()
    page.wait_for("Hoje").wait(lambda: page.run("return document.documentElement.lang") == "pt", "Portuguese")
    page.block("*words-pt.json")
    page.open().wait_for("Today")
    assert page.run("return document.documentElement.lang") == "en"


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "pt"])
def test_each_language_fits_a_narrow_screen(paired, unset, bus, language):
    with bus.caller() as caller:
        caller.ask("StartTimer", seconds=900, name="tea")
        caller.ask("SetAlarm", time="07:00", name="school")
    page = prefer(paired(unset), language)
    page.size(320, 600)
    for name in ("clock", "alarms", "settings"):
        page.open(name).wait_for("Europe/" if name == "settings" else "tea", "main")
        page.run("for (const each of document.querySelectorAll('details')) each.open = true")
        width, used = page.run("return [document.documentElement.scrollWidth, document.documentElement.lang]")
        assert used == language
        assert width <= 320, (name, page.run("""return [...document.querySelectorAll('main *')]
            .filter((each) => each.getBoundingClientRect().right > 320).map((each) => each.outerHTML.slice(0, 120))"""))
