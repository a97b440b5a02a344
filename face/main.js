// Starts the page, and keeps it in step with the clock.

import { hasActed, learnPairing, notice } from "./act.js";
import { follow, load } from "./api.js";
import { DAY } from "./clock.js";
import { drawDay, drawNoon } from "./day.js";
import { byId } from "./dom.js";
import { drawForms, loadFields } from "./forms.js";
import { tr } from "./language.js";
import { drawContact, drawNow, startNow, tick } from "./now.js";
import { drawPhones, loadPhones, openPairing } from "./pairing.js";
import { loadSettings } from "./setting.js";
import { drawSettings } from "./settings.js";
import { drawSetup } from "./setup.js";
import { drawSound, startSound } from "./sound.js";
import { store } from "./store.js";
import { drawTimers, tickTimers } from "./timers.js";
import { sentence } from "./words.js";

// MARK: The time

/** What a phone knew before it slept is old: it shows no time until the clock has told it. */
function startAnew() {
  if (store.contact === "live") store.contact = "connecting";
  store.clock.forget();
  stream.again();
  drawTime();
}

/** The shortest of three trips counts, so the first one may be slow. */
async function learnTime() {
  for (let attempt = 0; attempt < 3; attempt++) {
    const sent = performance.now();
    await load("/v1/time", (answer) => {
      if (store.clock.hasSlept()) return startAnew();
      store.clock.take(answer, performance.now() - sent);
      store.heard = store.clock.now;
      if (attempt === 0) drawAll();
    });
  }
  drawAll();
}

function drawTime() {
  tick();
  tickTimers();
  drawContact();
}

function everySecond() {
  const now = store.clock.now ?? Date.now();
  setTimeout(everySecond, 1000 - (now % 1000) + 2);
  if (store.clock.hasSlept()) startAnew();
  drawTime();
  // Midnight makes "tomorrow" today.
  if (Math.floor(now / 1000) % 5 === 0) drawAll();
}

// MARK: What the clock tells

const loadAgenda = () => load("/v1/agenda", (agenda) => { store.agenda = agenda; drawDay(); });
const loadNotices = () => load("/v1/notices", ({ notices }) => { store.notices = notices; drawDay(); });

/** It takes the clock a second to ask the others. */
const loadClocks = () => load("/v1/clocks", ({ clocks }) => { store.clocks = clocks; drawNow(); });

/** Does it once for many calls that come close together. */
function gathered(action, milliseconds) {
  let timer;
  return () => { timer ??= setTimeout(() => { timer = undefined; action(); }, milliseconds); };
}
const agendaSoon = gathered(loadAgenda, 1000);
const settingsSoon = gathered(async () => { await loadSettings(); drawAll(); }, 500);
/** What could not be asked at the start, as the clock did not run. */
const missingSoon = gathered(() => {
  if (!store.settings) loadSettings();
  if (!store.fields.size) loadFields();
  if (store.agenda.until === null) loadAgenda();
}, 500);
const noonSoon = gathered(() => drawNoon({ again: true }), 500);

function drawAll() {
  drawTime();
  drawNow();
  drawTimers();
  drawSound();
  drawDay();
  drawNoon();
  drawPhones();
}

const on = {
  contact() {
    store.heard = store.clock.now ?? store.heard;
    if (store.contact === "live") return;
    const wasLost = store.contact === "lost";
    store.contact = "live";
    if (wasLost) notice(tr("The clock is there again."));
    catchUp();
  },

  event(name, record) {
    if (name === "state") {
      const before = store.state;
      if (store.absent) notice(tr("The clock runs again."));
      store.absent = null;
      store.state = record;
      if (before && before.trust !== record.trust && store.hasZone) {
        notice(record.trust === "untrusted" ? tr("The time may be wrong now.") : tr("The time is right."));
      }
      if (before && before.muted !== record.muted && !hasActed()) {
        notice(record.muted ? tr("The clock is silent now.") : tr("The clock may sound again."));
      }
      if (before && before.zone !== record.zone) {
        store.clock.forget();
        learnTime();
      }
      if (before) agendaSoon();
      missingSoon();
      drawAll();
    } else if (name === "notice") {
      const { now } = store.clock;
      store.notices = [...store.notices.filter(({ at }) => now === null || now - Date.parse(at) < DAY), record];
      if (["setting", "reloaded", "started"].includes(record.event)) {
        settingsSoon();
        noonSoon();
      }
      if (["zone", "clock_set", "setting", "reloaded"].includes(record.event)) learnTime();
      drawDay();
    } else if (name === "absent") {
      if (!store.absent) notice(tr("The clock does not run: nothing sounds."), { isError: true });
      store.absent = record.error;
      drawTime();
    }
  },

  lost(refusal) {
    if (refusal?.needsPairing) {
      store.contact = "refused";
      store.state = null;
      loadPairing();
    } else {
      if (store.contact === "live") notice(tr("There is no contact with the clock."), { isError: true });
      store.contact = "lost";
      store.refusal = refusal ? sentence(refusal.message) : null;
    }
    drawTime();
  },
};

/** After each new contact: what may have changed meanwhile. */
async function catchUp() {
  const again = isAskingForPairing ? [] : [loadPairing().then(loadPhones)];
  loadClocks();
  await Promise.all([learnTime(), loadAgenda(), loadNotices(), loadFields(), loadSettings(), ...again]);
  drawAll();
}

let isAskingForPairing = false;
async function loadPairing() {
  isAskingForPairing = true;
  await learnPairing();
  isAskingForPairing = false;
  drawTime();
}

// MARK: The pages

function showPage({ isFirst = false } = {}) {
  const page = ["clock", "alarms", "settings"].find((name) => location.hash === `#${name}`) ?? "clock";
  if (location.hash === "#main") return;
  for (const view of document.querySelectorAll("[data-view]")) view.hidden = view.dataset.view !== page;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (isFirst) return;
  window.scrollTo(0, 0);
  byId("main").focus({ preventScroll: true });
}

// MARK: The start

startNow();
startSound();
showPage({ isFirst: true });
addEventListener("hashchange", () => showPage());
const stream = follow(on);
everySecond();
addEventListener("settings", () => {
  drawSettings();
  drawSetup();
  drawForms();
});
addEventListener("unpaired", openPairing);
addEventListener("paired", () => {
  drawSetup();
  drawAll();
  loadPhones();
  if (store.contact === "refused") stream.again();
});
loadPairing().then(() => {
  if (!store.pairing.look) openPairing();
});

setInterval(() => { if (store.contact === "live") learnTime(); }, 60_000);
// The agenda moves on, even if nothing changes.
setInterval(() => { if (store.contact === "live") loadAgenda(); }, 600_000);

// A page that is hidden lets go of its stream, and may sleep.
document.addEventListener("visibilitychange", startAnew);
// The stream knows better than the browser whether the clock is there.
addEventListener("online", () => { if (store.contact !== "live") stream.again(); });
