// The time, large; what sounds next; and how the clock is.

import { give } from "./act.js";
import { button, byId, fill, h, named, svg, write } from "./dom.js";
import { parts, tr, trEach } from "./language.js";
import { openPairing } from "./pairing.js";
import { openSetting } from "./setup.js";
import { store } from "./store.js";
import {
  clockParts, dateText, english, heardText, latenessText, lengthText, smallLength, spoken, timeText, trustText,
  whenText,
} from "./words.js";

// MARK: The time

let hands;
let digits;

function makeDial() {
  const dial = byId("dial");
  const marks = [];
  for (let minute = 0; minute < 60; minute++) {
    const isHour = minute % 5 === 0;
    const end = minute % 15 === 0 ? -79 : -83;
    marks.push(svg("line", { class: isHour ? "hour-mark" : "mark", y1: -92, y2: isHour ? end : -88.5,
      transform: `rotate(${minute * 6})` }));
  }
  hands = {
    hour: svg("path", { class: "hand", d: "M0 12V-50", "stroke-width": 6 }),
    minute: svg("path", { class: "hand", d: "M0 14V-78", "stroke-width": 4 }),
    second: svg("path", { class: "second", d: "M0 20V-84", "stroke-width": 1.4 }),
    next: svg("circle", { class: "next-mark", cy: -96.5, r: 2.6 }),
  };
  dial.replaceChildren(svg("circle", { class: "face", r: 99 }), ...marks, hands.next,
    svg("g", { class: "hands" }, hands.hour, hands.minute, hands.second, svg("circle", { class: "hub", r: 3.4 })));
}

function makeDigits() {
  const part = (name) => h("span", { class: name });
  digits = { main: part("digits"), second: part("second"), half: part("half") };
  byId("time").replaceChildren(digits.main, h("span", { class: "small" }, digits.second, digits.half));
}

/** Shows the time of the Pi, or that it is not known. */
export function tick() {
  const { clock } = store;
  const isKnown = store.contact === "live" && store.knowsTime;
  document.body.classList.toggle("no-time", !isKnown);
  if (!isKnown) {
    write(digits.main, "–:––");
    write(digits.second, "");
    write(digits.half, "");
    write(byId("date"), "");
    byId("time").removeAttribute("datetime");
    return;
  }
  const now = clock.now;
  const { hour, minute, second, half, turn } = clockParts(now);
  write(digits.main, `${hour}:${minute}`);
  write(digits.second, `:${second}`);
  write(digits.half, half && ` ${half}`);
  byId("time").dateTime = new Date(now).toISOString();
  write(byId("date"), dateText(now));
  hands.hour.setAttribute("transform", `rotate(${turn / 120})`);
  hands.minute.setAttribute("transform", `rotate(${(Math.floor(turn / 60) % 60) * 6 + (turn % 60) / 10})`);
  hands.second.setAttribute("transform", `rotate(${(turn % 60) * 6})`);
  const next = store.isFresh && store.state.next ? Date.parse(store.state.next.at) : NaN;
  const isNear = next - now < 3_600_000;
  hands.next.setAttribute("visibility", isNear && store.state.next.sounds ? "visible" : "hidden");
  if (isNear) hands.next.setAttribute("transform", `rotate(${clockParts(next).turn / 10})`);
}

// MARK: Contact

/** Why the time or the rest is not what the clock says now; empty if all is well. */
function contactText() {
  const { clock } = store;
  if (store.contact === "lost") {
    const hasHeard = store.heard !== null && store.knowsTime;
    const time = hasHeard && timeText(store.heard, { hasSeconds: true });
    return [store.refusal ?? tr("There is no contact with the clock."),
      hasHeard && tr("The last contact was at {time}.", { time }),
      tr("What is below is old. Trying again …")].filter(Boolean).join(" ");
  }
  if (store.contact === "refused") return tr("This clock shows itself to paired phones only.");
  const isAsking = store.contact === "connecting" || (clock.now === null && store.contact === "live");
  if (isAsking) return tr("Asking the clock …");
  if (store.absent) {
    return tr("The Pi answers, but the clock on it does not run: nothing sounds. What is below is old.");
  }
  const words = [];
  if (Math.abs(clock.phoneAhead) > 1000 + clock.uncertainty) {
    const length = lengthText(Math.abs(clock.phoneAhead) / 1000);
    words.push(clock.phoneAhead > 0 ? tr("This phone's own clock is {length} ahead.", { length })
      : tr("This phone's own clock is {length} behind.", { length }));
  }
  const length = smallLength(clock.uncertainty);
  if (clock.uncertainty > 700) words.push(tr("The network is slow: the seconds may be {length} off here.", { length }));
  return words.join(" ");
}

export function drawContact() {
  const line = byId("contact");
  const words = contactText();
  write(line, words);
  line.hidden = !words;
  line.classList.toggle("bad", store.contact === "lost" || store.absent !== null);
  const isClosed = store.contact === "refused";
  byId("unpaired").hidden = store.isPaired || store.pairing.status === "unknown";
  byId("looks").hidden = isClosed;
  for (const id of ["say", "stop", "mute"]) byId(id).hidden = isClosed;
  const isUnsure = store.isFresh && (store.state.trust === "untrusted" || !store.hasZone);
  const isAsking = store.contact !== "lost" && !store.absent && !(store.state && store.fields.size);
  const states = { stale: !store.isFresh, closed: isClosed, unsure: isUnsure, asking: isAsking };
  for (const [name, is] of Object.entries(states)) document.body.classList.toggle(name, is);
}

// MARK: What sounds next, and how the clock is

export function drawNow() {
  const { state } = store;
  if (!state) return;
  const ringing = [...(state.timers ?? []), ...(state.alarms ?? [])].some((each) => each.state === "ringing");
  fill(byId("next"), nextWords(state));
  write(byId("trust"), trustText(state));
  byId("stop").classList.toggle("urgent", ringing || Boolean(state.playing));
  drawProblems(state);
  drawHealth(state);
}

function nextWords(state) {
  const heard = (words) => h("span", { translate: "no" }, ...words);
  if (state.playing) return [h("span", { class: "sounds" }, `${tr("Now:")} `), heard([spoken(state.playing)])];
  if (!store.hasZone) return tr("Next: nothing, until the time zone is set.");
  if (!state.next) return tr("Nothing is due.");
  const when = h("strong", { translate: "no" }, whenText(Date.parse(state.next.at)));
  const silence = parts("silent, because of this: {reason}", { reason: english(state.next.reason ?? "") });
  const sound = state.next.sounds ? heard(heardText(state.next)) : h("span", { class: "silent" }, ...silence);
  return parts("Next {when}: {sound}", { when, sound });
}

/** What mends a problem, by its key: what the button says, and the setting that it opens. */
const MENDS = {
  zone: [tr("Set the time zone"), "clock.zone"], voice: [tr("Choose a voice"), "announce.voice"],
  speaker: [tr("Choose the speaker"), "speaker.device"], switch: [tr("Set its line"), "switch.line"],
  button: [tr("Set its line"), "button.line"], lamp: [tr("Set its line"), "led.line"],
  settings: [tr("Open the settings"), ""],
};

function drawProblems(state) {
  const problems = state.problems ?? [];
  const part = byId("problems");
  part.hidden = problems.length === 0;
  fill(part.querySelector("ul"), problems.map((problem, index) => {
    const [words, key] = MENDS[state.problem_keys?.[index]] ?? [];
    return h("li", { dir: "auto" }, english(problem), " ",
      words && button(words, () => openSetting(key)));
  }));
}

/** As in ` It may be off by up to 1.2 s.` At least 1 ms is shown. */
function offText({ mayBeOff }) {
  if (mayBeOff === undefined) return "";
  return ` ${tr("It may be off by up to {length}.", { length: smallLength(Math.max(mayBeOff * 1000, 1)) })}`;
}

const SWITCH = trEach({
  absent: "There is none.", lost: "It cannot be read.",
  on: "On: the clock may sound.", off: "Off: it silences the clock.",
});

function muteText(state) {
  if (!state.muted) return tr("Not muted.");
  if (state.muted_by === "switch") return tr("Silenced by the switch.");
  if (state.software_mute === "next" || state.muted_by === "next") return tr("Muted for the next announcement.");
  if (!state.muted_until) return tr("Muted until you unmute it.");
  return tr("Muted until {when}.", { when: whenText(Date.parse(state.muted_until)) });
}

function drawHealth(state) {
  const { holdover_ends: ends, last } = state;
  const { device, device_substitute: other } = state;
  const switchError = state.switch_error && english(state.switch_error);
  const name = { translate: "no" };
  const lines = [
    [tr("Time"), `${trustText(state)}${offText(store.clock)}`],
    [tr("Without a network"), ends && tr("The time is trusted until {when} at least, even if the network does not come "
      + "back.", { when: whenText(Date.parse(ends)) })],
    [tr("Switch"), [SWITCH[state.switch] ?? state.switch ?? "", switchError && " ", switchError]],
    [tr("Mute"), muteText(state)],
    [tr("Last"), last && [`${whenText(Date.parse(last.at), { hasSeconds: true })}: `, spoken(last.text), onset(last)]],
    [tr("Voice"), state.voice?.replace(/^.*\//, ""), name],
    [tr("Speaker"), other ? tr("{other} instead of {device}", { other, device }) : device, name],
    [tr("Zone"), store.hasZone ? state.zone : tr("none"), name],
    [tr("Address"), location.host, name],
    [tr("Other clocks"), store.clocks.flatMap(({ name, url }) => [h("a", { href: url }, named(name)), " "])],
    [tr("Last warning"), state.last_error && english(state.last_error)],
  ];
  const isThere = (words) => [words].flat().some(Boolean);
  fill(byId("health"), lines.filter(([, words]) => isThere(words)).map(([title, words, attributes]) =>
    h("div", {}, h("dt", {}, title), h("dd", { dir: "auto", ...attributes }, ...[words].flat()))));
}

function onset({ onset_error_ms: error }) {
  if (error === undefined) return "";
  return `, ${Math.abs(error) < 0.05 ? tr("exactly on time") : latenessText(error)}`;
}

export function startNow() {
  makeDial();
  makeDigits();
  byId("say").addEventListener("click", () => give("announce", {}, {
    done: ({ text }) => (text ? tr("The clock says “{text}”.", { text }) : tr("The clock says the time.")) }));
  byId("pair").addEventListener("click", openPairing);
  byId("stop").addEventListener("click", () => give("stop", {}, { done: tr("Stopped.") }));
}
