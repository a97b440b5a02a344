// Timers, alarms and the interval that there are, with their controls.

import { give, notice } from "./act.js";
import { button, byId, h, keepList, latest, named, show, svg, write } from "./dom.js";
import { changeForm, details, planOf } from "./forms.js";
import { tr } from "./language.js";
import { valueText } from "./setting.js";
import { store } from "./store.js";
import { countdown, daysText, lengthText, thingText, timeOfDayText, whenText } from "./words.js";

/** What a timer or an alarm is called, as in `timer 3` or `timer tea`. */
const title = (kind, record) => thingText(kind, record.name ?? record.number);

/** The same where it stands alone. */
const nameOf = (kind, { name, number }) =>
  name ?? (kind === "timer" ? tr("Timer {number}", { number }) : tr("Alarm {number}", { number }));

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
  const ring = kind === "timer" ? svg("circle", { class: "left", r: 46, pathLength: 1 }) : null;
  const shown = !ring ? large : h("span", { class: "ringed" },
    svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, svg("circle", { r: 46 }), ring), large);
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
        h("span", { class: "grow" }, h("strong", {}, named(nameOf(kind, first))), h("br"), state), shown,
        control),
      h("div", { class: "row" }, ...buttons.map((each) => each.element)), below),
    update(now) {
      record = now;
      part.element.classList.toggle("ringing", now.state === "ringing");
      write(state, [...words(now), ...details(kind, now)].filter(Boolean).join(" · "));
      for (const { element, states } of buttons) show(element, states.includes(now.state));
      part.tick();
    },
    tick() {
      write(large, digits(record));
      ring?.setAttribute("stroke-dasharray", `${Math.max(0, timeLeft(record) ?? 0) / record.seconds} 1`);
    },
  };
  return part;
}

function timerPart(first) {
  const what = title("timer", first);
  const name = first.name ?? first.number;
  return rowPart("timer", first, {
    words({ state, ends, seconds }) {
      if (state === "ringing") return [tr("rings now")];
      const length = lengthText(seconds);
      if (state === "paused") return [tr("paused, of {length}", { length })];
      return [tr("ends {when}, of {length}", { when: whenText(Date.parse(ends), { hasSeconds: true }), length })];
    },
    digits: leftText,
    orders: [
      [tr("Stop"), tr("Stop {what}", { what }), "stop", ["ringing"], { class: "main" }],
      [tr("Pause"), tr("Pause {what}", { what }), "pause", ["running"]],
      [tr("Go on"), tr("Let {what} go on", { what }), "resume", ["paused"]],
      ["+1 min", tr("+1 min for {what}", { what }), "add", ["running", "paused", "ringing"], { keys: { seconds: 60 } }],
      [tr("Say it"), tr("Say it: what is left of {what}", { what }), "tell", ["running", "paused"],
        { done: ({ text }) => tr("“{text}”", { text }) }],
      [tr("Remove"), tr("Remove {name}", { name: what }), "cancel", ["running", "paused"],
        { done: tr("The timer {name} is removed.", { name }), undo: startAgain }],
    ],
  });
}

/** A timer that was removed counts on from what was left of it. */
async function startAgain(timer) {
  const seconds = Math.max(1, Math.ceil(timeLeft(timer) ?? timer.seconds));
  const answer = await give("timer", { ...planOf("timer", timer), seconds }, { done: tr("The timer is there again.") });
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
  const answer = await give("alarm", planOf("alarm", alarm), { done: tr("The alarm is there again.") });
  if (answer && alarm.on === false) await give("alarm_off", { alarm: answer.number });
}

const unskip = (alarm) => (isOnce(alarm) ? setAgain(alarm)
  : give("alarm_unskip", { alarm: alarm.number }, { done: tr("The next ring is not left out.") }));

const isOnce = ({ days }) => days === "once" || /^\d/.test(days);

function alarmPart(first) {
  const what = title("alarm", first);
  const name = first.name ?? first.number;
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
    type: "checkbox", role: "switch", "aria-label": tr("{name} is on", { name: nameOf("alarm", first) }),
    onchange: () => turnTo(turn.checked) });
  const row = rowPart("alarm", first, {
    control: turn, below,
    words({ state, rings, days, tune, origin, skipped, reason }) {
      const when = rings ? whenText(Date.parse(rings)) : "";
      const next = {
        ringing: tr("rings now"), snoozing: tr("snoozes, rings {when} again", { when }),
      }[state] ?? (when && tr("rings {when}", { when }));
      return [
        state === "off" && tr("off"), next, daysText(days), tune && valueText("announce.chime", tune),
        origin === "configuration" && tr("of the configuration"),
        skipped && tr("without {when}", { when: whenText(Date.parse(skipped)) }),
        reason && tr("silent: {reason}", { reason })];
    },
    digits: ({ time }) => timeOfDayText(time),
    orders: [
      [tr("Snooze"), tr("Snooze {what}", { what }), "snooze", ["ringing"], { done: tr("It rings again later.") }],
      [tr("Stop"), tr("Stop {what}", { what }), "stop", ["ringing", "snoozing"],
        { done: tr("The alarm is stopped."), class: "main" }],
      [tr("Skip next"), tr("Skip next ring of {what}", { what }), "skip", ["waiting"],
        { done: tr("The next ring is left out."), undo: isPlain || !isOnce(first) ? unskip : undefined }],
      [tr("Change"), tr("Change {what}", { what }), change, isMine && isPlain ? ["waiting", "off"] : [],
        { class: "change" }],
      [tr("Remove"), tr("Remove {name}", { name: what }), "cancel", removable,
        { done: tr("The alarm {name} is removed.", { name }), undo: isPlain ? setAgain : undefined }],
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
  if (!interval) return tr("None runs.");
  const when = whenText(Date.parse(interval.started));
  const { seconds, rounds } = interval;
  if (seconds) return tr("A signal every {length}, since {when}.", { length: lengthText(seconds), when });
  const work = lengthText(interval.work);
  const rest = interval.rest ? lengthText(interval.rest) : "";
  if (rounds && rest) {
    return tr("{rounds} rounds of {work} work and {rest} rest, since {when}.", { rounds, work, rest, when });
  }
  if (rounds) return tr("{rounds} rounds of {work} work, since {when}.", { rounds, work, when });
  if (rest) return tr("Rounds of {work} work and {rest} rest, since {when}.", { work, rest, when });
  return tr("Rounds of {work} work, since {when}.", { work, when });
}

// MARK: All of it

byId("interval-stop").addEventListener("click", () =>
  give("interval_stop", {}, { done: tr("The interval is over.") }));

let rang = new Set();

function ringText({ kind, name, number }) {
  const called = { name: name ?? number };
  return kind === "timer" ? tr("The timer {name} rings.", called) : tr("The alarm {name} rings.", called);
}

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
      ({ kind: "interval", number: interval.started, name: tr("Interval"), state: "runs", ...interval }))];
  drawSoon(all, state.alarm_rings);
  // What begins to ring is told once.
  const rings = all.filter((each) => each.state === "ringing").map(ringText);
  for (const words of rings) if (!rang.has(words)) notice(words);
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
      if (record.state === "ringing") write(digits, tr("rings"));
      else if (record.kind === "interval") write(digits, tr("runs"));
      else if (record.kind === "alarm") write(digits, record.rings ? whenText(Date.parse(record.rings)) : "");
      else if (record.state === "paused") write(digits, tr("{left}, paused", { left: leftText(record) }));
      else write(digits, leftText(record));
    },
  };
  return part;
}
