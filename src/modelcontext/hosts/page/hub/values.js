// The values of pages that Python holds, by handle.

/** @type {Map<number, any>} */
const values = new Map();
let last = 0;

export function hold(/** @type {unknown} */ value) {
  values.set(++last, value);
  return last;
}

export const held = (/** @type {number} */ handle) => values.get(handle);

export function release(/** @type {number} */ handle) {
  const value = values.get(handle);
  values.delete(handle);
  return value;
}
