// One setting: what it is called, its control, where its value comes from, and how to change it.

import { give, tell } from "./act.js";
import { load, place } from "./api.js";
import { choiceControl, textControl, timesControl } from "./controls.js";
import { button, byId, form, h, latest, named, newId, refusal, write } from "./dom.js";
import { store } from "./store.js";
import { readTimes } from "./words.js";

/** Groups, and what their settings are called. A setting without a name stands in the last one, too. */
export const GROUPS = {
  "Voice": {
    "announce.voice": "Voice", "announce.style": "How it says the time", "announce.clock": "Hours of the clock",
    "announce.say_it_is": "Begins with “it is”", "announce.voice_at_hour": "The voice at the hour",
  },
  "Chime": {
    "announce.interval": "Minutes between announcements", "announce.chime": "Chime at the hour",
    "announce.chime_quarters": "Chime at the other quarters",
  },
  "Quiet": { "announce.quiet": "Quiet hours", "speaker.quieter": "Quieter at times" },
  "Place and time": { "clock.zone": "Time zone", "clock.untrusted": "While the time may be wrong" },
  "Switch and button": {
    "switch.line": "Line of the switch", "switch.silences": "The switch silences", "button.line": "Line of the button",
  },
  "All others": {
    "announce.at_stop": "When the clock is stopped", "speaker.volume": "Volume at the start",
    "speaker.voice_volume": "Volume of the voice", "speaker.bells_volume": "Volume of the bells",
    "speaker.device": "Speaker", "speaker.mixer": "Volume control of the speaker",
  },
};
const LABELS = Object.assign({}, ...Object.values(GROUPS));
const HINTS = {
  "announce.quiet": "No announcement sounds in these hours. Alarms and timers do.",
  "speaker.quieter": "The clock is quieter in these hours, by so many dB.",
  "clock.zone": "For example Europe/London.",
};

const label = (key) => LABELS[key] ?? key.replace(".", ": ").replaceAll("_", " ");

export const loadSettings = () => load("/v1/settings", ({ settings }) => {
  store.settings = new Map(settings.map((record) => [record.key, record]));
}, byId("settings-error")).then(() => dispatchEvent(new Event("settings")));

// MARK: Its control

/** The zone of this phone, if that is a place. */
export function ownZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  return zone.includes("/") && !zone.startsWith("Etc/") ? zone : "";
}

let zones;
function zoneControl({ value }) {
  if (!zones) {
    const names = Intl.supportedValuesOf?.("timeZone") ?? [];
    zones = h("datalist", { id: "zones" }, ...names.map((name) => h("option", { value: name })));
    document.body.append(zones);
  }
  const control = textControl({ value, list: "zones" });
  const own = ownZone();
  const take = () => {
    control.value = own;
    control.focus.dispatchEvent(new Event("input", { bubbles: true }));
  };
  control.extra = own && [button(["Take this phone's: ", named(own)], take)];
  return control;
}

let player;
function voiceControl(record) {
  const hear = button("Hear it here", () => playVoice(control.value));
  // A time that is given is said without a zone, too.
  const say = () => give("announce", { time: new Date().toTimeString().slice(0, 5) }, {
    done: (answer) => `The speaker says “${answer.text ?? "the time"}” in the voice that is saved.` });
  const control = choiceControl(record);
  // It is heard before it is kept.
  control.isChoice = false;
  control.extra = [hear, button("Hear it on the speaker", say)];
  // The relay has no voices of folders.
  control.mark = () => { hear.hidden = control.value.includes("/"); };
  return control;
}

async function playVoice(name) {
  player?.pause();
  player = new Audio(place(`/v1/voices/${encodeURIComponent(name)}.wav`));
  try {
    await player.play();
    tell("The time in this voice.");
  } catch (error) {
    if (error.name !== "AbortError") tell("This voice cannot be heard here.", { isError: true });
  }
}

/** Times that the rows cannot show are edited as a text. */
const hasTimes = ({ key, value }) => ["announce.quiet", "speaker.quieter"].includes(key) && readTimes(value) !== null;

/** What the control of a setting depends on: with another, the setting gets a new one. */
export const controlKey = (record) => JSON.stringify([record.key, hasTimes(record), record.choices]);

function controlFor(record) {
  if (record.settable === false) return textControl({ value: record.value, readonly: true });
  if (hasTimes(record)) return timesControl(record.value, record.key === "speaker.quieter");
  if (record.key === "clock.zone") return zoneControl(record);
  if (!record.choices?.length) return textControl({ value: record.value });
  return record.key === "announce.voice" ? voiceControl(record) : choiceControl(record);
}

// MARK: All of it

function originText(record) {
  if (record.origin === "settings") return record.hides ? `set here, in place of ${record.hides}` : "set here";
  if (record.origin === "file") return `from ${record.place ?? "a file"}`;
  return "the default";
}

/** A field that saves one key; a choice at once, unless it waits for others. */
export function settingPart(first, title = label(first.key), { waits = false } = {}) {
  let record = first;
  const control = controlFor(first);
  const isAtOnce = control.isChoice && !waits;
  // The same value in other words is no change: a control is compared with what it showed before anybody touched it.
  let shown = control.value;
  const isTouched = () => control.value !== shown;
  const put = (value) => {
    control.value = value;
    shown = control.value;
  };
  const stem = newId("setting");
  const error = refusal("", { id: `${stem}-error` });
  const from = h("span", { class: "origin", id: `${stem}-origin` });
  const allowed = HINTS[first.key] ?? (first.choices?.length ? "" : first.allowed);
  const hint = first.settable === false ? "Only a file of the clock sets this." : allowed;
  control.focus.id = stem;
  control.focus.dataset.key = first.key;
  const labelled = control.isGroup ? control.element : control.focus;
  labelled.setAttribute("aria-describedby", `${stem}-origin ${hint ? `${stem}-hint ` : ""}${stem}-error`);
  if (control.isGroup) labelled.setAttribute("aria-labelledby", `${stem}-label`);
  const save = h("button", { type: "submit", class: "main", "aria-label": `Save: ${title}`, hidden: true }, "Save");
  const takeBack = () => {
    put(record.value);
    write(error, "");
    mark();
    control.focus.focus();
  };
  const undo = button("Undo", takeBack, { class: "undo", "aria-label": `Do not change: ${title}`, hidden: true });
  const back = button("", () => set(undefined), { class: "quiet" });
  const backRow = h("p", { class: "row" }, back);
  function mark() {
    save.hidden = isAtOnce || !isTouched();
    undo.hidden = !isTouched() || isAtOnce && !error.textContent;
    control.mark?.();
    if (error.textContent) labelled.setAttribute("aria-invalid", "true");
    else labelled.removeAttribute("aria-invalid");
  }
  async function set(value) {
    const keys = value === undefined ? { key: record.key } : { key: record.key, value };
    const done = value === undefined ? `${title} is back to the value of the files.` : `${title} is saved.`;
    const before = record.origin === "settings" ? record.value : undefined;
    const answer = await give("setting", keys, { done, error, undo: () => set(before) });
    const isNewer = value !== undefined && control.value !== value;
    if (answer && !isNewer) put(value ?? record.value);
    mark();
    if (!isAtOnce) control.focus.focus();
    if (answer) await loadSettings();
    return answer !== null;
  }
  const heading = control.isGroup ? h("span", { class: "label", id: `${stem}-label` }, title)
    : h("label", { for: stem }, title);
  const choose = latest(set);
  const changed = () => {
    if (isAtOnce && isTouched()) return choose(control.value);
    if (isAtOnce) write(error, "");
    return mark();
  };
  const shape = form({ class: "setting", oninput: mark, onchange: changed }, () => set(control.value),
    h("div", { class: "line" }, heading, from),
    h("div", { class: "row fit" }, control.element, save, undo, ...(control.extra || [])),
    hint ? h("p", { class: "hint", id: `${stem}-hint` }, hint) : null, error, backRow);
  return {
    key: record.key,
    element: h("div", {}, shape),
    /** Puts a value into the field for a person to send. */
    propose(value) {
      control.value = value;
      control.focus.required = true;
    },
    /** Saves what a person has changed, and a zone always, so that it is asked once. False if it was refused. */
    async send() {
      if (!shape.reportValidity()) return false;
      return isTouched() || record.key === "clock.zone" ? set(control.value) : true;
    },
    update(now) {
      // What a person is about to change is not overwritten.
      if (!isTouched() && now.value !== record.value) put(now.value);
      record = now;
      write(from, originText(now));
      backRow.hidden = now.origin !== "settings";
      if (now.usual !== undefined) {
        write(back, `Back to ${now.usual}${now.hides ? ", the value of the file" : ", the default"}`);
        back.setAttribute("aria-label", `${title}: back to ${now.usual}`);
      } else write(back, "Take it back");
      mark();
    },
  };
}
