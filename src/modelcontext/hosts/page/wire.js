// The values that cross between pages and Python (see protocol.d.ts), for both a page (realm) and the window with Python (hub).
// In a page, scripts must not be able to observe this code. So it uses only lists that inherit nothing.
/** @import { Lookup, RealmService, WindowPath, Written } from "./protocol.d.ts" */

const { setPrototypeOf } = Reflect;

/** Removes the prototype of an object or a list. @type {<T extends object>(object: T) => T} */
export function setNull(object) {
  setPrototypeOf(object, null);
  return object;
}

/** @type {(value: unknown) => value is object} */
export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/** A list that inherits nothing. @returns {any[]} */
export const list = () => setNull([]);

/**
 * Makes in a realm the value that Python has written as data.
 * @template V, W
 * @param {Written<V, W>} data
 * @param {RealmService} realm
 * @param {Lookup<V, W>} known
 * @returns {any}
 */
export function made(data, realm, known) {
  if (typeof data !== "object" || data === null) return data;
  switch (data[0]) {
    case "undefined":
      return undefined;
    case "held":
      return known.value(data[1]);
    case "promise":
      return known.value(data[1]).promise;
    case "error":
      return realm.error(data[1], data[2], data[3]);
    case "list": {
      const items = list();
      for (let index = 0; index < data[1].length; index++) items[index] = made(data[1][index], realm, known);
      return realm.array(items);
    }
    case "dictionary": {
      const members = list();
      for (let index = 0; index < data[1].length; index++) {
        members[index] = [data[1][index][0], made(data[1][index][1], realm, known)];
      }
      return realm.object(members);
    }
    case "window":
      return known.window(data[1]);
    case "object":
      return known.object(data[1]);
  }
  throw new TypeError(`no value is written as ${data[0]}`);
}

/** The path down to a window from its top; null if the window is gone. @type {(view: Window) => WindowPath | null} */
export function pathOf(view) {
  const path = list();
  for (let inner = view; inner.parent !== inner; inner = inner.parent) {
    if (!inner.parent) return null;
    for (let at = path.length; at > 0; at--) path[at] = path[at - 1];
    path[0] = 0;
    while (inner.parent[path[0]] !== inner) path[0]++;
  }
  return path;
}

/** The window at the end of a path; null if there is none. @type {(top: Window | null, path: WindowPath | null) => Window | null} */
export function windowAt(top, path) {
  if (path === null) return null;
  let view = top;
  for (let index = 0; view !== null && index < path.length; index++) view = view[path[index]] ?? null;
  return view;
}
