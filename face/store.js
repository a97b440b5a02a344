// What the page knows of the clock.

import { PiClock } from "./clock.js";

export const store = {
  clock: new PiClock(),
  /** `connecting`, `live`, `lost` (the relay cannot be reached), or `refused` (only paired phones may look). */
  contact: "connecting",
  /** Why the relay refuses to tell what changes, as a sentence; null if it does not. */
  refusal: null,
  /** When the relay was last heard, by the Pi's clock; null before. */
  heard: null,
  /** The newest state; null before the first. */
  state: null,
  /** Why the clock cannot be reached by the relay, as a sentence; null while it can. */
  absent: null,
  /** The answer of the agenda. */
  agenda: { lines: [], until: null },
  notices: [],
  /** Other clocks of the network, with the addresses of their pages. */
  clocks: [],
  /** The records of the settings by their keys; null while they are not known. */
  settings: null,
  /** What the fields of each command are, as the relay serves them. */
  fields: new Map(),
  /** Its status is `unknown` before the first answer. */
  pairing: { status: "unknown", look: true },

  get isPaired() {
    return this.pairing.status === "paired";
  },
  /** True while what is shown is what the clock says now. */
  get isFresh() {
    return this.contact === "live" && !this.absent && this.state !== null && this.clock.now !== null;
  },
  /** False while nobody has told the clock, or it has not told the relay, in which zone it is. */
  get hasZone() {
    const isTold = this.clock.zone !== "" && this.value("clock.zone") !== "unset";
    return isTold && !this.state?.problem_keys?.includes("zone");
  },
  /** True if a local time can be told. */
  get knowsTime() {
    return this.clock.now !== null && this.hasZone;
  },
  /** The value in force of a setting; undefined while it is not known. */
  value(key) {
    return this.settings?.get(key)?.value;
  },
};
