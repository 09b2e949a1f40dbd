// The notes of a document on their way to the recorder, and what the documents of one event loop share.
/** @import { Door, Note, Shared } from "./types.d.ts" */
import {
  apply,
  getOwnPropertyDescriptor,
  later,
  listenTo,
  microtask,
  NativeSymbol,
  stringify,
} from "../../../../../src/modelcontext/programs/program/runtime/pristine.js";

const { now } = Performance.prototype;
const clock = performance;
const begun = clock.timeOrigin - recorder.epoch;
const { postMessage: postToPort } = MessagePort.prototype;
const { random } = Math;
const NativeMessageChannel = MessageChannel;

/** The key of the door: Function.prototype.toString answers it with what the documents of this event loop share. */
export const key = NativeSymbol.for(recorder.secret);

// Playwright's way to the recorder. Pages see no trace of it.
const global = /** @type {any} */ (window);
const tell = global.__playwright__binding__;
for (const name of [recorder.binding, "__playwright__binding__", "__playwright__binding__controller__"]) {
  if (getOwnPropertyDescriptor(global, name)?.configurable) delete global[name];
}

/** @type {(view: any) => Door | undefined} */
export function doorOf(view) {
  try {
    const found = apply(view.Function.prototype.toString, key, []);
    return found?.shared ? found : undefined;
  } catch {
    // Another origin, or no recorder.
    return undefined;
  }
}

/** @type {Shared} */
export const shared = findShared() ?? {
  id: `${random()}`,
  notes: 0,
  calls: 0,
  invocations: 0,
  signals: 0,
  turn: 0,
  isInTurn: false,
  busy: 0,
  realms: [],
  numbers: new WeakMap(),
  natives: new WeakMap(),
  dispatched: new WeakSet(),
};

// Whoever touches the window of a frame that has not loaded makes a realm for it, which its document may take over. Then no
// init script runs for that document. So the windows around this one come first, and those beside it only where they are of
// other processes until they have loaded.
function findShared() {
  /** @type {Window | null} */
  let view = window;
  while (view && view !== view.top) {
    view = view.parent;
    const found = doorOf(view);
    if (found) return found.shared;
  }
  if (view?.opener) return doorOf(view.opener)?.shared;
  if (window.top === null || isReachable(window.parent)) return undefined;
  for (const other of Object.values(windowsIn(window.top))) {
    const found = doorOf(other);
    if (found) return found.shared;
  }
  return undefined;
}

/** @type {(view: Window) => boolean} */
function isReachable(view) {
  try {
    return view.document !== undefined;
  } catch {
    return false;
  }
}

/** Returns a window and those of its frames, by their paths. @type {(top: Window) => Record<string, any>} */
export function windowsIn(top) {
  /** @type {any} */
  const found = { __proto__: null };
  const visit = (/** @type {Window} */ view, /** @type {string} */ path) => {
    found[path] = view;
    for (let index = 0; index < view.length; index++) visit(view[index], `${path}/${index}`);
  };
  visit(top, "0");
  return found;
}

/** The name of this document. */
export let me = "";
/** @type {Note[]} */
let box = [];
let taken = 0;
let isPlanned = false;
let isLeaving = false;

/** @type {MessagePort} */
let port;
/** @type {(() => void) | undefined} */
let afterwards;

/** Begins the notes of a document, and returns its name. */
export function beginNotes() {
  me = `${random()}`;
  isPlanned = isLeaving = false;
  const { port1, port2 } = new NativeMessageChannel();
  port1.onmessage = () => {
    afterwards?.();
    afterwards = undefined;
  };
  port = port2;
  return me;
}

// A turn of the event loop is over at the latest when its microtasks are. After many of them it counts as over, too: a program
// may begin another turn at once.
function countDown(/** @type {number} */ left) {
  if (left === 0) shared.isInTurn = false;
  else microtask(() => countDown(left - 1));
}

/** Calls a function in a task of this document that comes soon. */
export function soon(/** @type {() => void} */ steps) {
  afterwards = steps;
  apply(postToPort, port, [0]);
}

/** Takes a note for the recorder, which may be completed in the same turn. @type {(data: { k: string, [field: string]: unknown }) => void} */
export function note(data) {
  if (!shared.isInTurn) {
    shared.isInTurn = true;
    shared.turn++;
    countDown(recorder.microtasks);
  }
  /** @type {Note} */
  const made = { d: me, n: ++shared.notes, t: shared.turn, w: begun + apply(now, clock, []), ...data };
  taken++;
  // The recorder says that there were more, and keeps no more.
  if (taken > recorder.limit) return;
  box[box.length] = taken < recorder.limit ? made : { ...made, k: "limit" };
  if (shared.busy === 0 && (isLeaving || box.length >= recorder.batch)) flush();
  if (!isPlanned) {
    isPlanned = true;
    later(() => {
      isPlanned = false;
      flush();
    }, recorder.delay);
  }
}

/** Sends the notes. */
export function flush() {
  if (box.length === 0 || !tell) return;
  const text = stringify(box);
  box = [];
  tell(stringify({ name: recorder.binding, seq: 0, serializedArgs: [text] }));
}

/** Sends what is left when the document goes, and looks whether another document takes over its window. */
export function flushAtTheEnd(/** @type {() => void} */ look) {
  // What a document sends when another one has come to its window may not arrive. So it begins early to send each note.
  listenTo(window, "beforeunload", () => {
    isLeaving = true;
    flush();
  });
  listenTo(window, "pagehide", () => {
    note({ k: "hide" });
    flush();
    shared.isInTurn = false;
    if (window.parent !== window) doorOf(window.parent)?.soon(look);
  });
}
