// Messages to other documents and to the coordinator.
/** @import { Envelope, Message } from "./types.d.ts" */
import { hasRecorded } from "./entries.js";
import { apply, keysOf, later, parse, shift, stringify, timeout } from "./pristine.js";
import { beginLater, keep, pass, reach } from "./timetable.js";
import { cell, isAway, leaves, me, ownWindow, specs, windowOf } from "./windows.js";

/**
 * By addressee: the number of the last message, and the unacknowledged messages.
 * @type {Record<string, { last: number, waiting: Envelope[], timer: unknown }>}
 */
const outbox = Object.create(null);
/** @type {Record<string, number>} By sender: the number of the last message taken. */
const inbox = Object.create(null);
/** @type {Record<string, unknown>} By sender: the timer until its messages are acknowledged, all at once. */
const owed = Object.create(null);
/** Milliseconds after which an unacknowledged message between documents is sent again. */
const RESEND = 100;
// Identifies the run: a message from a frame of the page before this one can arrive here.
export const run = specs.top.url;

cell.posts[cell.posts.length] = {
  alive: () => ownWindow.top !== null && !ownWindow.closed,
  post: (message) => post("top", message),
};
const myPost = cell.posts[cell.posts.length - 1];

// Messages of the document that is shown meanwhile are stored for the one that comes back.
const { getItem, setItem, removeItem } = Storage.prototype;
const LETTERS = "modelcontext.letters";
/** @type {Message[]} */
const letters = [];
const store = leaves && (isAway || me === "top") ? sessionStorage : null;

/** Sends the coordinator a message. @param {Message} message */
export function send(message) {
  if (isAway) {
    letters[letters.length] = message;
    apply(setItem, store, [LETTERS, stringify(letters)]);
    return;
  }
  if (cell.coordinate) {
    cell.coordinate(message, ownWindow);
    return;
  }
  let via = myPost;
  for (const post of cell.posts) if (!via.alive() && post.alive()) via = post;
  via.post(message);
}

/** Sends the stored messages of the document that was shown meanwhile. */
export function sendLetters() {
  for (const letter of parse(apply(getItem, store, [LETTERS]) ?? "[]")) send(letter);
  apply(removeItem, store, [LETTERS]);
}

/** Records an entry; `settles` is the label of the promise that it settles. @type {(entry: object, settles?: string) => void} */
export function record(entry, settles) {
  const [kind] = keysOf(entry);
  const label = /** @type {any} */ (entry)[kind];
  const point = reach(typeof label === "string" ? `${kind} ${label}` : kind);
  const text = stringify({ in: me, ...entry });
  send({ kind: "entry", id: me, log: config.log, cell: cell.id, sequence: cell.sequence++, text, settles });
  pass(point);
  hasRecorded();
}

/** Runs a function in a task of a timer, which has a label. @type {(fire: () => void, label: string) => void} */
export function afterTimeout(fire, label) {
  send({ kind: "scheduled", id: me });
  const ring = () => {
    fire();
    send({ kind: "ran", id: me });
  };
  if (!beginLater("timer", label, ring)) later(ring, timeout);
}

// Messages to other documents always arrive, in order. Chromium drops those for a window whose event loop is in window.open
// while a debugger (Playwright) attaches to the new window, so unacknowledged messages are sent again.

/** @type {(to: string, message: Message) => void} */
export function post(to, message) {
  const box = (outbox[to] ??= { last: 0, waiting: [], timer: null });
  const letter = { modelcontext: message, run, from: me, to, number: ++box.last };
  box.waiting[box.waiting.length] = letter;
  keep(letter);
  windowOf(to).postMessage(letter, "*");
  box.timer ??= later(() => postAgain(to), RESEND);
}

function postAgain(/** @type {string} */ to) {
  const box = outbox[to];
  box.timer = null;
  if (box.waiting.length === 0 || windowOf(to).closed) return;
  for (const message of box.waiting) windowOf(to).postMessage(message, "*");
  box.timer = later(() => postAgain(to), RESEND);
}

/** @type {(from: string, number: number) => void} */
export function acknowledged(from, number) {
  const { waiting } = outbox[from];
  while (waiting.length > 0 && waiting[0].number <= number) shift(waiting);
}

/**
 * Returns whether the message is the next of its sender, and not for a document that was in this window before.
 * @type {(envelope: Envelope, source: Window | null) => boolean}
 */
export function take({ from, to, number }, source) {
  if (to !== me) return false;
  const next = (inbox[from] ?? 0) + 1;
  if (number > next) return false;
  if (number === next) inbox[from] = number;
  owed[from] ??= later(() => {
    owed[from] = null;
    source?.postMessage({ acknowledged: inbox[from] ?? 0, run, from: me, to: from }, "*");
  }, RESEND / 2);
  return number === next;
}
