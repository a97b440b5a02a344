// What the relay answers: requests, commands, and the stream of what changes.

/** A refusal: its sentence, its word, and the status of HTTP (0 if there was no answer). */
export class Refusal extends Error {
  constructor(status, reason, sentence) {
    super(sentence);
    this.status = status;
    this.reason = reason;
  }

  /** True if only a paired phone may do this. */
  get needsPairing() {
    return this.status === 401;
  }
}

/** Asks the relay. Throws `Refusal` if it refuses, or does not answer in time. */
export async function ask(method, path, body, { milliseconds = 10_000 } = {}) {
  let answer;
  let record = {};
  try {
    answer = await fetch(path, {
      method, cache: "no-store", signal: AbortSignal.timeout(milliseconds),
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    record = text ? JSON.parse(text) : {};
  } catch (error) {
    if (answer && !answer.ok) throw new Refusal(answer.status, "answer", "The clock refused this.");
    throw new Refusal(0, "contact", error.name === "TimeoutError"
      ? "The clock did not answer in time." : "The clock cannot be reached.");
  }
  if (!answer.ok) throw new Refusal(answer.status, record.reason ?? "", record.error ?? "The clock refused this.");
  return record;
}

/** Gives the clock a command. Its refusal is in the words of the clock. */
export async function command(name, keys = {}) {
  try {
    return await ask("POST", "/v1/commands", { command: name, ...keys });
  } catch (error) {
    // The relay begins with the command, for those who see many.
    error.message = error.message.replace(`'${name}': `, "");
    throw error;
  }
}

// The relay sends at least a comment every 15 s.
const SILENCE = 20_000;

/**
 * Follows the stream of events for as long as the page lives.
 *
 * on.event(name, record), on.contact() for each sign of life, on.lost(refusal or null) when the stream ends. Comes back
 * by itself, at the latest after ten seconds.
 */
export function follow(on) {
  let attempt = 0;
  let controller = new AbortController();
  let wake = () => {};

  async function once() {
    controller = new AbortController();
    let watch;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => controller.abort(), SILENCE);
    };
    heard();
    const reached = (answer) => answer.catch(() => null);
    try {
      const answer = await reached(fetch("/v1/events", {
        cache: "no-store", signal: controller.signal, headers: { Accept: "text/event-stream" } }));
      if (!answer) return null;
      if (!answer.ok) {
        const record = await answer.json().catch(() => ({}));
        return new Refusal(answer.status, record.reason ?? "", record.error ?? "The clock refused this.");
      }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const part = await reached(reader.read());
        if (!part || part.done) return null;
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

  /** A fault of the page goes to the console: it is no loss of contact. */
  function handle(action, ...words) {
    try {
      action(...words);
    } catch (error) {
      reportError(error);
    }
  }

  function take(block) {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
      if (line.startsWith("event:")) name = line.slice(6).trim();
      if (line.startsWith("data:")) data.push(line.slice(5).trim());
    }
    if (data.length) on.event(name, JSON.parse(data.join("\n")));
  }

  async function forever() {
    for (;;) {
      handle(on.lost, await once());
      const pause = Math.min(10_000, 500 * 2 ** attempt++) * (0.7 + 0.6 * Math.random());
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause);
      });
    }
  }
  forever();

  return {
    /** Tries at once, for example after the phone was asleep. */
    again() {
      attempt = 0;
      controller.abort();
      wake();
    },
  };
}
