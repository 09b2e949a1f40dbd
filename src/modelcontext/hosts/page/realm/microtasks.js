// A browser performs a microtask checkpoint after each listener that it calls itself, but for a listener that a script calls only
// at the end of the script. So the last steps of an algorithm, after listeners have run, are put off until their microtasks have
// run. Nothing tells when there are no more of them: the microtasks may queue a chain as long as the number of turns.
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

/** Runs steps when the microtasks of listeners called before have run; at once if no listeners were called. */
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
