// A browser performs a microtask checkpoint whenever it has called a listener; where a script has it called, only when the
// script is over. So what an algorithm does last, after listeners have run, is put off until their microtasks have run. Nothing
// tells when there are no more of them: they may have queued as many as there are turns, one after the other.
import { later } from "./pristine.js";

const TURNS = 64;
let haveRun = false;

/** Runs steps that may call listeners. */
export function mayRunListeners(/** @type {() => void} */ steps) {
  later(() => {
    haveRun = false;
  });
  haveRun = true;
  steps();
}

/** Runs steps when the microtasks of listeners that were called before have run; at once if there were none. */
export const afterListeners = (/** @type {() => void} */ steps) => afterMicrotasks(steps, haveRun);

/** @type {(steps: () => void, isNeeded: boolean) => void} */
export function afterMicrotasks(steps, isNeeded) {
  let turns = isNeeded ? TURNS : 0;
  const turn = () => {
    if (turns-- === 0) steps();
    else later(turn);
  };
  turn();
}
