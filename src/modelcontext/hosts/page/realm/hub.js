// The hub of a realm: in a window of its origin, or else a relay to it.
/** @import { Hub } from "../protocol.d.ts" */
import { hostWindow } from "./pristine.js";
import { makeRelay } from "./relay.js";

// The browser's own API must be hidden: only its permissions policy is wanted (see products/page.py).
/** @type {any} */
const globals = hostWindow;
for (const name of given.names) delete globals[name];
for (const [owner, name] of given.accessors) delete globals[owner].prototype[name];

/** Null if there is none; then no other part is used. @type {Hub} */
export const hub = /** @type {any} */ (isSecureContext ? (findHub() ?? (given.relays ? makeRelay() : null)) : null);

/** @returns {Hub | undefined} */
function findHub() {
  /** @type {Window[]} */
  const seen = [];
  /** @type {(Window | null)[]} */
  const waiting = [hostWindow];
  while (waiting.length > 0) {
    const view = waiting.shift();
    if (!view || seen.includes(view)) continue;
    seen.push(view);
    try {
      const found = view[Symbol.for("modelcontext.hub")];
      if (found !== undefined) return found;
    } catch {
      // A window of another origin.
    }
    waiting.push(view.parent, view.top, view.opener);
    // The first window of all has frames for other origins.
    for (let index = 0; view === view.top && !view.opener && index < view.length; index++) waiting.push(view[index]);
  }
  return undefined;
}
