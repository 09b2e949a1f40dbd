// No document of the stage keeps a timetable: the schedule says it all; see ../timetable.js.
import { pause } from "../pristine.js";

/** @type {(what: string) => number} */
export function reach(_) {
  pause();
  return -1;
}

export const pass = (/** @type {number} */ _) => {};

/** @type {(kind: "timer" | "message", label: string, task: () => void) => boolean} */
export const beginLater = (_kind, _label, _task) => false;
