// Starts the page, and keeps it in step with the clock.

import { tell } from "./act.js";
import { ask, follow, Refusal } from "./api.js";
import { drawDay, drawNoon } from "./day.js";
import { byId } from "./dom.js";
import { drawContact, drawNow, startNow, tick } from "./now.js";
import { drawPhones, learnPairing, loadPhones, onPaired, openPairing } from "./pairing.js";
import { drawSettings, loadSettings } from "./settings.js";
import { drawSound, startSound } from "./sound.js";
import { store } from "./store.js";
import { drawTimers, startAlarms, startInterval, startTimers, tickTimers } from "./timers.js";

const DAY = 86_400_000;

// MARK: The time

async function askTime() {
  const sent = performance.now();
  const answer = await ask("GET", "/v1/time", undefined, { milliseconds: 15_000 });
  store.clock.take(answer, performance.now() - sent);
  store.heard = store.clock.now;
}

/** The shortest of three trips counts, so the first one may be slow. */
async function learnTime() {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await askTime();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return;
    }
    if (attempt === 0) drawTime();
  }
  drawTime();
  drawNow();
}

function drawTime() {
  tick();
  tickTimers();
  drawContact();
}

let ticking;
function everySecond() {
  clearTimeout(ticking);
  const now = store.clock.now ?? Date.now();
  ticking = setTimeout(everySecond, 1000 - (now % 1000) + 2);
  drawTime();
  drawDay();
  drawNoon();
}

// MARK: What the clock tells

async function load(path, take) {
  try {
    take(await ask("GET", path));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const loadAgenda = () => load("/v1/agenda", (agenda) => { store.agenda = { ...agenda, read: performance.now() }; drawDay(); });
const loadNotices = () => load("/v1/notices", ({ notices }) => { store.notices = notices; drawDay(); });

/** Does it once for many calls that come close together. */
function gathered(action, milliseconds) {
  let timer;
  return () => { timer ??= setTimeout(() => { timer = undefined; action(); }, milliseconds); };
}
const agendaSoon = gathered(loadAgenda, 1000);
const settingsSoon = gathered(async () => { await loadSettings(); drawAll(); }, 500);
const noonSoon = gathered(() => drawNoon({ again: true }), 500);

/** What the agenda depends on. */
const agendaKey = ({ next, timers, alarms, intervals, muted, muted_until, trust, switch: position }) =>
  JSON.stringify([next, timers, alarms, intervals, muted, muted_until, trust, position]);

function drawAll() {
  drawTime();
  drawNow();
  drawTimers();
  drawSound();
  drawDay();
}

const on = {
  contact() {
    store.heard = store.clock.now ?? store.heard;
    if (store.contact === "live") return;
    const wasLost = store.contact === "lost";
    store.contact = "live";
    if (wasLost) {
      tell("The clock is there again.");
      noonSoon();
    }
    catchUp();
  },

  event(name, record) {
    if (name === "state") {
      const before = store.state;
      if (store.absent) tell("The clock runs again.");
      store.absent = null;
      store.state = record;
      if (before && before.trust !== record.trust) tell(record.trust === "untrusted" ? "The time may be wrong now." : "The time is right.");
      if (before && before.muted !== record.muted) tell(record.muted ? "The clock is silent now." : "The clock may sound again.");
      if (!before || agendaKey(before) !== agendaKey(record)) agendaSoon();
      if (!store.settings) settingsSoon();
      drawAll();
    } else if (name === "notice") {
      store.notices = [...store.notices.filter(({ at }) => store.clock.now === null || store.clock.now - Date.parse(at) < DAY), record];
      if (["setting", "reloaded", "started"].includes(record.event)) {
        settingsSoon();
        noonSoon();
      }
      if (["zone", "clock_set", "setting", "reloaded"].includes(record.event)) learnTime();
      drawDay();
    } else if (name === "absent") {
      if (!store.absent) tell("The clock does not run: nothing sounds.", { isError: true });
      store.absent = record.error;
      drawTime();
    }
  },

  lost(refusal) {
    if (refusal?.needsPairing) {
      store.contact = "refused";
      store.state = null;
      learnPairing().catch(() => {});
    } else {
      if (store.contact === "live") tell("There is no contact with the clock.", { isError: true });
      store.contact = "lost";
      store.refusal = refusal?.message ?? null;
    }
    drawTime();
  },
};

/** After each new contact: what may have changed meanwhile. */
async function catchUp() {
  await Promise.all([learnTime(), loadAgenda(), loadNotices(), loadSettings(), loadPairing()]);
  drawAll();
}

async function loadPairing() {
  try {
    await learnPairing();
  } catch {
    return;
  }
  await loadPhones();
}

// MARK: The pages

const PAGES = ["clock", "alarms", "settings"];

function showPage({ isFirst = false } = {}) {
  const page = PAGES.find((name) => location.hash === `#${name}`) ?? "clock";
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

for (const element of document.querySelectorAll("[data-script]")) element.removeAttribute("hidden");
document.body.classList.add("script");
startNow();
startTimers();
startAlarms();
startInterval();
startSound();
showPage({ isFirst: true });
addEventListener("hashchange", () => showPage());
everySecond();

const stream = follow(on);
onPaired(() => {
  drawSettings();
  drawPhones();
  loadPhones();
  if (store.contact === "refused") stream.again();
});
loadPairing().then(() => {
  if (!store.pairing.look) openPairing();
});

setInterval(() => { if (store.contact === "live") learnTime(); }, 60_000);
// The agenda moves on, even if nothing changes.
setInterval(() => { if (store.contact === "live") loadAgenda(); }, 600_000);

// A phone that was asleep knows nothing: it asks anew before it shows a time.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") return;
  store.clock.forget();
  everySecond();
  learnTime().then(() => { if (store.clock.now === null) stream.again(); });
});
addEventListener("online", () => stream.again());
addEventListener("offline", () => {
  store.contact = "lost";
  drawTime();
});
