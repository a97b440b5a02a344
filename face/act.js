// What the person does: commands, and what comes back.

import { command, load, Refusal } from "./api.js";
import { button, byId, write } from "./dom.js";
import { tr } from "./language.js";
import { store } from "./store.js";

let hide;
/** What is to be told once nothing can be undone any more. */
let waiting = [];
let acted = -Infinity;
/** What follows from what the person has just done is told by its answer. */
export const hasActed = () => performance.now() - acted < 2000;

/**
 * Shows a sentence for a while; a screen reader says it. With `undo`, a button takes back what was done. `lang` is its
 * language, if that is not the page's.
 */
export function tell(sentence, { isError = false, undo, lang } = {}) {
  const message = byId("message");
  clear(message);
  message.classList.toggle("bad", isError);
  // The same sentence twice is told twice.
  setTimeout(() => {
    write(message, sentence, lang);
    if (undo) message.append(" ", button(tr("Undo"), undo));
  }, 50);
  message.hasUndo = Boolean(undo);
  hideAfter(message, isError ? 12_000 : undo ? 10_000 : 6000);
}

/** Tells what has come by itself: it takes no undo away. */
export function notice(sentence, options) {
  if (byId("message").hasUndo) waiting.push([sentence, options]);
  else tell(sentence, options);
}

/** A message stays while somebody is at its button. */
function hideAfter(message, span) {
  hide = setTimeout(() => {
    if (message.matches(":focus-within, :hover")) return hideAfter(message, span);
    clear(message);
    const next = waiting.shift();
    if (next) tell(...next);
  }, span);
}

function clear(message) {
  clearTimeout(hide);
  // Focus must not fall back to the top of the page.
  if (message.contains(document.activeElement)) byId("main").focus({ preventScroll: true });
  message.hasUndo = false;
  write(message, "");
}

/** What this browser may do. */
export const learnPairing = () => load("/v1/pair", (answer) => {
  const wasPaired = store.isPaired;
  store.pairing = answer;
  if (!wasPaired && store.isPaired) dispatchEvent(new Event("paired"));
});

/**
 * Does what only a paired phone may; other browsers are led to the pairing. Returns what it returns, or null if it
 * was refused; the refusal is told in the element `error`, or as a message. A `thing` that has gone is called what the
 * page calls it; the clock has only heard its number. `undo` takes back what was done.
 */
export async function act(what, { done, error, thing, undo } = {}) {
  acted = performance.now();
  if (error) write(error, "");
  try {
    if (!store.isPaired) await learnPairing();
    if (store.pairing.status === "unknown") throw new Refusal(0, tr("The clock cannot be reached."));
    if (!store.isPaired) {
      dispatchEvent(new Event("unpaired"));
      return null;
    }
    const answer = await what();
    if (done) tell(typeof done === "function" ? done(answer) : done, { undo });
    return answer;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal.needsPairing) {
      store.pairing = { ...store.pairing, status: "none" };
      dispatchEvent(new Event("unpaired"));
      return null;
    }
    const gone = /^there is no (timer|alarm) .*/;
    const isGone = thing && gone.test(refusal.message);
    const words = isGone ? tr("There is no {thing} any more.", { thing }) : refusal.message;
    const { lang } = isGone ? {} : refusal;
    if (error) write(error, words, lang);
    else tell(words, { isError: true, lang });
    return null;
  }
}

/** Gives the clock a command. */
export const give = (name, keys, options) => act(() => command(name, keys), options);
