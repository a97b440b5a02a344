// What the relay answers: requests, commands, and the stream of what changes.

import { write } from "./dom.js";
import { tr } from "./language.js";

/** A refusal: its sentence, its language if that is not the page's, and the status of HTTP (0 without an answer). */
export class Refusal extends Error {
  constructor(status, sentence, lang) {
    // The relay begins with the command, for those who see many.
    super(sentence.replace(/^'\w+': /, ""));
    this.status = status;
    this.lang = lang;
    this.needsPairing = status === 401;
  }
}

/** In the words of the relay, or else in these. */
const refusalOf = (status, { error }, words) => new Refusal(status, error ?? words, error && "en");

/** Where the relay has a path, as in `/v1/time`: a proxy may have put the page below another. */
export const place = (path) => new URL(`.${path}`, document.baseURI).pathname;

const RENEWED = "clocksmith-renewed";
const REST = 600_000;
let touched = -REST;
addEventListener("input", () => { touched = performance.now(); });

/** A page from before an upgrade loads itself anew, once, when nobody has set anything in it for ten minutes. */
function renew(version) {
  const isOld = version && version !== document.documentElement.dataset.version;
  const isUsed = performance.now() - touched < REST || document.querySelector("dialog[open], #message button");
  if (!isOld || isUsed || sessionStorage.getItem(RENEWED) === version) return;
  sessionStorage.setItem(RENEWED, version);
  location.reload();
}

/** Asks the relay. Throws `Refusal` if it refuses, or does not answer in time. */
export async function ask(method, path, body) {
  let answer;
  let record = {};
  try {
    answer = await fetch(place(path), {
      method, cache: "no-store", signal: AbortSignal.timeout(10_000),
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    renew(answer.headers.get("Clocksmith-Page"));
    const text = await answer.text();
    record = text ? JSON.parse(text) : {};
  } catch (error) {
    if (answer && !answer.ok) throw new Refusal(answer.status, tr("The clock refused this."));
    throw new Refusal(0, error.name === "TimeoutError"
      ? tr("The clock did not answer in time.") : tr("The clock cannot be reached."));
  }
  if (!answer.ok) throw refusalOf(answer.status, record, tr("The clock refused this."));
  return record;
}

/** Asks the relay for something to show. A refusal stands in the element `error`, if there is one. */
export async function load(path, take, error) {
  try {
    take(await ask("GET", path));
    if (error) write(error, "");
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (error) write(error, refusal.message, refusal.lang);
  }
}

/** Gives the clock a command. */
export const command = (name, keys) => ask("POST", "/v1/commands", { command: name, ...keys });

// The relay sends at least a comment every 15 s.
const SILENCE = 20_000;

/**
 * Follows the stream of events for as long as the page lives and can be seen: a browser has few connections.
 *
 * on.event(name, record), on.contact() for each sign of life, on.lost(refusal or null) when the stream ends. Comes back
 * by itself, at the latest after ten seconds.
 */
export function follow(on) {
  let attempt = 0;
  let controller = new AbortController();
  let wake = () => {};
  let isLetGo = false;

  async function once() {
    controller = new AbortController();
    let watch;
    let hasBegun = false;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => controller.abort(), SILENCE);
    };
    heard();
    const reached = (answer) => answer.catch(() => null);
    try {
      const answer = await reached(fetch(place("/v1/events"), {
        cache: "no-store", signal: controller.signal, headers: { Accept: "text/event-stream" } }));
      if (!answer) return await whyNothingCame();
      if (!answer.ok) {
        const record = await answer.json().catch(() => ({}));
        return refusalOf(answer.status, record, tr("A proxy on the way refuses this."));
      }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const part = await reached(reader.read());
        if (!part || part.done) return hasBegun ? null : await whyNothingCame();
        hasBegun = true;
        heard();
        handle(on.contact);
        attempt = 0;
        text += part.value.replaceAll("\r", "");
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) handle(take, block);
      }
    } finally {
      clearTimeout(watch);
    }
  }

  /** A clock that answers, but sends no events, is behind a proxy that waits for their end. */
  async function whyNothingCame() {
    if (isLetGo || !controller.signal.aborted) return null;
    const words = tr("The clock answers, but a proxy on the way holds back what it tells.");
    return ask("GET", "/v1/pair").then(() => new Refusal(0, words), () => null);
  }

  /** Soon, and by itself: a fault of the page goes to the console, and is no loss of contact. */
  const handle = (action, ...words) => queueMicrotask(() => action(...words));

  function take(block) {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
      if (line.startsWith("event:")) name = line.slice(6).trim();
      if (line.startsWith("data:")) data.push(line.slice(5).trim());
    }
    if (data.length) on.event(name, JSON.parse(data.join("\n")));
  }

  const pause = (milliseconds) => new Promise((resolve) => {
    wake = resolve;
    if (milliseconds) setTimeout(resolve, milliseconds);
  });

  async function forever() {
    for (;;) {
      while (document.hidden) await pause();
      isLetGo = false;
      const refusal = await once();
      if (isLetGo) continue;
      handle(on.lost, refusal);
      await pause(Math.min(10_000, 500 * 2 ** attempt++) * (0.7 + 0.6 * Math.random()));
    }
  }
  forever();

  return {
    /** Lets go of the stream, and asks for it anew: at once, or when the page can be seen again. */
    again() {
      attempt = 0;
      isLetGo = true;
      controller.abort();
      wake();
    },
  };
}
