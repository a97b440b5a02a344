// Volume and mute.

import { give } from "./act.js";
import { byId, field, h, show, write } from "./dom.js";
import { muteText } from "./now.js";
import { store } from "./store.js";

const decibels = (value) => (Number(value) === 0 ? "full volume" : `${String(value).replace("-", "−")} dB`);

let volume;

export function startSound() {
  const shown = h("span", { class: "soft", "aria-hidden": "true" });
  volume = h("input", { type: "range", id: "volume", min: -60, max: 0, step: 1 });
  const say = () => {
    write(shown, decibels(volume.value));
    volume.setAttribute("aria-valuetext", Number(volume.value) === 0 ? "full volume" : `minus ${-volume.value} decibels`);
  };
  volume.addEventListener("input", say);
  volume.addEventListener("change", async () => {
    const answer = await give("volume", { volume_db: Number(volume.value) }, { done: `The volume is ${decibels(volume.value)}.` });
    if (!answer) volume.value = Math.round(store.state?.volume_db ?? 0);
    say();
  });
  volume.say = say;
  const minutes = h("input", { type: "number", id: "mute-minutes", inputmode: "numeric", min: 1, max: 44_640, value: 60, required: true });
  const mute = (keys, done) => give("mute", keys, { done });
  byId("sound").replaceChildren(
    h("div", { class: "field" }, h("label", { for: "volume" }, "Volume "), shown, volume),
    h("p", { id: "mute-state", class: "state" }),
    h("div", { class: "row" }, h("button", { type: "button", id: "unmute", class: "main", hidden: true,
      onclick: () => give("unmute", {}, { done: "The clock is not muted any more." }) }, "Unmute")),
    h("form", { class: "row end", onsubmit: (event) => {
      event.preventDefault();
      mute({ for: Number(minutes.value) * 60 }, `Muted for ${minutes.value} minutes.`);
    } }, field("Mute for minutes", minutes), h("button", { type: "submit" }, "Mute")),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => mute({ until: "next" }, "The next announcement is silent.") }, "Mute the next one"),
      h("button", { type: "button", onclick: () => mute({}, "Muted until you unmute it.") }, "Mute until I unmute")));
}

export function drawSound() {
  const { state } = store;
  if (!state) return;
  if (document.activeElement !== volume || Number(volume.value) === Math.round(state.volume_db)) volume.value = Math.round(state.volume_db);
  volume.say();
  write(byId("mute-state"), `${muteText(state)}.`);
  show(byId("unmute"), ["until", "next", "on"].includes(state.software_mute));
}
