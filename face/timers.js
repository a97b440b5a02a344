// Timers, alarms and the interval, with their controls.

import { give, tell } from "./act.js";
import { byId, field, fill, h, keepList, named, newId, select, show, write } from "./dom.js";
import { store } from "./store.js";
import { countdown, daysText, lengthText, RANGES, timeOfDayText, WEEKDAYS, whenText } from "./words.js";

const button = (text, label, onclick, className) =>
  h("button", { type: "button", class: className, "aria-label": label, onclick }, text);

/** What a timer or an alarm is called, as in `timer 3` or `timer tea`. */
const title = (kind, record) => `${kind} ${record.name ?? record.number}`;

/** A row is of one thing as long as both are the same: its labels and buttons name it. */
const identity = ({ number, name }) => `${number} ${name ?? ""}`;

/** Minutes and seconds as inputs; `seconds()` is their sum. */
function lengthInputs(legend, minutes) {
  const input = (label, value, max) => h("input", { type: "number", inputmode: "numeric", min: 0, max, step: "any", value, "aria-label": label });
  const [minute, second] = [input(`${legend}: minutes`, minutes, 44_640), input(`${legend}: seconds`, "", 2_678_400)];
  second.placeholder = "0";
  return {
    element: h("fieldset", { class: "plain length" }, h("legend", {}, legend), minute, h("span", { "aria-hidden": "true" }, "min"),
      second, h("span", { "aria-hidden": "true" }, "s")),
    seconds: () => Number(minute.value) * 60 + Number(second.value),
  };
}

const refusal = () => h("p", { class: "error", role: "alert" });

// MARK: Timers

export function startTimers() {
  const length = lengthInputs("Length", 10);
  const name = h("input", { type: "text", maxlength: 40, dir: "auto", autocomplete: "off", id: "timer-name" });
  const error = refusal();
  const begin = async (seconds) => {
    const keys = name.value.trim() ? { seconds, name: name.value.trim() } : { seconds };
    const answer = await give("timer", keys, { done: `A timer of ${lengthText(seconds)} runs.`, error });
    if (answer) name.value = "";
  };
  byId("timers").replaceChildren(
    h("ul", { class: "plain", id: "timer-list" }), h("p", { class: "soft", id: "no-timers" }, "None runs."),
    h("h3", {}, "New timer"),
    h("div", { class: "row quick", role: "group", "aria-label": "Start a timer at once" },
      ...[1, 3, 5, 10, 20, 30].map((minutes) => button(`${minutes} min`, `Start a timer of ${minutes} minutes`, () => begin(minutes * 60)))),
    h("form", { onsubmit: (event) => { event.preventDefault(); begin(length.seconds()); } },
      length.element, field("Name, if you like", name), error, h("p", { class: "row" }, h("button", { type: "submit", class: "main" }, "Start the timer"))));
}

function timerPart(first) {
  const what = title("timer", first);
  const order = (name, options, keys) => give(name, { timer: first.number, ...keys }, { ...options, thing: what });
  const digits = h("span", { class: "left-digits", translate: "no" });
  const state = h("span", { class: "soft" });
  // For the eye: the digits say the same.
  const bar = h("progress", { max: first.seconds, "aria-hidden": "true" });
  const pause = button("Pause", `Pause ${what}`, () => order("timer_pause"));
  const resume = button("Go on", `Let ${what} go on`, () => order("timer_resume"));
  const add = button("+1 min", `Add a minute to ${what}`, () => order("timer_add", {}, { seconds: 60 }));
  const say = button("Say it", `Say what is left of ${what}`, () => order("timer_tell", { done: (answer) => `“${answer.text}”` }));
  const remove = () => order("timer_cancel", { done: `The ${what} is removed.` });
  const cancel = button("Remove", `Remove ${what}`, remove);
  const stop = button("Stop", `Stop ${what}`, () => order("timer_stop"), "main");
  const element = h("li", { class: "item" },
    h("div", { class: "line" }, h("span", { class: "grow" }, h("strong", {}, named(first.name ?? `Timer ${first.number}`)), h("br"), state), digits),
    bar, h("div", { class: "row" }, stop, pause, resume, add, say, cancel));
  let record = first;
  const part = {
    element,
    update(now) {
      record = now;
      const isRinging = now.state === "ringing";
      element.classList.toggle("ringing", isRinging);
      write(state, isRinging ? "rings now" : now.state === "paused" ? `paused, of ${lengthText(now.seconds)}` :
        `ends ${whenText(Date.parse(now.ends), { hasSeconds: true })}, of ${lengthText(now.seconds)}`);
      show(pause, now.state === "running");
      show(resume, now.state === "paused");
      show(say, !isRinging);
      show(stop, isRinging);
      show(cancel, !isRinging);
      bar.max = now.seconds;
      part.tick();
    },
    tick() {
      const left = timeLeft(record);
      write(digits, left === null ? "–:––" : countdown(left));
      bar.value = Math.max(0, left ?? 0);
    },
  };
  return part;
}

/** In seconds; null while the time is not known. */
function timeLeft(timer) {
  const { now } = store.clock;
  if (timer.state === "paused") return timer.left;
  if (timer.state === "ringing") return 0;
  return store.contact === "live" && now !== null ? (Date.parse(timer.ends) - now) / 1000 : null;
}

// MARK: Alarms

export function startAlarms() {
  const time = h("input", { type: "time", required: true, value: "07:00", id: "alarm-time" });
  const days = select([["", "the next time"], ...RANGES, ["days", "on these days"], ["date", "on a date"]], "");
  const boxes = WEEKDAYS.map(([day]) => [day, h("input", { type: "checkbox", id: newId("day") })]);
  const some = h("fieldset", { class: "plain days", hidden: true }, h("legend", { class: "unseen" }, "Days"),
    ...boxes.map(([day, box]) => h("span", {}, box, h("label", { for: box.id }, day[0].toUpperCase() + day.slice(1)))));
  const date = h("input", { type: "date" });
  const dated = field("Date", date);
  dated.hidden = true;
  days.addEventListener("change", () => {
    some.hidden = days.value !== "days";
    dated.hidden = days.value !== "date";
  });
  const name = h("input", { type: "text", maxlength: 40, dir: "auto", autocomplete: "off" });
  const tune = h("select", { id: "alarm-tune" });
  const rise = select([["", "at once"], ["1min", "over 1 minute"], ["5min", "over 5 minutes"], ["15min", "over 15 minutes"]], "");
  const error = refusal();
  const submit = async (event) => {
    event.preventDefault();
    const chosen = days.value === "days" ? boxes.filter(([, box]) => box.checked).map(([day]) => day).join(", ")
      : days.value === "date" ? date.value : days.value;
    if (!chosen && days.value) return void write(error, days.value === "date" ? "Choose a date." : "Choose a day.");
    const keys = { time: time.value, days: chosen, name: name.value.trim(), tune: tune.value, rise: rise.value };
    const given = Object.fromEntries(Object.entries(keys).filter(([, value]) => value));
    const answer = await give("alarm", given, { done: `The alarm is set for ${timeOfDayText(time.value)}.`, error });
    if (answer) name.value = "";
  };
  byId("alarm-list").replaceChildren(
    h("ul", { class: "plain", id: "alarm-items" }), h("p", { class: "soft", id: "no-alarms" }, "None is set."),
    h("h3", {}, "New alarm"),
    h("form", { onsubmit: submit },
      h("div", { class: "pair" }, field("Time", time), field("Rings", days)), some, dated, field("Name, if you like", name),
      h("div", { class: "pair" }, field("Sound", tune), field("Full volume", rise)), error,
      h("p", { class: "row" }, h("button", { type: "submit", class: "main" }, "Set the alarm"))));
}

function drawTunes() {
  const tune = byId("alarm-tune");
  const { value } = tune;
  const tunes = store.settings?.get("announce.chime")?.choices?.filter((name) => name !== "none") ?? [];
  fill(tune, ...select([["", "the signal of timers"], ...tunes]).children);
  tune.value = value;
}

function alarmPart(first) {
  const what = title("alarm", first);
  const order = (name, options) => give(name, { alarm: first.number }, { ...options, thing: what });
  const time = h("span", { class: "left-digits", translate: "no" });
  const state = h("span", { class: "soft" });
  const snooze = button("Snooze", `Snooze ${what}`, () => order("alarm_snooze", { done: "It rings again later." }));
  const stop = button("Stop", `Stop ${what}`, () => order("alarm_stop", { done: "The alarm is stopped." }), "main");
  const skip = button("Skip next", `Leave out the next ring of ${what}`, () => order("alarm_skip", { done: "The next ring is left out." }));
  const remove = () => order("alarm_cancel", { done: `The ${what} is removed.` });
  const cancel = button("Remove", `Remove ${what}`, remove);
  const element = h("li", { class: "item" },
    h("div", { class: "line" }, h("span", { class: "grow" }, h("strong", {}, named(first.name ?? `Alarm ${first.number}`)), h("br"), state), time),
    h("div", { class: "row" }, snooze, stop, skip, cancel));
  return {
    element,
    update(now) {
      write(time, timeOfDayText(now.time));
      element.classList.toggle("ringing", now.state === "ringing");
      const rings = now.rings ? `rings ${whenText(Date.parse(now.rings))}` : "";
      const words = now.state === "ringing" ? "rings now" : now.state === "snoozing" ? `snoozes, ${rings} again` : rings;
      write(state, [words, daysText(now.days), now.tune, now.origin === "configuration" ? "of the configuration" : "",
        now.skipped ? `without ${whenText(Date.parse(now.skipped))}` : "", now.reason ? `silent: ${now.reason}` : ""].filter(Boolean).join(" · "));
      show(snooze, now.state === "ringing");
      show(stop, now.state !== "waiting");
      show(skip, now.state === "waiting");
      show(cancel, now.origin === "person");
    },
  };
}

// MARK: The interval

export function startInterval() {
  const every = lengthInputs("Every", 5);
  const numbers = {
    work: ["Work, in seconds", 30, 1], rest: ["Rest, in seconds", 10, 0], prepare: ["Before the first round, in seconds", 10, 0],
    rounds: ["Rounds (empty: no end)", 8, 1], countdown: ["Seconds counted down", 3, 0],
  };
  const inputs = Object.fromEntries(Object.entries(numbers).map(([key, [label, value, min]]) =>
    [key, [label, h("input", { type: "number", inputmode: "numeric", min, value })]]));
  const words = h("input", { type: "checkbox", id: newId("words") });
  const kind = select([["plain", "a signal again and again"], ["rounds", "rounds of work and rest"]], "plain");
  const rounds = h("div", { hidden: true }, h("div", { class: "pair" }, ...Object.values(inputs).map(([label, input]) => field(label, input))),
    h("p", { class: "check" }, words, h("label", { for: words.id }, "The voice says the phases")));
  kind.addEventListener("change", () => {
    every.element.hidden = kind.value !== "plain";
    rounds.hidden = kind.value === "plain";
  });
  const error = refusal();
  const submit = (event) => {
    event.preventDefault();
    const keys = { replace: true };
    if (kind.value === "plain") keys.seconds = every.seconds();
    else {
      for (const [key, [, input]] of Object.entries(inputs)) if (input.value !== "") keys[key] = Number(input.value);
      keys.words = words.checked;
    }
    give("interval", keys, { done: "The interval runs.", error });
  };
  byId("interval").replaceChildren(
    h("p", { id: "interval-state" }), h("p", { class: "row" }, h("button", { type: "button", id: "interval-stop", hidden: true,
      onclick: () => give("interval_stop", {}, { done: "The interval is over." }) }, "Stop the interval")),
    h("form", { onsubmit: submit }, field("Kind", kind), every.element, rounds, error,
      h("p", { class: "row" }, h("button", { type: "submit", class: "main" }, "Start the interval"))));
}

function drawInterval(state) {
  const [interval] = state.intervals ?? [];
  const words = !interval ? "None runs." : interval.seconds
    ? `A signal every ${lengthText(interval.seconds)}, since ${whenText(Date.parse(interval.started))}.`
    : `${interval.rounds ? `${interval.rounds} rounds` : "Rounds"} of ${lengthText(interval.work)} work`
      + `${interval.rest ? ` and ${lengthText(interval.rest)} rest` : ""}, since ${whenText(Date.parse(interval.started))}.`;
  write(byId("interval-state"), words);
  show(byId("interval-stop"), Boolean(interval));
}

// MARK: All of it

let rang = new Set();

export function drawTimers() {
  const { state } = store;
  if (!state) return;
  const timers = state.timers ?? [];
  const alarms = state.alarms ?? [];
  keepList(byId("timer-list"), timers, identity, timerPart);
  byId("no-timers").hidden = timers.length > 0;
  keepList(byId("alarm-items"), alarms, (alarm) => `${alarm.origin} ${identity(alarm)}`, alarmPart);
  byId("no-alarms").hidden = alarms.length > 0;
  drawTunes();
  drawInterval(state);
  drawSoon(state);
  // What begins to ring is told once.
  const rings = [...timers.map((timer) => [title("timer", timer), timer.state]), ...alarms.map((alarm) => [title("alarm", alarm), alarm.state])]
    .filter(([, how]) => how === "ringing").map(([what]) => what);
  for (const what of rings) if (!rang.has(what)) tell(`The ${what} rings.`);
  rang = new Set(rings);
}

export function tickTimers() {
  for (const id of ["timer-list", "soon"]) for (const part of byId(id).kept?.values() ?? []) part.tick();
}

/** On the first page: what runs and rings, each a link to its controls. */
function drawSoon(state) {
  const next = (state.alarms ?? []).filter((alarm) => alarm.state !== "waiting" || alarm.rings === state.alarm_rings).slice(0, 3);
  const records = [...(state.timers ?? []).map((timer) => ({ kind: "timer", ...timer })), ...next.map((alarm) => ({ kind: "alarm", ...alarm })),
    ...(state.intervals ?? []).map((interval) => ({ kind: "interval", number: interval.started, name: "Interval", state: "runs", ...interval }))];
  keepList(byId("soon"), records, (record) => `${record.kind} ${identity(record)}`, soonPart);
}

function soonPart(first) {
  const digits = h("span", { class: "digits", translate: "no" });
  const link = h("a", { href: "#alarms" }, named(first.name ?? `${first.kind === "timer" ? "Timer" : "Alarm"} ${first.number}`), digits);
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
      else if (record.state === "paused") write(digits, `${countdown(record.left)}, paused`);
      else write(digits, timeLeft(record) === null ? "–:––" : countdown(timeLeft(record)));
    },
  };
  return part;
}
