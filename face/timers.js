// Timers, alarms and the interval that there are, with their controls.

import { give, notice } from "./act.js";
import { button, byId, h, keepList, latest, named, show, write } from "./dom.js";
import { changeForm, details, planOf } from "./forms.js";
import { store } from "./store.js";
import { countdown, daysText, lengthText, timeOfDayText, whenText } from "./words.js";

/** What a timer or an alarm is called, as in `timer 3` or `timer tea`. */
const title = (kind, record) => `${kind} ${record.name ?? record.number}`;

/** The same where it stands alone. */
const nameOf = (kind, { name, number }) => name ?? `${kind === "timer" ? "Timer" : "Alarm"} ${number}`;

/** A row is of one thing as long as both are the same: its labels and buttons name it. */
const identity = ({ number, name }) => `${number} ${name ?? ""}`;

// MARK: Rows

/**
 * The row of a timer or an alarm.
 *
 * words(record) are what it tells, digits(record) what it shows large. Each of `orders` is a button: its words, its
 * label, the command that it gives or what it does, the states in which it is there, and more of the command and of the
 * button. `control` stands behind the digits, and `below` under the row.
 */
function rowPart(kind, first, { words, digits, orders, control = null, below = null }) {
  const thing = title(kind, first);
  const large = h("span", { class: "left-digits", translate: "no" });
  const state = h("span", { class: "soft" });
  // For the eye: the digits say the same.
  const bar = kind === "timer" ? h("progress", { "aria-hidden": "true" }) : null;
  let record = first;
  const buttons = orders.map(([text, label, command, states, { done, keys, undo, ...attributes } = {}]) => {
    const order = () => {
      const before = record;
      return give(`${kind}_${command}`, { [kind]: first.number, ...keys },
        { done, thing, undo: undo && (() => undo(before)) });
    };
    return { states, element: button(text, command.call ? command : order, { "aria-label": label, ...attributes }) };
  });
  const part = {
    element: h("li", { class: "item" },
      h("div", { class: "line" },
        h("span", { class: "grow" }, h("strong", {}, named(nameOf(kind, first))), h("br"), state), large,
        control),
      bar, h("div", { class: "row" }, ...buttons.map((each) => each.element)), below),
    update(now) {
      record = now;
      part.element.classList.toggle("ringing", now.state === "ringing");
      write(state, [...words(now), ...details(kind, now)].filter(Boolean).join(" · "));
      for (const { element, states } of buttons) show(element, states.includes(now.state));
      part.tick();
    },
    tick() {
      write(large, digits(record));
      if (bar) Object.assign(bar, { max: record.seconds, value: Math.max(0, timeLeft(record) ?? 0) });
    },
  };
  return part;
}

function timerPart(first) {
  const what = title("timer", first);
  return rowPart("timer", first, {
    words({ state, ends, seconds }) {
      if (state === "ringing") return ["rings now"];
      const end = state === "paused" ? "paused" : `ends ${whenText(Date.parse(ends), { hasSeconds: true })}`;
      return [`${end}, of ${lengthText(seconds)}`];
    },
    digits: leftText,
    orders: [
      ["Stop", `Stop ${what}`, "stop", ["ringing"], { class: "main" }],
      ["Pause", `Pause ${what}`, "pause", ["running"]],
      ["Go on", `Let ${what} go on`, "resume", ["paused"]],
      ["+1 min", `+1 min for ${what}`, "add", ["running", "paused", "ringing"], { keys: { seconds: 60 } }],
      ["Say it", `Say it: what is left of ${what}`, "tell", ["running", "paused"],
        { done: ({ text }) => `“${text}”` }],
      ["Remove", `Remove ${what}`, "cancel", ["running", "paused"],
        { done: `The ${what} is removed.`, undo: startAgain }],
    ],
  });
}

/** A timer that was removed counts on from what was left of it. */
async function startAgain(timer) {
  const seconds = Math.max(1, Math.ceil(timeLeft(timer) ?? timer.seconds));
  const answer = await give("timer", { ...planOf("timer", timer), seconds }, { done: "The timer is there again." });
  if (answer && timer.state === "paused") await give("timer_pause", { timer: answer.number });
}

/** In seconds; null while the time is not known. */
function timeLeft(timer) {
  const { now } = store.clock;
  if (timer.state === "paused") return timer.left;
  if (timer.state === "ringing") return 0;
  return store.contact === "live" && now !== null ? (Date.parse(timer.ends) - now) / 1000 : null;
}

function leftText(timer) {
  const left = timeLeft(timer);
  return left === null ? "–:––" : countdown(left);
}

/** An alarm that was removed, or left out and removed by that, is set again. */
async function setAgain(alarm) {
  const answer = await give("alarm", planOf("alarm", alarm), { done: "The alarm is there again." });
  if (answer && alarm.on === false) await give("alarm_off", { alarm: answer.number });
}

const unskip = (alarm) => (isOnce(alarm) ? setAgain(alarm)
  : give("alarm_unskip", { alarm: alarm.number }, { done: "The next ring is not left out." }));

const isOnce = ({ days }) => days === "once" || /^\d/.test(days);

function alarmPart(first) {
  const what = title("alarm", first);
  const isMine = first.origin === "person";
  // The network names no file, so the page cannot set such an alarm again.
  const isPlain = !first.tune?.includes("/");
  const removable = isMine ? ["waiting", "off", "ringing", "snoozing"] : [];
  const below = h("div", { class: "change" });
  const change = () => {
    if (below.hasChildNodes() || !store.fields.has("alarm")) return below.querySelector("input")?.focus();
    const close = () => {
      below.replaceChildren();
      edit.focus();
    };
    const made = changeForm(part.record, close);
    below.replaceChildren(made.element);
    return made.parts[0].control.focus.focus();
  };
  let isAsked = false;
  const turnTo = latest(async (isOn) => {
    isAsked = true;
    const answer = await give(isOn ? "alarm_on" : "alarm_off", { alarm: first.number }, { thing: what });
    isAsked = false;
    if (!answer) part.update(part.record);
  });
  const turn = h("input", {
    type: "checkbox", role: "switch", "aria-label": `${nameOf("alarm", first)} is on`,
    onchange: () => turnTo(turn.checked) });
  const row = rowPart("alarm", first, {
    control: turn, below,
    words({ state, rings, days, tune, origin, skipped, reason }) {
      const next = rings ? `rings ${whenText(Date.parse(rings))}` : "";
      return [
        state === "off" && "off",
        { ringing: "rings now", snoozing: `snoozes, ${next} again` }[state] ?? next, daysText(days), tune,
        origin === "configuration" && "of the configuration",
        skipped && `without ${whenText(Date.parse(skipped))}`, reason && `silent: ${reason}`];
    },
    digits: ({ time }) => timeOfDayText(time),
    orders: [
      ["Snooze", `Snooze ${what}`, "snooze", ["ringing"], { done: "It rings again later." }],
      ["Stop", `Stop ${what}`, "stop", ["ringing", "snoozing"], { done: "The alarm is stopped.", class: "main" }],
      ["Skip next", `Skip next ring of ${what}`, "skip", ["waiting"],
        { done: "The next ring is left out.", undo: isPlain || !isOnce(first) ? unskip : undefined }],
      ["Change", `Change ${what}`, change, isMine && isPlain ? ["waiting", "off"] : [], { class: "change" }],
      ["Remove", `Remove ${what}`, "cancel", removable,
        { done: `The ${what} is removed.`, undo: isPlain ? setAgain : undefined }],
    ],
  });
  const edit = row.element.querySelector("button.change");
  const part = {
    ...row,
    record: first,
    update(now) {
      part.record = now;
      const isOff = now.on === false;
      turn.hidden = now.on === undefined;
      if (!isAsked) turn.checked = !isOff;
      part.element.classList.toggle("off", isOff);
      row.update(isOff ? { ...now, state: "off" } : now);
    },
  };
  return part;
}

// MARK: The interval

function intervalText(interval) {
  if (!interval) return "None runs.";
  const since = `since ${whenText(Date.parse(interval.started))}.`;
  if (interval.seconds) return `A signal every ${lengthText(interval.seconds)}, ${since}`;
  const rounds = interval.rounds ? `${interval.rounds} rounds` : "Rounds";
  const rest = interval.rest ? ` and ${lengthText(interval.rest)} rest` : "";
  return `${rounds} of ${lengthText(interval.work)} work${rest}, ${since}`;
}

// MARK: All of it

byId("interval-stop").addEventListener("click", () =>
  give("interval_stop", {}, { done: "The interval is over." }));

let rang = new Set();

export function drawTimers() {
  const { state } = store;
  if (!state) return;
  const { timers = [], alarms = [], intervals = [] } = state;
  keepList(byId("timer-list"), timers, identity, timerPart);
  byId("no-timers").hidden = timers.length > 0;
  keepList(byId("alarm-items"), alarms, (alarm) => `${alarm.origin} ${identity(alarm)}`, alarmPart);
  byId("no-alarms").hidden = alarms.length > 0;
  write(byId("interval-state"), intervalText(intervals[0]));
  show(byId("interval-stop"), intervals.length > 0);
  const all = [...timers.map((timer) => ({ kind: "timer", ...timer })),
    ...alarms.map((alarm) => ({ kind: "alarm", ...alarm })),
    ...intervals.map((interval) =>
      ({ kind: "interval", number: interval.started, name: "Interval", state: "runs", ...interval }))];
  drawSoon(all, state.alarm_rings);
  // What begins to ring is told once.
  const rings = all.filter((each) => each.state === "ringing").map((each) => title(each.kind, each));
  for (const what of rings) if (!rang.has(what)) notice(`The ${what} rings.`);
  rang = new Set(rings);
}

export function tickTimers() {
  for (const id of ["timer-list", "soon"]) for (const part of byId(id).kept?.values() ?? []) part.tick();
}

/** On the first page: what runs and rings, each a link to its controls; of the alarms those that are next. */
function drawSoon(all, next) {
  const isNear = ({ state, rings }) => state !== "waiting" || rings && rings === next;
  const alarms = all.filter((each) => each.kind === "alarm" && isNear(each));
  const shown = new Set(alarms.slice(0, 3));
  keepList(byId("soon"), all.filter((each) => each.kind !== "alarm" || shown.has(each)),
    (record) => `${record.kind} ${identity(record)}`, soonPart);
}

function soonPart(first) {
  const digits = h("span", { class: "digits", translate: "no" });
  const link = h("a", { href: "#alarms" }, named(nameOf(first.kind, first)), digits);
  let record = first;
  const part = {
    element: h("li", {}, link),
    update(now) {
      record = now;
      link.classList.toggle("ringing-now", now.state === "ringing");
      part.tick();
    },
    tick() {
      if (record.state === "ringing") write(digits, "rings");
      else if (record.kind === "interval") write(digits, "runs");
      else if (record.kind === "alarm") write(digits, record.rings ? whenText(Date.parse(record.rings)) : "");
      else write(digits, record.state === "paused" ? `${leftText(record)}, paused` : leftText(record));
    },
  };
  return part;
}
