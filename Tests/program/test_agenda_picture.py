"""The picture of the agenda: what it shows, and what it tells those who do not see it."""

import re
import xml.etree.ElementTree

import pytest

from program import refusal

SVG = "{http://www.w3.org/2000/svg}"
QUIET = "interval = 15\nchime = westminster\nquiet = 22:00-06:30"
SCHOOL = "[alarm school]\ntime = 06:45\ndays = mon-fri\n"


@pytest.fixture
def draw(clocksmith, tmp_path):
    """Draws an agenda of London: the picture's elements."""
    def draw(*words):
        path = tmp_path / "week.svg"
        done = clocksmith.run(
            "agenda", "--picture", path, *words, "--zone", "Europe/London",
            "--config", clocksmith.configuration(QUIET, SCHOOL))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert path.stat().st_size < 100_000
        return xml.etree.ElementTree.parse(path).getroot()
    return draw


def described(picture):
    """The description of each day, by the day."""
    return dict(re.findall(r"(\w{3} \d{4}-\d\d-\d\d): (.*?)\.(?= |$)", picture.find(f"{SVG}desc").text))


def all_of(picture, kind, style):
    return [each for each in picture.iter(f"{SVG}{kind}") if each.get("class") == style]


def test_a_day_has_what_sounds_its_quiet_hours_and_its_alarms(draw):
    picture = draw("--from", "2026-11-23T00:00", "--hours", "24h")
    assert picture.get("role") == "img"
    assert picture.find(f"{SVG}title").text == (
        "What sounds from 2026-11-23 00:00 to 2026-11-24 00:00, Europe/London")
    [day] = described(picture).items()
    assert day[0] == "mon 2026-11-23"
    assert day[1].startswith(
        "62 of 96 announcements sound; no announcements 00:00-06:30, 22:00-24:00 (quiet hours); 06:45  alarm")
    # The hours are 44 pixels wide, and the day begins at 116. One rectangle is the legend's.
    quiet = [(float(each.get("x")), float(each.get("width"))) for each in all_of(picture, "rect", "quiet")]
    assert quiet[1:] == [(116, 6.5 * 44), (116 + 22 * 44, 2 * 44)]
    [bells] = all_of(picture, "path", "bells")[1:]
    assert [int(x) for x in re.findall(r"M(\d+)", bells.get("d"))] == [116 + hour * 44 for hour in range(7, 22)]
    [alarm] = picture.iter(f"{SVG}g")
    assert alarm.find(f"{SVG}title").text.startswith('06:45  alarm "school": rings')
    assert '06:45 alarm "school"' in [each.text for each in picture.iter(f"{SVG}text")]


def test_a_week_is_drawn_unless_another_time_is_given(draw):
    days = described(draw("--from", "2026-11-23T00:00"))
    assert [day[:3] for day in days] == ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    assert ["school" in words for words in days.values()] == [True] * 5 + [False] * 2


@pytest.mark.parametrize("words, told", [
    (["--picture", "week.png"], "--picture 'week.png': it is drawn as SVG; give it a name that ends in .svg"),
    (["--picture", "week.svg", "--json"], "--picture and --json exclude each other; give one of them"),
    (["--picture", "week.svg", "--hours", "745"], "--picture draws at most 31 days; choose fewer")])
def test_what_cannot_be_drawn_is_refused(clocksmith, tmp_path, words, told):
    done = clocksmith.run("agenda", *words, "--config", clocksmith.configuration(), cwd=tmp_path)
    assert refusal(done, 2) == f"clocksmith: {told}"
    assert not list(tmp_path.glob("week*"))
