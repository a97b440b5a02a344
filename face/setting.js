// One setting: what it is called, its control, where its value comes from, and how to change it.

import { give, tell } from "./act.js";
import { load, place } from "./api.js";
import { choiceControl, textControl, timesControl } from "./controls.js";
import { button, byId, form, h, latest, named, newId, refusal, write } from "./dom.js";
import { parts, tr, trEach } from "./language.js";
import { store } from "./store.js";
import { english, readTimes } from "./words.js";

/** Groups, and what their settings are called. A setting without a name stands in the last one, too. */
export const GROUPS = {
  [tr("Voice")]: trEach({
    "announce.voice": "Voice", "announce.style": "How it says the time", "announce.clock": "Hours of the clock",
    "announce.say_it_is": "Begins with “it is”", "announce.voice_at_hour": "The voice at the hour",
  }),
  [tr("Chime")]: trEach({
    "announce.interval": "Minutes between announcements", "announce.chime": "Chime at the hour",
    "announce.chime_quarters": "Chime at the other quarters",
  }),
  [tr("Quiet")]: trEach({ "announce.quiet": "Quiet hours", "speaker.quieter": "Quieter at times" }),
  [tr("Place and time")]: trEach({ "clock.zone": "Time zone", "clock.untrusted": "While the time may be wrong" }),
  [tr("Switch and button")]: trEach({
    "switch.line": "Line of the switch", "switch.silences": "The switch silences", "button.line": "Line of the button",
  }),
  [tr("All others")]: trEach({
    "announce.at_stop": "When the clock is stopped", "speaker.volume": "Volume at the start",
    "speaker.voice_volume": "Volume of the voice", "speaker.bells_volume": "Volume of the bells",
    "speaker.device": "Speaker", "speaker.mixer": "Volume control of the speaker",
  }),
};
const LABELS = Object.assign({}, ...Object.values(GROUPS));
const HINTS = trEach({
  "announce.quiet": "No announcement sounds in these hours. Alarms and timers do.",
  "speaker.quieter": "The clock is quieter in these hours, by so many dB.",
  "clock.zone": "For example Europe/London.",
});

const TUNES = trEach({
  "bigben": "Big Ben, the hour bell alone", "cuckoo": "Cuckoo", "pips": "Time signal, five short pips and a long one",
  "shipsbell": "Ship's bell", "stmichaels": "St Michael's, eight bells", "westminster": "Westminster, as in London",
  "westminster-even": "Westminster, evenly spaced", "whittington": "Whittington, eight bells",
});
/** What the values of a setting are called. One that is missing is called as files have it. */
const NAMES = {
  "announce.voice": trEach({
    "heart": "Heart, a woman's voice, English", "slt": "SLT, a woman's voice, English",
    "rms": "RMS, a man's voice, English", "de": "a woman's voice, German", "es": "a woman's voice, Spanish",
    "fr": "a woman's voice, French", "it": "a man's voice, Italian", "ru": "a woman's voice, Russian",
  }),
  "announce.style": trEach({
    "digital": "hours and minutes", "natural": "as people say it",
    "natural-day": "as people say it, with the part of the day",
  }),
  "announce.clock": trEach({ "12": "12 hours", "24": "24 hours" }),
  "announce.voice_at_hour": trEach({ before: "before the bells", after: "after the bells", none: "says nothing" }),
  "announce.chime": TUNES, "announce.chime_quarters": TUNES,
  "announce.at_stop": trEach({ fade: "the sound fades out", finish: "the sound plays to its end" }),
  "clock.untrusted": trEach({
    silent: "nothing sounds", chime: "the bells alone sound", ask: "it says the time only if asked",
    speak: "everything sounds",
  }),
  "switch.silences": trEach({ everything: "everything", announcements: "announcements, not timers and alarms" }),
};
const USUAL = trEach({ none: "none", yes: "yes", no: "no" });
/** The pins of the header with the lines GPIO0 to GPIO27. */
const PINS = [27, 28, 3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33,
  8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13];

export function valueText(key, value) {
  const pin = PINS[/^GPIO(\d+)$/.exec(value)?.[1]];
  if (pin) return tr("{line}, pin {pin}", { line: value, pin });
  return NAMES[key]?.[value] ?? USUAL[value] ?? value;
}

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
  control.extra = own && [button(parts("Take this phone's: {zone}", { zone: named(own) }), take)];
  return control;
}

/** A choice that is heard in the browser, from this folder of the relay. */
function heardControl(record, folder) {
  const hear = button(tr("Hear it here"), () => play(folder, control.value));
  const control = choiceControl(record, (name) => valueText(record.key, name));
  control.extra = [hear];
  // The relay has none of other folders.
  control.mark = () => { hear.hidden = control.value.includes("/") || control.value === "none"; };
  return control;
}

function voiceControl(record) {
  // A time that is given is said without a zone, too.
  const say = () => give("announce", { time: new Date().toTimeString().slice(0, 5) }, {
    done: ({ text }) => (text ? tr("The speaker says “{text}” in the voice that is saved.", { text })
      : tr("The speaker says the time in the voice that is saved.")) });
  const control = heardControl(record, "voices");
  // It is heard before it is kept.
  control.isChoice = false;
  control.extra.push(button(tr("Hear it on the speaker"), say));
  return control;
}

let player;
async function play(folder, name) {
  player?.pause();
  player = new Audio(place(`/v1/${folder}/${encodeURIComponent(name)}.wav`));
  try {
    await player.play();
  } catch (error) {
    if (error.name !== "AbortError") tell(tr("It cannot be heard here."), { isError: true });
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
  if (record.key === "announce.voice") return voiceControl(record);
  if (record.key === "announce.chime") return heardControl(record, "chimes");
  return choiceControl(record, (value) => valueText(record.key, value));
}

// MARK: All of it

function originText(record) {
  const { origin, hides, place: file } = record;
  if (origin === "settings") return hides ? tr("set here, in place of {file}", { file: hides }) : tr("set here");
  if (origin === "file") return file ? tr("from {file}", { file }) : tr("from a file");
  return tr("the default");
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
  const allowed = HINTS[first.key] ?? (first.choices?.length || !first.allowed ? "" : english(first.allowed));
  const hint = first.settable === false ? tr("Only a file of the clock sets this.") : allowed;
  control.focus.id = stem;
  control.focus.dataset.key = first.key;
  const labelled = control.isGroup ? control.element : control.focus;
  labelled.setAttribute("aria-describedby", `${stem}-origin ${hint ? `${stem}-hint ` : ""}${stem}-error`);
  if (control.isGroup) labelled.setAttribute("aria-labelledby", `${stem}-label`);
  const save = h("button",
    { type: "submit", class: "main", "aria-label": tr("Save: {title}", { title }), hidden: true }, tr("Save"));
  const takeBack = () => {
    put(record.value);
    write(error, "");
    mark();
    control.focus.focus();
  };
  const undo = button(tr("Undo"), takeBack,
    { class: "undo", "aria-label": tr("Undo: {title}", { title }), hidden: true });
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
    const done = value === undefined ? tr("{title} is back to the value of the files.", { title })
      : tr("{title} is saved.", { title });
    const before = record.origin === "settings" ? record.value : undefined;
    const answer = await give("setting", keys, { done, error, undo: () => set(before) });
    const isNewer = value !== undefined && control.value !== value;
    if (answer && !isNewer) put(value ?? record.value);
    mark();
    if (!isAtOnce || value === undefined) control.focus.focus();
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
      const value = valueText(now.key, now.usual ?? "");
      if (now.usual === undefined) write(back, tr("Take it back"));
      else if (now.hides) write(back, tr("Back to {value}, the value of the file", { value }));
      else write(back, tr("Back to {value}, the default", { value }));
      back.setAttribute("aria-label", `${back.textContent}: ${title}`);
      mark();
    },
  };
}
