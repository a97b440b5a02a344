// Volume and mute.

import { give } from "./act.js";
import { button, byId, field, form, h, latest, write } from "./dom.js";
import { tr } from "./language.js";
import { store } from "./store.js";
import { numberText } from "./words.js";

const decibels = (value) => (Number(value) === 0 ? tr("full volume") : `${numberText(value).replace("-", "−")} dB`);

let volume;

export function startSound() {
  const shown = h("span", { class: "soft", "aria-hidden": "true" });
  volume = h("input", { type: "range", id: "volume", min: -60, max: 0, step: 1 });
  const say = () => {
    write(shown, decibels(volume.value));
    const level = -volume.value;
    volume.setAttribute("aria-valuetext", level ? tr("minus {level} decibels", { level }) : tr("full volume"));
  };
  const set = latest(async (value) => {
    const done = tr("The volume is {level}.", { level: decibels(value) });
    const answer = await give("volume", { volume_db: value }, { done });
    if (answer || Number(volume.value) !== value) return;
    volume.value = Math.round(store.state?.volume_db ?? 0);
    say();
  });
  volume.addEventListener("input", say);
  // Each volume is saved: not each that the finger passes.
  volume.addEventListener("change", () => set(Number(volume.value)));
  volume.say = say;
  byId("level").replaceChildren(h("label", { for: "volume" }, `${tr("Volume")} `), shown, volume);
  startMute();
}

/** A button that mutes by way of a dialog, and unmutes at once. */
function startMute() {
  const dialog = byId("muting");
  const unmute = () => give("unmute", {}, { done: tr("The clock is not muted any more.") });
  byId("mute").addEventListener("click", () => (isMuted() ? unmute() : dialog.showModal()));
  const mute = (keys, done) => {
    dialog.close();
    return give("mute", keys, { done });
  };
  const minutes = h("input", {
    type: "number", id: "mute-minutes", inputmode: "numeric", min: 1, max: 44_640, value: 60, required: true });
  const muteForMinutes = () => mute({ for: Number(minutes.value) * 60 },
    tr("Muted for {minutes} minutes.", { minutes: minutes.value }));
  dialog.replaceChildren(
    h("h2", { id: "muting-title" }, tr("Mute")),
    h("p", { id: "mute-ends", class: "hint" }),
    h("div", { class: "row" },
      button(tr("Mute the next one"), () => mute({ until: "next" }, tr("The next announcement is silent."))),
      button(tr("Mute until I unmute"), () => mute({}, tr("Muted until you unmute it.")))),
    form({ class: "row end" }, muteForMinutes,
      field(tr("Mute for minutes"), minutes), h("button", { type: "submit" }, tr("Mute"))),
    h("p", { class: "row" }, button(tr("Cancel"), () => dialog.close())));
}

const isMuted = () => ["until", "next", "on"].includes(store.state?.software_mute);

/** What a mute ends: it is told before it does. */
function endsText({ timers = [], alarms = [], intervals = [] }) {
  const rings = [...timers, ...alarms].some(({ state }) => state === "ringing");
  const runs = intervals.length > 0;
  if (rings && runs) return tr("If you mute now, what rings stops and the interval ends.");
  if (rings) return tr("If you mute now, what rings stops.");
  return runs ? tr("If you mute now, the interval ends.") : "";
}

export function drawSound() {
  const { state } = store;
  if (!state) return;
  const now = Math.round(state.volume_db);
  if (document.activeElement !== volume) volume.value = now;
  volume.say();
  write(byId("mute-ends"), endsText(state));
  write(byId("mute"), isMuted() ? tr("Unmute") : tr("Mute"));
}
