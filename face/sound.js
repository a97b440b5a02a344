// Volume and mute.

import { give } from "./act.js";
import { button, byId, field, form, h, latest, show, write } from "./dom.js";
import { muteText } from "./now.js";
import { store } from "./store.js";

const decibels = (value) => (Number(value) === 0 ? "full volume" : `${String(value).replace("-", "−")} dB`);

let volume;

export function startSound() {
  const shown = h("span", { class: "soft", "aria-hidden": "true" });
  volume = h("input", { type: "range", id: "volume", min: -60, max: 0, step: 1 });
  const say = () => {
    write(shown, decibels(volume.value));
    const words = Number(volume.value) === 0 ? "full volume" : `minus ${-volume.value} decibels`;
    volume.setAttribute("aria-valuetext", words);
  };
  const set = latest(async (value) => {
    const answer = await give("volume", { volume_db: value }, { done: `The volume is ${decibels(value)}.` });
    if (answer || Number(volume.value) !== value) return;
    volume.value = Math.round(store.state?.volume_db ?? 0);
    say();
  });
  volume.addEventListener("input", say);
  // Each volume is saved: not each that the finger passes.
  volume.addEventListener("change", () => set(Number(volume.value)));
  volume.say = say;
  const minutes = h("input", {
    type: "number", id: "mute-minutes", inputmode: "numeric", min: 1, max: 44_640, value: 60, required: true });
  const mute = (keys, done) => give("mute", keys, { done });
  const muteForMinutes = () => mute({ for: Number(minutes.value) * 60 }, `Muted for ${minutes.value} minutes.`);
  const unmute = () => give("unmute", {}, { done: "The clock is not muted any more." });
  byId("level").replaceChildren(h("label", { for: "volume" }, "Volume "), shown, volume);
  byId("sound").replaceChildren(
    h("p", { id: "mute-state", class: "state" }),
    h("p", { id: "mute-ends", class: "hint" }),
    h("div", { class: "row" }, button("Unmute", unmute, { id: "unmute", class: "main", hidden: true })),
    form({ class: "row end" }, muteForMinutes,
      field("Mute for minutes", minutes), h("button", { type: "submit" }, "Mute")),
    h("div", { class: "row" },
      button("Mute the next one", () => mute({ until: "next" }, "The next announcement is silent.")),
      button("Mute until I unmute", () => mute({}, "Muted until you unmute it."))));
}

/** What a mute ends: it is told before it does. */
function endsText({ timers = [], alarms = [], intervals = [] }) {
  const rings = [...timers, ...alarms].some(({ state }) => state === "ringing");
  const ends = [rings && "what rings stops", intervals.length && "the interval ends"].filter(Boolean);
  return ends.length ? `If you mute now, ${ends.join(" and ")}.` : "";
}

export function drawSound() {
  const { state } = store;
  if (!state) return;
  const now = Math.round(state.volume_db);
  if (document.activeElement !== volume) volume.value = now;
  volume.say();
  write(byId("mute-state"), `${muteText(state)}.`);
  write(byId("mute-ends"), endsText(state));
  show(byId("unmute"), ["until", "next", "on"].includes(state.software_mute));
}
