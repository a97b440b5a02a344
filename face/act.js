// What the person does: commands, and what comes back.

import { byId, write } from "./dom.js";
import { command, Refusal } from "./api.js";
import { openPairing } from "./pairing.js";
import { store } from "./store.js";

let hide;

/** Shows a sentence for a while; a screen reader says it. */
export function tell(sentence, { isError = false } = {}) {
  const message = byId("message");
  message.classList.toggle("bad", isError);
  // The same sentence twice is told twice.
  message.textContent = "";
  setTimeout(() => write(message, sentence), 50);
  clearTimeout(hide);
  hide = setTimeout(() => write(message, ""), isError ? 12_000 : 6000);
}

/**
 * Does what only a paired phone may; other browsers are led to the pairing. Returns what it returns, or null if it
 * was refused; the refusal is told by `onRefusal`, or as a message.
 */
export async function act(what, { done, onRefusal } = {}) {
  if (!store.isPaired) {
    openPairing();
    return null;
  }
  try {
    const answer = await what();
    if (done) tell(typeof done === "function" ? done(answer) : done);
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.needsPairing) {
      store.pairing = { ...store.pairing, status: "none" };
      openPairing();
    } else if (onRefusal) onRefusal(error);
    else tell(error.message, { isError: true });
    return null;
  }
}

/** Gives the clock a command. */
export const give = (name, keys, options) => act(() => command(name, keys), options);
