// The time, large; what sounds next; and how the clock is.

import { give } from "./act.js";
import { button, byId, fill, h, svg, write } from "./dom.js";
import { openPairing } from "./pairing.js";
import { openSetting } from "./setup.js";
import { store } from "./store.js";
import { clockParts, dateText, heardText, lengthText, smallLength, timeText, trustText, whenText } from "./words.js";

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
  const parts = clockParts(now);
  write(digits.main, `${parts.hour}:${parts.minute}`);
  write(digits.second, `:${parts.second}`);
  write(digits.half, parts.half && ` ${parts.half}`);
  byId("time").dateTime = new Date(now).toISOString();
  write(byId("date"), dateText(now));
  hands.hour.setAttribute("transform", `rotate(${parts.turn / 120})`);
  hands.minute.setAttribute("transform", `rotate(${(Math.floor(parts.turn / 60) % 60) * 6 + (parts.turn % 60) / 10})`);
  hands.second.setAttribute("transform", `rotate(${(parts.turn % 60) * 6})`);
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
    const since = store.heard === null || !store.knowsTime ? ""
      : ` The last contact was at ${timeText(store.heard, { hasSeconds: true })}.`;
    return `${store.refusal ?? "There is no contact with the clock."}${since} What is below is old. Trying again …`;
  }
  if (store.contact === "refused") return "This clock shows itself to paired phones only.";
  if (store.contact === "connecting" || (clock.now === null && store.contact === "live")) return "Asking the clock …";
  if (store.absent) return "The Pi answers, but the clock on it does not run: nothing sounds. What is below is old.";
  const words = [];
  if (Math.abs(clock.phoneAhead) > 1000 + clock.uncertainty) {
    const way = clock.phoneAhead > 0 ? "ahead" : "behind";
    words.push(`This phone's own clock is ${lengthText(Math.abs(clock.phoneAhead) / 1000)} ${way}.`);
  }
  const off = smallLength(clock.uncertainty);
  if (clock.uncertainty > 700) words.push(`The network is slow: the seconds may be ${off} off here.`);
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
  byId("say").hidden = byId("stop").hidden = isClosed;
  const isUnsure = store.isFresh && (store.state.trust === "untrusted" || !store.hasZone);
  const states = { stale: !store.isFresh, closed: isClosed, unsure: isUnsure };
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
  const heard = (words) => h("span", { translate: "no" }, words);
  if (state.playing) return [h("span", { class: "sounds" }, "Now: "), heard(`“${state.playing}”`)];
  if (!store.hasZone) return "Next: nothing, until the time zone is set.";
  if (!state.next) return "Nothing is due.";
  const at = h("strong", { translate: "no" }, whenText(Date.parse(state.next.at)));
  return ["Next ", at, ": ", state.next.sounds
    ? heard(heardText(state.next))
    : h("span", { class: "silent" }, `silent, because of this: ${state.next.reason}`)];
}

/** What mends a problem, by its key: what the button says, and the setting that it opens. */
const MENDS = {
  zone: ["Set the time zone", "clock.zone"], voice: ["Choose a voice", "announce.voice"],
  speaker: ["Choose the speaker", "speaker.device"], switch: ["Set its line", "switch.line"],
  button: ["Set its line", "button.line"], lamp: ["Set its line", "led.line"], settings: ["Open the settings", ""],
};

function drawProblems(state) {
  const problems = state.problems ?? [];
  const part = byId("problems");
  part.hidden = problems.length === 0;
  fill(part.querySelector("ul"), problems.map((problem, index) => {
    const [words, key] = MENDS[state.problem_keys?.[index]] ?? [];
    return h("li", { dir: "auto" }, problem, " ",
      words && button(words, () => openSetting(key)));
  }));
}

/** As in ` It may be off by up to 1.2 s.` At least 1 ms is shown. */
function offText({ mayBeOff }) {
  return mayBeOff === undefined ? "" : ` It may be off by up to ${smallLength(Math.max(mayBeOff * 1000, 1))}.`;
}

const SWITCH = {
  absent: "There is none.", lost: "It cannot be read.",
  on: "On: the clock may sound.", off: "Off: it silences the clock.",
};

export function muteText(state) {
  if (!state.muted) return "Not muted";
  if (state.muted_by === "switch") return "Silenced by the switch";
  if (state.software_mute === "next" || state.muted_by === "next") return "Muted for the next announcement";
  return state.muted_until ? `Muted until ${whenText(Date.parse(state.muted_until))}` : "Muted until you unmute it";
}

function drawHealth(state) {
  const { holdover_ends: ends, last } = state;
  const lines = [
    ["Time", `${trustText(state)}${offText(store.clock)}`],
    ["Without a network", ends && `The time is trusted until ${whenText(Date.parse(ends))} at least, even if the `
      + "network does not come back."],
    ["Switch", `${SWITCH[state.switch] ?? state.switch ?? ""}${state.switch_error ? ` ${state.switch_error}` : ""}`],
    ["Mute", `${muteText(state)}.`],
    ["Last", last && `${whenText(Date.parse(last.at), { hasSeconds: true })}: “${last.text}”${onset(last)}`],
    ["Voice", state.voice?.replace(/^.*\//, "")],
    ["Speaker", state.device_substitute ? `${state.device_substitute} instead of ${state.device}` : state.device],
    ["Zone", store.hasZone ? state.zone : "none"],
    ["Address", location.host],
    ["Last warning", state.last_error],
  ];
  const names = ["Voice", "Speaker", "Zone", "Address"];
  fill(byId("health"), lines.filter(([, words]) => words).map(([name, words]) => h("div", {}, h("dt", {}, name),
    h("dd", { dir: "auto", translate: names.includes(name) ? "no" : null }, words))));
}

function onset({ onset_error_ms: error }) {
  if (error === undefined) return "";
  return Math.abs(error) < 0.05 ? ", exactly on time" : `, ${smallLength(error)} ${error > 0 ? "late" : "early"}`;
}

export function startNow() {
  makeDial();
  makeDigits();
  byId("say").addEventListener("click", () => give("announce", {}, {
    done: (answer) => answer.text ? `The clock says “${answer.text}”.` : "The clock says the time." }));
  byId("pair").addEventListener("click", openPairing);
  byId("stop").addEventListener("click", () => give("stop", {}, { done: "Stopped." }));
}
