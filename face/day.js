// The day: what has sounded, what has not and why, and what will.

import { byId, h, redraw, svg, write } from "./dom.js";
import { store } from "./store.js";
import { dateText, heardText, readTimes, smallLength, timeText, whenText } from "./words.js";

const SHOWN = 5;

/** What was, oldest first: `{ at, kind, words, reason }` with the kinds `sounded`, `silent` and `failed`; `reason` is a key. */
function past() {
  // A notice has the reason in a sentence of its own; the agenda has the words alone.
  const reasons = new Map(store.agenda.lines.filter(({ sounds }) => !sounds).map((line) => [line.reason_key, line.reason]));
  const found = [];
  for (const { at, event, text, fields = {} } of store.notices) {
    const instant = Date.parse(fields.OCCASION ?? fields.DUE ?? at);
    if (event === "announced") {
      const error = fields.ONSET_ERROR_USEC / 1000;
      const late = Math.abs(error) >= 100 ? `, ${smallLength(error)} ${error > 0 ? "late" : "early"}` : "";
      const chime = fields.CHIME === "yes" ? "chime" : "";
      const why = { request: ", asked for", timer: ", of a timer", alarm: ", of an alarm", interval: ", of the interval" }[fields.CAUSE] ?? "";
      found.push({ at: fields.CAUSE === "occasion" ? instant : Date.parse(at), kind: "sounded",
        words: `${[chime, fields.TEXT && `“${fields.TEXT}”`].filter(Boolean).join(" and ") || "a sound"}${why}${late}` });
    } else if (event === "skipped") {
      found.push({ at: instant, last: Date.parse(fields.OCCASION_LAST ?? fields.OCCASION ?? at), kind: "silent",
        reason: fields.REASON, words: reasons.has(fields.REASON) ? `silent: ${reasons.get(fields.REASON)}` : text });
    } else if (event === "alarm_rings" || event === "timer_elapsed") {
      found.push({ at: Date.parse(at), kind: "sounded", isRing: true, words: text });
    } else if (["alarm_missed", "timer_missed", "timer_unheard", "cut_off", "refused"].includes(event)) {
      found.push({ at: Date.parse(at), kind: event === "refused" || event === "cut_off" ? "silent" : "failed", words: text });
    }
  }
  return found.sort((one, other) => one.at - other.at);
}

/** What is due, with the kinds `will` and `silent`. */
function due() {
  const now = store.clock.now ?? 0;
  return store.agenda.lines.filter((line) => Date.parse(line.instant) > now).map((line) => {
    const isRing = line.cause === "alarm" || line.cause === "timer";
    const name = line.name ? ` ${line.name}` : line.number ? ` ${line.number}` : "";
    const what = isRing ? `${line.cause}${name}` : line.cause === "interval"
      ? line.signal === "end" ? "end of the interval" : "next signal of the interval" : heardText(line);
    return { at: Date.parse(line.instant), kind: line.sounds ? "will" : "silent", words: line.sounds ? what : `silent: ${line.reason}`,
      reason: line.reason_key, isRing };
  });
}

/** Neighbours that are silent for the same reason become one entry. */
function joined(entries) {
  const found = [];
  for (const entry of entries) {
    const last = found.at(-1);
    const isSame = last && entry.kind === "silent" && last.kind === "silent" && entry.reason && entry.reason === last.reason;
    if (isSame) last.last = entry.last ?? entry.at;
    else found.push({ ...entry });
  }
  return found;
}

function line(entry) {
  const range = entry.last && entry.last !== entry.at;
  const when = range ? `${whenText(entry.at)} to ${timeText(entry.last)}` : whenText(entry.at);
  return h("li", { class: `entry ${entry.kind}${entry.isRing ? " ring" : ""}` },
    h("span", { class: "when" }, when), h("span", { class: "what", dir: "auto" }, entry.words));
}

const list = (entries) => h("ol", { class: "plain entries" }, ...entries.map(line));

/** A strip of the day from midnight to midnight, for the eye; the lists say the same. */
function strip(before, after, from, to) {
  const place = (instant) => ((instant - from) / (to - from)) * 1440;
  const marks = [];
  const bar = (name, start, end) => marks.push(svg("rect", { class: name, x: place(start), y: 0, width: Math.max(0, place(end) - place(start)), height: 60 }));
  const { clock } = store;
  for (const window of readTimes(store.value("announce.quiet")) ?? []) {
    for (const offset of [-86_400_000, 0]) {
      const midnight = clock.startOfDay(from + 43_200_000 + offset);
      const local = clock.local(midnight);
      if (!window.days.has(local.getUTCDay())) continue;
      const end = window.to <= window.from ? window.to + 1440 : window.to;
      const start = clock.instantOf(local.getTime() + window.from * 60_000);
      const stop = clock.instantOf(local.getTime() + end * 60_000);
      if (stop > from && start < to) bar("night", Math.max(start, from), Math.min(stop, to));
    }
  }
  const mark = (at, name, top, bottom) => {
    if (at < from || at >= to) return;
    const x = place(at).toFixed(1);
    marks.push(svg("path", { class: name, d: `M${x} ${top}V${bottom}` }));
  };
  for (const entry of [...before, ...after]) {
    const isHour = entry.at % 3_600_000 === 0;
    if (entry.isRing) mark(entry.at, `ring ${entry.kind}`, 4, 56);
    else if (entry.kind === "silent") mark(entry.at, "silent", 46, 54);
    else mark(entry.at, entry.kind, isHour ? 22 : 34, 54);
  }
  const hours = [];
  for (let hour = 0; hour <= 24; hour += 6) {
    hours.push(h("span", {}, hour === 24 ? "" : timeText(clock.instantOf(clock.local(from).getTime() + hour * 3_600_000))));
  }
  const now = svg("path", { class: "now-mark", d: `M${place(clock.now).toFixed(1)} 0V60` });
  return h("div", { class: "strip", "aria-hidden": "true" },
    svg("svg", { viewBox: "0 0 1440 60", preserveAspectRatio: "none" },
      svg("rect", { class: "ground", width: 1440, height: 60 }), ...marks, now),
    h("div", { class: "hours" }, ...hours));
}

export function drawDay() {
  const { clock } = store;
  if (clock.now === null || !store.state) return;
  const part = byId("day");
  const minute = Math.floor(clock.now / 60_000);
  const key = JSON.stringify([minute, store.notices.length, store.notices.at(-1)?.at, store.agenda.read, store.value("announce.quiet"),
    store.value("announce.clock")]);
  if (part.drawnKey === key) return;
  // Opened lists stay open.
  const isOpen = [...part.querySelectorAll("details")].map((details) => details.open);
  const focused = [...part.querySelectorAll("summary")].indexOf(document.activeElement);
  redraw(part, key, () => {
    const from = clock.startOfDay(clock.now);
    const to = clock.startOfDay(from + 36 * 3_600_000);
    const [before, after] = [past(), due()];
    const coming = joined(after);
    const gone = joined(before).reverse();
    const more = (title, entries) => entries.length ? h("details", {}, h("summary", {}, title), list(entries)) : null;
    const { switch_silences: silenced, untrusted } = store.agenda;
    const note = silenced ? silenced === "everything" ? "The switch is off: nothing of this sounds until it is on."
      : "The switch is off: of this, only timers, alarms and the interval sound until it is on."
      : untrusted && untrusted !== "speak" ? "The time may be wrong: until the clock is trusted again, the time is not said." : "";
    const until = store.agenda.until ? `Up to ${whenText(Date.parse(store.agenda.until))}` : "Later";
    return [
      strip(before, after, from, to),
      h("p", { class: "legend soft" }, dateText(from), h("span", { class: "key sounded" }, "sounded"), h("span", { class: "key will" }, "will sound"),
        h("span", { class: "key silent" }, "silent"), h("span", { class: "key night" }, "quiet hours")),
      h("div", { class: "columns" },
        h("div", {}, h("h3", {}, "Next"), note && h("p", { class: "soft" }, note),
          coming.length ? list(coming.slice(0, SHOWN)) : h("p", { class: "soft" }, "Nothing is due."),
          more(until, coming.slice(SHOWN))),
        h("div", {}, h("h3", {}, "Before"),
          gone.length ? list(gone.slice(0, SHOWN)) : h("p", { class: "soft" }, "Nothing yet since the relay started."),
          more("Earlier", gone.slice(SHOWN)))),
    ];
  });
  part.querySelectorAll("details").forEach((details, index) => { details.open = isOpen[index] ?? false; });
  part.querySelectorAll("summary")[focused]?.focus();
}

let dayOfNoon;

/** The picture of the next noon; asked for again when that noon has passed, or a setting has changed. */
export function drawNoon({ again = false } = {}) {
  const { clock, contact } = store;
  if (contact !== "live" || clock.now === null) return;
  const day = clock.startOfDay(clock.now + 43_200_000);
  if (day === dayOfNoon && !again) return;
  dayOfNoon = day;
  const figure = byId("noon");
  const image = h("img", { src: `/v1/noon.svg?${Date.now()}`, loading: "lazy", width: 1200, height: 420,
    alt: "The level over time of the announcement at noon: the melody before the hour, the blows from the hour on, and the words." });
  const picture = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture of noon" }, image);
  image.addEventListener("error", () => picture.replaceChildren(h("p", { class: "soft" }, "The picture cannot be made now."),
    h("button", { type: "button", onclick: () => drawNoon({ again: true }) }, "Try again")));
  const hasFocus = figure.contains(document.activeElement);
  figure.replaceChildren(picture);
  if (hasFocus) picture.focus();
}
