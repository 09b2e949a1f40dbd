// The entries of this document, as far as its script waits for a number of them.

let left = 0;
/** @type {(() => void) | null} */
let afterwards = null;

/** Calls a function when this document has recorded as many more entries. @type {(count: number, next: () => void) => void} */
export function waitForEntries(count, next) {
  left = count;
  afterwards = next;
}

/** Notes that this document has recorded an entry. */
export function hasRecorded() {
  const next = afterwards;
  if (next === null || --left > 0) return;
  afterwards = null;
  next();
}
