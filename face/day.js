// The day: what has sounded, what has not and why, and what will.

import { place } from "./api.js";
import { DAY } from "./clock.js";
import { button, byId, fill, h, svg } from "./dom.js";
import { parts, tr, trEach } from "./language.js";
import { store } from "./store.js";
import {
  dateText, english, heardText, latenessText, readTimes, spoken, thingText, timeText, whenText,
} from "./words.js";

const SHOWN = 5;

const CAUSES = trEach({
  request: "asked for", timer: "of a timer", alarm: "of an alarm", interval: "of the interval",
});

/** Why nothing sounds, in the words of the clock, as parts. */
const silence = (reason) => parts("silent: {reason}", { reason: english(reason) });

/** What has sounded, as parts: `chime and “twelve P M”, asked for, 120 ms late`. */
function soundedWords({ CHIME: chime, TEXT: text, CAUSE: cause, ONSET_ERROR_USEC: microseconds }) {
  const late = microseconds / 1000;
  const more = [CAUSES[cause], Math.abs(late) >= 100 && latenessText(late)].filter(Boolean);
  return [...heardWords(chime === "yes", text), ...more.map((words) => `, ${words}`)];
}

function heardWords(hasChime, text) {
  if (!text) return [hasChime ? tr("chime") : tr("a sound")];
  return hasChime ? parts("chime and {words}", { words: spoken(text) }) : [spoken(text)];
}

/**
 * What was, oldest first: `{ at, kind, words, reason }`; a kind is `sounded`, `silent` or `failed`, words are parts, a
 * reason is a key.
 */
function past() {
  // A notice has the reason in a sentence of its own; the agenda has the words alone.
  const silent = store.agenda.lines.filter(({ sounds }) => !sounds);
  const reasons = new Map(silent.map((line) => [line.reason_key, line.reason]));
  const found = [];
  for (const { at, event, text, fields = {} } of store.notices) {
    const instant = Date.parse(fields.OCCASION ?? fields.DUE ?? at);
    if (event === "announced") {
      found.push({ at: fields.CAUSE === "occasion" ? instant : Date.parse(at), kind: "sounded",
        words: soundedWords(fields) });
    } else if (event === "skipped") {
      const why = reasons.get(fields.REASON);
      found.push({ at: instant, last: Date.parse(fields.OCCASION_LAST ?? fields.OCCASION ?? at), kind: "silent",
        reason: fields.REASON, words: why === undefined ? [english(text)] : silence(why) });
    } else if (event === "alarm_rings" || event === "timer_elapsed") {
      found.push({ at: Date.parse(at), kind: "sounded", isRing: true, words: [english(text)] });
    } else if (["alarm_missed", "timer_missed", "timer_unheard", "cut_off", "refused"].includes(event)) {
      const kind = event === "refused" || event === "cut_off" ? "silent" : "failed";
      found.push({ at: Date.parse(at), kind, words: [english(text)] });
    }
  }
  return found.sort((one, other) => one.at - other.at);
}

/** What is due, with the kinds `will` and `silent`. */
function due() {
  const now = store.clock.now ?? 0;
  return store.agenda.lines.filter((line) => Date.parse(line.instant) > now).map((line) => {
    const isRing = line.cause === "alarm" || line.cause === "timer";
    const [kind, words] = line.sounds ? ["will", dueWords(line, isRing)] : ["silent", silence(line.reason)];
    return { at: Date.parse(line.instant), kind, words, reason: line.reason_key, isRing };
  });
}

function dueWords(line, isRing) {
  if (isRing) return [thingText(line.cause, line.name || line.number || "").trim()];
  if (line.cause !== "interval") return heardText(line);
  return [line.signal === "end" ? tr("end of the interval") : tr("next signal of the interval")];
}

/** Neighbours that are silent for the same reason become one entry. */
function joined(entries) {
  const found = [];
  for (const entry of entries) {
    const last = found.at(-1);
    const areSilent = entry.kind === "silent" && last?.kind === "silent";
    const isSame = areSilent && entry.reason && entry.reason === last.reason;
    if (isSame) last.last = entry.last ?? entry.at;
    else found.push({ ...entry });
  }
  return found;
}

function line(entry) {
  const range = entry.last && entry.last !== entry.at;
  const from = whenText(entry.at);
  const when = range ? tr("{from} to {to}", { from, to: timeText(entry.last) }) : from;
  return h("li", { class: `entry ${entry.kind}${entry.isRing ? " ring" : ""}` },
    h("span", { class: "when" }, when), h("span", { class: "what", dir: "auto" }, ...entry.words));
}

const list = (entries) => h("ol", { class: "plain entries" }, ...entries.map(line));

/** A strip of the day from midnight to midnight, for the eye; the lists say the same. */
function strip(before, after, from, to) {
  const left = (instant) => ((instant - from) / (to - from)) * 1440;
  const marks = [];
  const { clock } = store;
  for (const window of readTimes(store.value("announce.quiet")) ?? []) {
    for (const midnight of [clock.day(from) - DAY, clock.day(from)]) {
      if (!window.days.has(new Date(midnight).getUTCDay())) continue;
      const end = window.to <= window.from ? window.to + 1440 : window.to;
      const start = Math.max(from, clock.instantOf(midnight + window.from * 60_000));
      const width = left(Math.min(to, clock.instantOf(midnight + end * 60_000))) - left(start);
      if (width > 0) marks.push(svg("rect", { class: "night", x: left(start), width, height: 60 }));
    }
  }
  const mark = (at, name, top, bottom) => {
    if (at < from || at >= to) return;
    const x = left(at).toFixed(1);
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
    const at = clock.instantOf(clock.local(from).getTime() + hour * 3_600_000);
    hours.push(h("span", { translate: "no" }, hour === 24 ? "" : timeText(at)));
  }
  const now = svg("path", { class: "now-mark", d: `M${left(clock.now).toFixed(1)} 0V60` });
  return h("div", { class: "strip", "aria-hidden": "true" },
    svg("svg", { viewBox: "0 0 1440 60", preserveAspectRatio: "none" },
      svg("rect", { class: "ground", width: 1440, height: 60 }), ...marks, now),
    h("div", { class: "hours" }, ...hours));
}

export function drawDay() {
  const { clock } = store;
  const part = byId("day");
  if (!store.hasZone) fill(part, h("p", { class: "soft" }, tr("The day is shown once the time zone is set.")));
  if (!store.knowsTime || !store.state) return;
  // Opened lists stay open.
  const isOpen = [...part.querySelectorAll("details")].map((details) => details.open);
  const focused = [...part.querySelectorAll("summary")].indexOf(document.activeElement);
  const from = clock.startOfDay(clock.now);
  const to = clock.startOfDay(from + 1.5 * DAY);
  const [before, after] = [past(), due()];
  const coming = joined(after);
  const gone = joined(before).reverse();
  const more = (title, entries) =>
    entries.length ? h("details", {}, h("summary", {}, title), list(entries)) : null;
  const { switch_silences: silenced, untrusted } = store.agenda;
  const note = silenced === "everything" ? tr("The switch is off: nothing of this sounds until it is on.")
    : silenced ? tr("The switch is off: of this, only timers, alarms and the interval sound until it is on.")
    : untrusted && untrusted !== "speak"
      ? tr("The time may be wrong: until the clock is trusted again, the time is not said.") : "";
  const end = store.agenda.until && whenText(Date.parse(store.agenda.until));
  const until = end ? tr("Up to {when}", { when: end }) : tr("Later");
  const key = (name, words) => h("span", { class: `key ${name}` }, words);
  fill(part,
    strip(before, after, from, to),
    h("p", { class: "legend soft" }, dateText(from), key("sounded", tr("sounded")),
      key("will", tr("will sound")), key("silent", tr("silent")), key("night", tr("quiet hours"))),
    h("div", { class: "columns" },
      h("div", {}, h("h3", {}, tr("Next")), note && h("p", { class: "soft" }, note),
        coming.length ? list(coming.slice(0, SHOWN)) : h("p", { class: "soft" }, tr("Nothing is due.")),
        more(until, coming.slice(SHOWN))),
      h("div", {}, h("h3", {}, tr("Before")),
        gone.length ? list(gone.slice(0, SHOWN))
          : h("p", { class: "soft" }, tr("Nothing yet since the relay started.")),
        more(tr("Earlier"), gone.slice(SHOWN)))));
  part.querySelectorAll("details").forEach((details, index) => { details.open = isOpen[index] ?? false; });
  part.querySelectorAll("summary")[focused]?.focus();
}

let version = 0;
let failed;

/** The picture of the next noon; asked for again when that noon has passed, or a setting has changed. */
export function drawNoon({ again = false } = {}) {
  const { clock, contact } = store;
  if (contact !== "live" || !store.knowsTime) return;
  if (again) version = Date.now();
  const figure = byId("noon");
  const src = `${place("/v1/noon.svg")}?${clock.startOfDay(clock.now + DAY / 2)}-${version}`;
  const alt = tr("The level over time of the announcement at noon: the melody before the hour, the blows from the hour "
    + "on, and the words.");
  const hadFocus = figure.contains(document.activeElement);
  const fail = () => { failed = src; drawNoon(); };
  const shown = failed === src
    ? [h("p", { class: "soft" }, tr("The picture cannot be made now.")),
      button(tr("Try again"), () => drawNoon({ again: true }))]
    : [h("img", { src, alt, loading: "lazy", width: 1200, height: 420, onerror: fail })];
  const label = tr("Picture of noon");
  fill(figure, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, ...shown));
  if (hadFocus && !figure.contains(document.activeElement)) figure.firstElementChild.focus();
}
