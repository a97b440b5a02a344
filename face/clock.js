// The time of the clock, not of the phone.

export const DAY = 86_400_000;
// How far the timer of a phone runs off, at worst.
const DRIFT = 1e-4;

export class PiClock {
  /** By how many ms the phone's own clock is ahead of the Pi's; null if not known. */
  phoneAhead = null;
  /** How far off the Pi's own clock may be, in seconds; undefined if not known. */
  mayBeOff = undefined;
  zone = null;

  /** At performance.now() = 0 the Pi's clock stood at this many ms since 1970; null before the first answer. */
  #origin = null;
  #error = Infinity;
  #taken = 0;
  #offset = 0;
  #format = null;
  #between = Date.now() - performance.now();

  /** True, once, if the two clocks of the phone have parted: it slept, in which one may stand, or its clock was set. */
  hasSlept() {
    const before = this.#between;
    this.#between = Date.now() - performance.now();
    return Math.abs(this.#between - before) > 2000;
  }

  /**
   * Takes an answer of /v1/time. It was on its way for `trip` ms and has just come; it is right to half of that.
   */
  take(answer, trip) {
    const now = performance.now();
    const origin = Date.parse(answer.instant) + trip / 2 - now;
    const error = trip / 2 + 1;
    const known = this.uncertainty;
    // A slow answer does not replace a better one, unless the Pi's clock was set.
    if (error <= known || Math.abs(origin - (this.#origin ?? origin)) > error + known) {
      this.#origin = origin;
      this.#error = error;
      this.#taken = now;
    }
    this.phoneAhead = Date.now() - this.now;
    this.mayBeOff = answer.clock_uncertainty;
    this.#takeZone(answer);
  }

  #takeZone(answer) {
    this.#offset = offsetIn(answer.local);
    if (answer.zone !== this.zone) {
      this.zone = answer.zone;
      try {
        this.#format = new Intl.DateTimeFormat("en", { timeZone: answer.zone, timeZoneName: "longOffset" });
      } catch {
        this.#format = null;
      }
    }
    // The zones of the Pi count, even if this browser knows others.
    if (this.#format && this.#offsetByBrowser(Date.parse(answer.instant)) !== this.#offset) {
      this.#format = null;
      this.zone = null;
    }
  }

  /** ms since 1970, or null. */
  get now() {
    return this.#origin === null ? null : this.#origin + performance.now();
  }

  /** In ms: how far off the time shown may be because of the network alone. */
  get uncertainty() {
    return this.#error + (performance.now() - this.#taken) * DRIFT;
  }

  forget() {
    this.#origin = null;
    this.#error = Infinity;
  }

  #offsetByBrowser(instant) {
    return offsetIn(this.#format.formatToParts(instant).find((part) => part.type === "timeZoneName").value);
  }

  offsetAt(instant) {
    return this.#format ? this.#offsetByBrowser(instant) : this.#offset;
  }

  /** What the clocks of the zone show: a Date whose UTC fields are the local ones. */
  local(instant) {
    return new Date(instant + this.offsetAt(instant));
  }

  /** The day in which the instant is, as ms of its midnight like `local`. The clocks need not show that midnight. */
  day(instant) {
    return Math.floor(this.local(instant) / DAY) * DAY;
  }

  /** The first instant of the day in which this one is: midnight, or where there is none, the change of the clocks. */
  startOfDay(instant) {
    const day = this.day(instant);
    const starts = [-DAY, DAY].map((aside) => day - this.offsetAt(day - this.#offset + aside / 2));
    return Math.min(...starts.filter((start) => this.local(start) >= day));
  }

  /** The instant at which the clocks of the zone show this, given as ms like `local`. */
  instantOf(local) {
    const guess = local - this.offsetAt(local - this.#offset);
    return local - this.offsetAt(guess);
  }
}

/** In ms, as of `GMT-02:30` or of a time that ends so. */
function offsetIn(text) {
  const found = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  const [, sign, hours, minutes, seconds = 0] = found ?? ["", "+", 0, 0];
  return (sign === "-" ? -1000 : 1000) * (hours * 3600 + minutes * 60 + +seconds);
}
