"""A browser without a screen that looks at the clock, as a person with a phone does."""

import os
import time

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from sound_server import wait_until

DRIVER = "/usr/bin/chromedriver"
# The visible controls of a name within an element.
NAMED = """
const [selector, name, inside] = arguments;
const called = (each) => each.ariaLabel ?? ([...(each.labels ?? [])].map((label) => label.textContent).join(' ').trim() || each.textContent.trim());
return [...document.querySelectorAll(inside)].flatMap((part) => [...part.querySelectorAll(selector)])
  .filter((each) => called(each) === name && each.checkVisibility());
"""
# The relay's refusals, and what a relay that is away causes, stand in the browser's log too.
EXPECTED = ("Failed to load resource",)


def chromium(folder):
    if not os.path.exists(DRIVER):
        pytest.skip(f"no {DRIVER} here (apt install chromium-driver)")
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--force-color-profile=srgb", "--lang=en-GB", "--autoplay-policy=no-user-gesture-required"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service(DRIVER, env=os.environ | {"HOME": str(folder)})
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(60)
    return driver


class Phone:
    """A Chromium that knows nothing of earlier tests, with the page of a relay."""

    def __init__(self, driver, running, width=390, height=844, zone="Europe/London"):
        self.driver = driver
        self.running = running
        self.scripts = []
        self.driver.get("about:blank")
        self.tell("Network.clearBrowserCookies")
        self.tell("Emulation.setTimezoneOverride", timezoneId=zone)
        self.tell("Emulation.setScriptExecutionDisabled", value=False)
        self.network()
        self.block()
        self.prefer()
        self.size(width, height)
        self.driver.get_log("browser")

    def close(self):
        """Leaves the page. Returns what it has complained about."""
        for each in self.scripts:
            self.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=each)
        self.driver.get("about:blank")
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"
                and not any(words in line["message"] for words in EXPECTED)]

    # What it is like

    def tell(self, command, **words):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, words)

    def size(self, width, height):
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def prefer(self, **features):
        """As in `prefer(color_scheme="dark")`."""
        self.tell("Emulation.setEmulatedMedia", features=[
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in features.items()])
        return self

    def network(self, offline=False, latency=0):
        self.tell("Network.enable")
        self.tell("Network.emulateNetworkConditions", offline=offline, latency=latency,
                  downloadThroughput=-1, uploadThroughput=-1)

    def begin_with(self, script):
        """Runs this script before those of each page."""
        made = self.tell("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.scripts.append(made["identifier"])

    def change(self, path, script):
        """Changes each answer of the relay at this path: the script has it as `answer`."""
        self.begin_with(f"""{{
            const fetch = window.fetch;
            window.fetch = async (path, ...words) => {{
              const given = await fetch(path, ...words);
              if (path !== "{path}" || !given.ok) return given;
              const answer = await given.json();
              {script};
              return Response.json(answer);
            }};
        }}""")

    def block(self, *addresses):
        """Nothing at these addresses, as in `*noon*`, is reached."""
        self.tell("Network.enable")
        self.tell("Network.setBlockedURLs", urls=list(addresses))

    # Looking

    def open(self, page=""):
        self.driver.get("about:blank")
        # Behind a proxy the page has another address.
        running = self.running
        address = running.address if hasattr(running, "address") else f"http://127.0.0.1:{running.port}/"
        self.driver.get(f"{address}{page and '#' + page}")
        self.run("""
            window.told = [];
            const message = document.querySelector('#message');
            new MutationObserver(() => told.push(message.textContent)).observe(message, {childList: true});""")
        return self

    def run(self, script, *words):
        return self.driver.execute_script(script, *words)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector="body"):
        """All that can be read there now."""
        return "\n".join(each.text for each in self.all(selector))

    def wait(self, condition, what, seconds=30):
        def holds():
            try:
                return condition()
            except StaleElementReferenceException:
                return False
        return wait_until(holds, seconds, what)

    def hears_the_time(self):
        """Asks for the time, and sees that it is said: the clock refuses it around its own half hours."""
        self.wait(lambda: 120 < time.time() % 1800 < 1750, "a time between two half hours", 200)
        return self.press("Say the time").message("The clock says")

    def wait_for(self, words, selector="body", seconds=30):
        """Waits until these words can be read."""
        try:
            self.wait(lambda: words in self.text(selector), words, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; there was: {self.text(selector)}") from None
        return self

    # Acting

    def button(self, name, within="body"):
        """The button of that name, as a screen reader calls it."""
        return self.wait(lambda: self.run(NAMED, "button, summary", name, within), f"the button {name!r}")[0]

    def find_named(self, name, within="body"):
        """The visible controls of that name; there may be none."""
        return self.run(NAMED, "button, input, select", name, within)

    def field(self, label, within="body"):
        """The control with that label."""
        return self.wait(lambda: self.run(NAMED, "input, select", label, within), f"the field {label!r}")[0]

    def press(self, name, within="body"):
        button = self.button(name, within)
        self.run("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        return self

    def write(self, label, text, within="body"):
        control = self.field(label, within)
        if control.tag_name == "select":
            [option] = [each for each in control.find_elements(By.TAG_NAME, "option")
                        if text in (each.text, each.get_attribute("value"))]
            option.click()
        else:
            control.clear()
            control.send_keys(text)
        return control

    def ask_to_pair(self):
        """Asks to be paired; returns the words to confirm."""
        self.wait_for("Next", "#next").press("Say the time").press("Begin", "#pairing")
        return self.wait(lambda: self.text("#pairing .words"), "the words")

    def message(self, words, seconds=30):
        """Waits for a message with these words since the page was opened. It may be gone again."""
        def told():
            return any(words in each for each in self.run("return window.told"))
        self.wait(told, f"the message {words!r}", seconds)
        return self
