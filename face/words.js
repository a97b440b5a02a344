// Times, lengths and states in plain words.

import { DAY } from "./clock.js";
import { h } from "./dom.js";
import { language, tr, trEach } from "./language.js";
import { store } from "./store.js";

const ABBREVIATIONS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

// The day stands before the month.
const locale = language === "en" ? "en-GB" : language;
const dateFormat = (options) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });
const FULL_DATE = dateFormat({ weekday: "long", day: "numeric", month: "long" });
const [WEEKDAY, SHORT_WEEKDAY] = ["long", "short"].map((weekday) => dateFormat({ weekday }));
const RELATIVE_DAY = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const LIST = new Intl.ListFormat(language);
const NUMBER = new Intl.NumberFormat(language, { useGrouping: false });
const PLURAL = new Intl.PluralRules(language);

/** AM and PM. */
const HALVES = [0, 12].map((hour) => {
  const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", hour: "numeric", hour12: true });
  return format.formatToParts(Date.UTC(2000, 0, 1, hour)).find(({ type }) => type === "dayPeriod").value;
});

/** Days as files have them, each with its words. */
export const RANGES = [["mon-sun", tr("every day")], ["mon-fri", tr("Monday to Friday")],
  ["sun-thu", tr("Sunday to Thursday")], ["fri-sat", tr("Friday and Saturday")],
  ["sat-sun", tr("Saturday and Sunday")]];
/** The first of January 2000 was a Saturday. Each day with its name, and its short name. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0].map((day) => {
  const date = Date.UTC(2000, 0, day + 2);
  return [ABBREVIATIONS[day], WEEKDAY.format(date), SHORT_WEEKDAY.format(date)];
});
/** The keys of the days of a text as in `mon-wed, sat`. */
export const daysOf = (text) => text.split(",").flatMap((part) => {
  const keys = WEEKDAYS.map(([key]) => key);
  const [first, last = first] = part.trim().split("-").map((key) => keys.indexOf(key));
  return keys.filter((_, day) => (day - first + 7) % 7 <= (last - first + 7) % 7);
});
/** As in `Monday to Friday`, or in `Mon-Wed, Fri` for other lists. A date stays as it is. */
export function daysText(days) {
  const known = [["once", tr("once")], ...RANGES, ...WEEKDAYS].find(([key]) => key === days);
  return known?.[1] ?? days.replace(/[a-z]{3}/g, (key) => WEEKDAYS.find(([day]) => day === key)?.[2] ?? key);
}

const two = (number) => String(number).padStart(2, "0");
const usesTwelve = () => store.value("announce.clock") === "12";

/** A number, with the comma of the language. */
export const numberText = (number) => NUMBER.format(number);

/** A sentence of the clock or the relay, which is English. */
export const english = (text) => (language === "en" ? text : h("span", { lang: "en" }, text));

/** What the voice says, in its language. */
export function spoken(text) {
  const voice = store.state?.voice?.replace(/^.*\//, "");
  const found = /^(de|es|fr|it|pt|ru|ja|nl|pl)(?:-|$)/.exec(voice);
  return h("span", { lang: found?.[1] ?? "en" }, tr("“{text}”", { text }));
}

/** As in `The page is open too often.` of what the relay says. */
export const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

/** Hours, minutes, seconds and AM or PM (or nothing) of an instant, as texts. */
export function clockParts(instant) {
  const local = store.clock.local(instant);
  const hour = local.getUTCHours();
  return {
    hour: usesTwelve() ? String(hour % 12 || 12) : two(hour), minute: two(local.getUTCMinutes()),
    second: two(local.getUTCSeconds()), half: usesTwelve() ? HALVES[Math.floor(hour / 12)] : "",
    turn: (hour % 12) * 3600 + local.getUTCMinutes() * 60 + local.getUTCSeconds(),
  };
}

/** As in `3:15 PM` or `15:15`; on demand with the seconds. While no time is known, none is shown. */
export function timeText(instant, { hasSeconds = false } = {}) {
  if (!store.knowsTime) return "–:––";
  const parts = clockParts(instant);
  const seconds = hasSeconds ? `:${parts.second}` : "";
  return `${parts.hour}:${parts.minute}${seconds}${parts.half && " " + parts.half}`;
}

/** As in `07:00` from a file, by the clock that the owner reads. */
export function timeOfDayText(time) {
  const [hour, minute] = time.split(":").map(Number);
  return usesTwelve() ? `${hour % 12 || 12}:${two(minute)} ${HALVES[Math.floor(hour / 12)]}` : time;
}

export function dateText(instant) {
  if (!store.knowsTime) return "–";
  return FULL_DATE.format(store.clock.local(instant));
}

/** As in `3:15 PM`, `tomorrow 7:00 AM` or `Friday 7:00 AM`, seen from now. */
export function whenText(instant, options) {
  const time = timeText(instant, options);
  if (!store.knowsTime) return time;
  const days = (store.clock.day(instant) - store.clock.day(store.clock.now)) / DAY;
  if (days === 0) return time;
  if (Math.abs(days) === 1) return `${RELATIVE_DAY.format(days, "day")} ${time}`;
  const format = Math.abs(days) < 7 ? WEEKDAY : FULL_DATE;
  return `${format.format(store.clock.local(instant))} ${time}`;
}

/** As in `5:03` or `1:05:03`: what is left of a timer, rounded up. */
export function countdown(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** As in `1 h 30 min` or `45 s`. */
export function lengthText(seconds) {
  const rounded = Math.round(seconds);
  const parts = [[Math.floor(rounded / 86_400), tr("d")], [Math.floor(rounded / 3600) % 24, "h"],
    [Math.floor(rounded / 60) % 60, "min"], [rounded % 60, "s"]];
  return parts.filter(([count]) => count).map(([count, unit]) => `${count} ${unit}`).join(" ") || "0 s";
}

/** As in `0.4 ms`, `12 ms`, `3 s` or `1 min 30 s`. */
export function smallLength(milliseconds) {
  const size = Math.abs(milliseconds);
  if (size >= 60_000) return lengthText(size / 1000);
  if (size >= 1000) return `${numberText((size / 1000).toFixed(size < 10_000 ? 1 : 0))} s`;
  return `${numberText(size.toFixed(size < 10 ? 1 : 0))} ms`;
}

const BASES = trEach({
  disciplined: "The network keeps it right.",
  synchronised_earlier: "The network has set it, and is away now.",
  agrees_with_rtc: "The real-time clock agrees; the network is away.",
  no_rtc: "The network has not set it, and no real-time clock vouches for it.",
  invalid_rtc: "The network has not set it, and the real-time clock has lost the time.",
  differs_from_rtc: "The network has not set it, and the real-time clock shows another time.",
  was_set: "The network has not set it; somebody has.",
  held_too_long: "The network has been away for too long.",
});

/** Whether the time is right, in one or two sentences. */
export function trustText(state) {
  if (!store.hasZone) return tr("The time zone is not set: no time is shown or said until it is.");
  const basis = BASES[state.clock_basis] ?? "";
  return `${state.trust === "untrusted" ? tr("The time may be wrong.") : tr("The time is right.")} ${basis}`;
}

/** What a timer or an alarm is called, as in `timer 3` or `timer tea`. */
export function thingText(kind, name) {
  return kind === "timer" ? tr("timer {name}", { name }) : tr("alarm {name}", { name });
}

/** How late a sound was: as in `12 ms late`. */
export function latenessText(milliseconds) {
  const length = smallLength(milliseconds);
  return milliseconds > 0 ? tr("{length} late", { length }) : tr("{length} early", { length });
}

function blowsText(count) {
  return PLURAL.select(count) === "one" ? tr("{count} blow", { count }) : tr("{count} blows", { count });
}

/** What an occasion sounds like, in parts, as in `westminster and 12 blows, “twelve P M”`. */
export function heardText({ chime, strikes, text }) {
  const tune = chime && chime !== "none" ? chime.replace(/^.*\//, "").replace(/\.tune$/, "") : "";
  const bells = LIST.format([tune, strikes && blowsText(strikes)].filter(Boolean));
  if (!text) return [bells || tr("a sound")];
  return bells ? [bells, ", ", spoken(text)] : [spoken(text)];
}

/**
 * Times of day as files have them, as in `sun-thu 22:00-07:00 -15dB`: a list of `{ days, from, to, level }` with a Set
 * of numbers of weekdays, minutes, and the level as a text. Null if they cannot be read.
 */
export function readTimes(text) {
  if (!text || text === "none") return [];
  const found = [];
  const pattern = /^(?:([a-z]{3})(?:-([a-z]{3}))?\s+)?(\d\d):(\d\d)-(\d\d):(\d\d)(?:\s+(-?[\d.]+dB))?$/i;
  for (const part of text.split(",")) {
    const words = pattern.exec(part.trim());
    if (!words) return null;
    const first = ABBREVIATIONS.indexOf((words[1] ?? "mon").toLowerCase());
    const last = ABBREVIATIONS.indexOf((words[2] ?? words[1] ?? "sun").toLowerCase());
    if (first < 0 || last < 0) return null;
    const days = new Set();
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === last) break;
    }
    found.push({
      days, range: words[1] ? `${words[1]}${words[2] ? `-${words[2]}` : ""}`.toLowerCase() : "", level: words[7] ?? "",
      from: words[3] * 60 + +words[4], to: words[5] * 60 + +words[6] });
  }
  return found;
}
