// The settings: what they are, where each comes from, and how to change it. The clock checks and keeps them.

import { give, tell } from "./act.js";
import { load, place } from "./api.js";
import { byId, fill, h, keepList, named, newId, select, write } from "./dom.js";
import { openPairing } from "./pairing.js";
import { store } from "./store.js";
import { daysText, RANGES, readTimes, WEEKDAYS } from "./words.js";

const GROUPS = [
  ["Voice", ["announce.voice", "announce.style", "announce.clock", "announce.say_it_is", "announce.voice_at_hour"]],
  ["Chime", ["announce.interval", "announce.chime", "announce.chime_quarters"]],
  ["Quiet", ["announce.quiet", "speaker.quieter"]],
  ["Place and time", ["clock.zone", "clock.untrusted"]],
  ["Switch and button", ["switch.line", "switch.silences", "button.line"]],
];
const LABELS = {
  "announce.voice": "Voice", "announce.style": "How it says the time", "announce.clock": "Hours of the clock",
  "announce.say_it_is": "Begins with “it is”", "announce.voice_at_hour": "The voice at the hour",
  "announce.interval": "Minutes between announcements", "announce.chime": "Chime at the hour",
  "announce.chime_quarters": "Chime at the other quarters", "announce.quiet": "Quiet hours",
  "announce.at_stop": "When the clock is stopped",
  "speaker.quieter": "Quieter at times", "speaker.volume": "Volume at the start", "speaker.voice_volume": "Volume of the voice",
  "speaker.bells_volume": "Volume of the bells", "speaker.device": "Speaker",
  "speaker.mixer": "Volume control of the speaker",
  "clock.zone": "Time zone", "clock.untrusted": "While the time may be wrong", "switch.line": "Line of the switch",
  "switch.silences": "The switch silences", "button.line": "Line of the button",
};
const HINTS = {
  "announce.quiet": "No announcement sounds in these hours. Alarms and timers do.",
  "speaker.quieter": "The clock is quieter in these hours, by so many dB.",
  "clock.zone": "For example Europe/London.",
};

const label = (key) => LABELS[key] ?? key.replace(".", ": ").replaceAll("_", " ");

// MARK: Controls: each has an element, a value, and tells when a person changes it

function textControl(record) {
  const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false", dir: "auto", value: record.value });
  return { element: input, focus: input, get value() { return input.value.trim(); }, set value(text) { input.value = text; } };
}

/** `onValue` is called with each value that it gets. */
function choiceControl(record, onValue = () => {}) {
  const choices = record.choices.includes(record.value) ? record.choices : [record.value, ...record.choices];
  const made = select(choices, record.value);
  made.addEventListener("change", () => onValue(made.value));
  onValue(made.value);
  return {
    element: made, focus: made,
    get value() { return made.value; },
    set value(text) {
      if (![...made.options].some((option) => option.value === text)) made.append(h("option", { value: text }, text));
      made.value = text;
      onValue(text);
    },
  };
}

/** The zone of this phone, if that is a place. */
function ownZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  return zone.includes("/") && !zone.startsWith("Etc/") ? zone : "";
}

let zones;
function zoneControl(record) {
  const control = textControl(record);
  if (!zones) {
    const names = Intl.supportedValuesOf?.("timeZone") ?? [];
    zones = h("datalist", { id: "zones" }, ...names.map((name) => h("option", { value: name })));
    document.body.append(zones);
  }
  control.focus.setAttribute("list", "zones");
  const own = ownZone();
  control.extra = own && [h("button", { type: "button", onclick: () => {
    control.value = own;
    control.focus.dispatchEvent(new Event("input", { bubbles: true }));
  } }, "Take this phone's: ", named(own))];
  return control;
}

let player;
function voiceControl(record) {
  const hear = h("button", { type: "button", onclick: () => playVoice(control.value) }, "Hear it here");
  // The relay has no voices of folders.
  const control = choiceControl(record, (name) => { hear.hidden = name.includes("/"); });
  // A time that is given is said without a zone, too.
  control.extra = [hear, h("button", { type: "button", onclick: () =>
    give("announce", { time: new Date().toTimeString().slice(0, 5) }, {
      done: (answer) => `The speaker says “${answer.text ?? "the time"}” in the voice that is saved.` }) },
  "Hear it on the speaker")];
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

/** Times without days are of every day. */
const DAYS = [["", "every day"], ...RANGES.slice(1), ...WEEKDAYS];
const timeOf = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/** Rows of days, from and to, and a level if `hasLevel`. */
function timesControl(record, hasLevel) {
  const rows = h("div", { class: "times" });
  const changed = () => rows.dispatchEvent(new Event("input", { bubbles: true }));
  const add = h("button", { type: "button", onclick: () => {
    addRow({ range: "", from: 22 * 60, to: 7 * 60, level: hasLevel ? "-12dB" : "" });
    rows.lastElementChild.querySelector("select").focus();
    changed();
  } }, "Add a time");
  function addRow({ range, from, to, level }) {
    const days = select(DAYS.some(([key]) => key === range) ? DAYS : [[range, daysText(range)], ...DAYS], range);
    days.setAttribute("aria-label", "Days");
    const time = (name, minute) => h("input", { type: "time", "aria-label": name, required: true, value: timeOf(minute % 1440) });
    const decibels = hasLevel && h("input", { type: "number", max: 0, min: -60, step: "any", "aria-label": "Level in dB", value: parseFloat(level) });
    const row = h("div", { class: "row", role: "group", "aria-label": "A time" }, days, time("From", from), h("span", { "aria-hidden": "true" }, "to"), time("To", to),
      decibels || null, decibels ? h("span", { "aria-hidden": "true" }, "dB") : null,
      h("button", { type: "button", "aria-label": "Remove this time", onclick: () => {
        row.remove();
        add.focus();
        changed();
      } }, "Remove"));
    rows.append(row);
  }
  const read = () => [...rows.children].map((row) => {
    const [from, to] = row.querySelectorAll("input[type=time]");
    const level = row.querySelector("input[type=number]");
    const end = to.value === "00:00" ? "24:00" : to.value;
    return [row.querySelector("select").value, `${from.value}-${end}`, level && `${level.value}dB`].filter(Boolean).join(" ");
  }).join(", ") || "none";
  const control = {
    element: h("div", { role: "group" }, rows, add), focus: add, isGroup: true,
    get value() { return read(); },
    set value(text) { rows.replaceChildren(); readTimes(text).forEach(addRow); },
  };
  control.value = record.value;
  return control;
}

/** Times that the rows cannot show are edited as a text. */
const hasTimes = ({ key, value }) => ["announce.quiet", "speaker.quieter"].includes(key) && readTimes(value) !== null;

/** What the control of a setting depends on: with another, the setting gets a new one. */
const controlKey = (record) => JSON.stringify([record.key, hasTimes(record), record.choices]);

function controlFor(record) {
  const control = makeControl(record);
  control.focus.dataset.key = record.key;
  control.shown = control.value;
  return control;
}

/** The same value in other words is no change: a control is compared with what it showed before anybody touched it. */
const isTouched = (control) => control.value !== control.shown;

function put(control, value) {
  control.value = value;
  control.shown = control.value;
}

function makeControl(record) {
  if (hasTimes(record)) return timesControl(record, record.key === "speaker.quieter");
  if (record.key === "clock.zone") return zoneControl(record);
  if (record.key === "announce.voice" && record.choices?.length) return voiceControl(record);
  return record.choices?.length ? choiceControl(record) : textControl(record);
}

// MARK: A setting

function originText(record) {
  if (record.origin === "settings") return record.hides ? `set here, in place of ${record.hides}` : "set here";
  if (record.origin === "file") return `from ${record.place ?? "a file"}`;
  return "the default";
}

/** A field that saves one key. */
function settingPart(first, title = label(first.key)) {
  let record = first;
  const control = controlFor(first);
  const stem = newId("setting");
  const error = h("p", { class: "error", id: `${stem}-error`, role: "alert" });
  const from = h("span", { class: "origin", id: `${stem}-origin` });
  const hint = HINTS[first.key] ?? (first.choices?.length ? "" : first.allowed);
  control.focus.id = stem;
  const labelled = control.isGroup ? control.element : control.focus;
  labelled.setAttribute("aria-describedby", `${stem}-origin ${hint ? `${stem}-hint ` : ""}${stem}-error`);
  if (control.isGroup) labelled.setAttribute("aria-labelledby", `${stem}-label`);
  const save = h("button", { type: "submit", class: "main", "aria-label": `Save: ${title}`, hidden: true }, "Save");
  const takeBack = () => {
    put(control, record.value);
    write(error, "");
    mark();
    control.focus.focus();
  };
  const undo = h("button", { type: "button", class: "undo", "aria-label": `Do not change: ${title}`, hidden: true,
    onclick: takeBack }, "Undo");
  const back = h("button", { type: "button", class: "quiet", onclick: () => set(undefined) });
  const backRow = h("p", { class: "row" }, back);
  function mark() {
    save.hidden = undo.hidden = !isTouched(control);
    if (error.textContent) labelled.setAttribute("aria-invalid", "true");
    else labelled.removeAttribute("aria-invalid");
  }
  async function set(value) {
    const keys = value === undefined ? { key: record.key } : { key: record.key, value };
    const done = value === undefined ? `${title} is back to the value of the files.` : `${title} is saved.`;
    const answer = await give("setting", keys, { done, error });
    if (answer) control.shown = control.value;
    mark();
    control.focus.focus();
    if (answer) await loadSettings();
    return answer !== null;
  }
  const heading = control.isGroup ? h("span", { class: "label", id: `${stem}-label` }, title) : h("label", { for: stem }, title);
  const form = h("form", { class: "setting", onsubmit: (event) => { event.preventDefault(); set(control.value); }, oninput: mark },
    h("div", { class: "line" }, heading, from),
    h("div", { class: "row fit" }, control.element, save, undo, ...(control.extra || [])),
    hint ? h("p", { class: "hint", id: `${stem}-hint` }, hint) : null, error,
    backRow);
  const fixed = h("div", { class: "setting", hidden: true });
  return {
    key: record.key,
    element: h("div", {}, form, fixed),
    /** Puts a value into the field for a person to send. */
    propose(value) {
      control.value = value;
      control.focus.required = true;
    },
    /** Saves what a person has changed, and a zone always, so that it is asked once. False if it was refused. */
    async send() {
      if (!form.reportValidity()) return false;
      return isTouched(control) || record.key === "clock.zone" ? set(control.value) : true;
    },
    update(now) {
      // What a person is about to change is not overwritten.
      if (!isTouched(control) && now.value !== record.value) put(control, now.value);
      record = now;
      write(from, originText(now));
      backRow.hidden = now.origin !== "settings";
      if (now.usual !== undefined) {
        write(back, `Back to ${now.usual}${now.hides ? ", the value of the file" : ", the default"}`);
        back.setAttribute("aria-label", `${title}: back to ${now.usual}`);
      } else write(back, "Take it back");
      mark();
      const isFixed = now.settable === false;
      form.hidden = isFixed;
      fixed.hidden = !isFixed;
      if (isFixed) fill(fixed,
        h("div", { class: "line" }, h("span", { class: "label" }, title),
          h("span", { class: "origin" }, originText(now))),
        h("p", { class: "value" }, named(now.value)), h("p", { class: "hint" }, "Only a file of the clock sets this."));
    },
  };
}

// MARK: All settings

export async function loadSettings() {
  await load("/v1/settings", ({ settings }) => {
    store.settings = new Map(settings.map((record) => [record.key, record]));
  }, byId("settings-error"));
  drawSettings();
}

function groupPart(name) {
  const list = h("div", {});
  const title = newId("group");
  const element = name === "All others"
    ? h("section", { class: "card wide", "aria-labelledby": title }, h("h2", { id: title }, name), h("details", {}, h("summary", {}, "Show them"), list))
    : h("section", { class: "card", "aria-labelledby": title }, h("h2", { id: title }, name), list);
  return { element, update: ({ records }) => keepList(list, records, controlKey, (record) => settingPart(record)) };
}

const alarmKey = /^alarm (.+)\.(\w+)$/s;

export function drawSettings() {
  if (!store.settings) return;
  const named = new Set(GROUPS.flatMap(([, keys]) => keys));
  const records = [...store.settings.values()];
  const groups = GROUPS.map(([name, keys]) => ({ name, records: keys.map((key) => store.settings.get(key)).filter(Boolean) }));
  groups.push({ name: "All others", records: records.filter(({ key }) => !named.has(key) && !key.startsWith("alarm ")) });
  keepList(byId("settings"), groups.filter((group) => group.records.length), (group) => group.name, (group) => groupPart(group.name));
  drawConfigured(records);
  drawSetup();
}

// MARK: Alarms of the configuration

function drawConfigured(records) {
  const alarms = new Map();
  for (const record of records) {
    const [, name, key] = alarmKey.exec(record.key) ?? [];
    if (name === undefined) continue;
    if (!alarms.has(name)) alarms.set(name, { name, keys: new Map() });
    alarms.get(name).keys.set(key, record);
  }
  keepList(byId("configured"), [...alarms.values()], (alarm) => alarm.name, configuredPart);
}

function configuredPart(first) {
  const words = h("span", { class: "soft" });
  const fields = h("div", {});
  const remove = h("button", { type: "button", onclick: async () => {
    const answer = await give("setting", { key: `alarm ${first.name}` }, { done: `What was set here for ${first.name} is taken back.` });
    if (answer) await loadSettings();
  } });
  const titles = { time: "Time", days: "Days", tune: "Tune", rise: "Rises to its volume" };
  return {
    element: h("details", { class: "item" }, h("summary", {}, h("strong", {}, named(first.name)), " ", words), fields, h("p", { class: "row" }, remove)),
    update({ name, keys }) {
      write(words, [keys.get("time")?.value, keys.get("days")?.value].filter(Boolean).join(", "));
      keepList(fields, [...keys].map(([key, record]) => ({ ...record, short: key })), controlKey,
        (record) => settingPart(record, titles[record.short]));
      const isHere = keys.get("time")?.origin === "settings" && keys.get("time")?.usual === undefined;
      remove.hidden = ![...keys.values()].some((record) => record.origin === "settings");
      write(remove, isHere ? "Remove the alarm" : "Back to the file");
      remove.setAttribute("aria-label", isHere ? `Remove the alarm ${name}` : `Alarm ${name}: back to the file`);
    },
  };
}

// MARK: The first start

const LATER = "clocksmith-setup-later";
// The clock comes before the voice: some voices have words for one clock only.
const ASKED = ["clock.zone", "announce.clock", "announce.voice", "announce.quiet", "switch.line"];

/** A new card has the zone `unset`. */
const isUnset = (key) => key === "clock.zone" && store.value(key) === "unset";

/** What is asked: all of it while nobody has chosen any of it, and whatever is open while there is no zone. */
function askedKeys() {
  const open = ASKED.filter((key) => isUnset(key) || store.settings.get(key)?.origin === "default");
  return open.length === ASKED.length || open.some(isUnset) ? open : [];
}

// While it is sent, what has become of one thing does not close the form of all.
let isSending = false;

function drawSetup() {
  const part = byId("setup");
  const keys = store.isPaired && !sessionStorage.getItem(LATER) ? askedKeys() : [];
  // A refusal stays to be read.
  if (isSending || keys.length && !part.hidden || part.querySelector("[aria-invalid]")) return;
  part.hidden = keys.length === 0;
  part.replaceChildren();
  if (part.hidden) return;
  const parts = keys.map((key) => settingPart(store.settings.get(key)));
  for (const each of parts) each.update(store.settings.get(each.key));
  if (isUnset(keys[0])) parts[0].propose(ownZone());
  const submit = async () => {
    isSending = true;
    const isDone = await sendAll(parts);
    isSending = false;
    if (isDone) tell("The clock is set up.");
    drawSetup();
    if (isDone) byId("main").focus();
  };
  const later = () => {
    sessionStorage.setItem(LATER, "yes");
    part.replaceChildren();
    drawSettings();
    byId("main").focus();
  };
  part.append(h("h2", { id: "setup-title" }, "Set up this clock"),
    h("p", {}, isUnset("clock.zone") ? "Until the time zone is set, the clock says no time. " : "",
      "All of this can be changed later, under Settings."),
    h("div", {}, ...parts.map(({ element }) => element)),
    h("p", { class: "row" }, h("button", { type: "button", class: "main", onclick: submit }, "Set up the clock"),
      h("button", { type: "button", onclick: later }, "Later")));
}

/** Sends the zone first, and the rest only if that is taken. True if all was taken. */
async function sendAll(parts) {
  let isDone = true;
  for (const part of parts) {
    if (await part.send()) continue;
    if (part.key === "clock.zone") return false;
    isDone = false;
  }
  return isDone;
}

/** Leads to the field of a setting, or to all of them for the key "". */
export function openSetting(key) {
  if (!store.isPaired) return openPairing();
  if (isUnset(key)) {
    sessionStorage.removeItem(LATER);
    drawSetup();
  } else {
    history.pushState(null, "", "#settings");
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
  const field = document.querySelector(`${isUnset(key) ? "#setup" : "#settings"} [data-key="${key}"]`);
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}
