// What the first start asks, and the way to a setting.

import { tell } from "./act.js";
import { button, byId, h } from "./dom.js";
import { tr } from "./language.js";
import { openPairing } from "./pairing.js";
import { ownZone, settingPart } from "./setting.js";
import { store } from "./store.js";

const LATER = "clocksmith-setup-later";
// The clock comes before the voice: some voices have words for one clock only.
const ASKED = ["clock.zone", "announce.clock", "announce.voice", "announce.quiet", "switch.line"];

/** A new card has the zone `unset`. */
const isUnset = (key) => key === "clock.zone" && store.value(key) === "unset";

/** What is asked: all of it while nobody has chosen any of it, and whatever is open while there is no zone. */
function askedKeys() {
  const open = ASKED.filter((key) => isUnset(key) || store.settings.get(key)?.origin === "default");
  return open.length === ASKED.length || open.some(isUnset) ? open : [];
}

// While it is sent, what has become of one thing does not close the form of all.
let isSending = false;

export function drawSetup() {
  if (!store.settings) return;
  const part = byId("setup");
  const keys = store.isPaired && !sessionStorage.getItem(LATER) ? askedKeys() : [];
  // A refusal stays to be read.
  if (isSending || keys.length && !part.hidden || part.querySelector("[aria-invalid]")) return;
  part.hidden = keys.length === 0;
  part.replaceChildren();
  if (part.hidden) return;
  const parts = keys.map((key) => settingPart(store.settings.get(key), undefined, { waits: true }));
  for (const each of parts) each.update(store.settings.get(each.key));
  if (isUnset(keys[0])) parts[0].propose(ownZone());
  const submit = async () => {
    isSending = true;
    const isDone = await sendAll(parts);
    isSending = false;
    if (isDone) tell(tr("The clock is set up."));
    drawSetup();
    if (isDone) byId("main").focus();
  };
  const later = () => {
    sessionStorage.setItem(LATER, "yes");
    part.replaceChildren();
    drawSetup();
    byId("main").focus();
  };
  part.append(h("h2", { id: "setup-title" }, tr("Set up this clock")),
    h("p", {}, isUnset("clock.zone") ? `${tr("Until the time zone is set, the clock says no time.")} ` : "",
      tr("All of this can be changed later, under Settings.")),
    h("div", {}, ...parts.map(({ element }) => element)),
    h("p", { class: "row" }, button(tr("Set up the clock"), submit, { class: "main" }),
      button(tr("Later"), later)));
}

/** Sends the zone first, and the rest only if that is taken. True if all was taken. */
async function sendAll(parts) {
  let isDone = true;
  for (const part of parts) {
    if (await part.send()) continue;
    if (part.key === "clock.zone") return false;
    isDone = false;
  }
  return isDone;
}

/** Leads to the field of a setting, or to all of them for the key "". */
export function openSetting(key) {
  if (!store.isPaired) return openPairing();
  if (isUnset(key)) {
    sessionStorage.removeItem(LATER);
    drawSetup();
  } else {
    history.pushState(null, "", "#settings");
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
  const field = document.querySelector(`${isUnset(key) ? "#setup" : "#settings"} [data-key="${key}"]`);
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}
