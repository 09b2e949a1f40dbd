// The timetable of this document, if the run is steered (timetable.py): the document is kept busy before its points until others
// have passed theirs. One that does something else than its timetable says leaves it, and then no document waits any more.
/** @import { Envelope, Point } from "./types.d.ts" */
import { apply, find, later, parse, pause, push, shift, splice, stringify } from "./pristine.js";
import { cell, me, ownWindow } from "./windows.js";

const { unit, points, meeting } = config.timetable ?? { unit: 0, points: [], meeting: "" };
/** Milliseconds after which a task that a document gives itself begins although its turn has not come, before the run is over. */
const LONGEST = 0.7 * config.quiet;
/** Milliseconds that such a task blocks its event loop before it lets others run: what it waits for may need one of them. */
const SHORT = 60;

let isSteered = config.timetable !== undefined;
let next = 0;
/** @type {Record<number, true>} The points whose tasks wait for their turn. */
const claimed = Object.create(null);
/** @type {Record<string, () => void>} By point: begins the task that comes directly after it. */
const directlyAfter = Object.create(null);
/** @type {boolean} The wait before the next point is over. */
let hasWaited = false;
/** @type {Envelope[]} Messages of this document that the server has no copy of. */
const unkept = [];
// Simulated browsers, which nobody steers, lack these.
const { ask, request, notify, now, queue, hurry } = /** @type {any} */ (isSteered ? connection() : {});

function connection() {
  const {
    XMLHttpRequest: NativeRequest,
    fetch: nativeFetch,
    performance: clock,
    scheduler,
  } = /** @type {any} */ (ownWindow);
  const postTask = scheduler?.postTask;
  const { open: openRequest, send: sendRequest } = NativeRequest.prototype;
  const { now: clockNow } = Performance.prototype;
  const encode = encodeURIComponent;
  const { port1, port2 } = new MessageChannel();
  const { postMessage } = MessagePort.prototype;
  /** @type {(() => void)[]} */
  const tasks = [];
  /** Keeps the document busy until the server answers. @type {(method: "GET" | "POST", url: string, body?: string) => string} */
  const request = (method, url, body) => {
    const made = new NativeRequest();
    apply(openRequest, made, [method, url, false]);
    apply(sendRequest, made, [body]);
    return made.responseText;
  };
  port1.onmessage = () => /** @type {() => void} */ (shift(tasks))();
  return {
    ask: (/** @type {object} */ question) => request("GET", `${meeting}?${encode(stringify(question))}`),
    request,
    notify: (/** @type {string} */ words) =>
      apply(nativeFetch, ownWindow, [meeting, { method: "POST", body: words, keepalive: true }]),
    now: () => apply(clockNow, clock, []),
    /** Queues a task; timers that queue timers have to wait. @type {(task: () => void) => void} */
    queue(task) {
      push(tasks, task);
      apply(postMessage, port2, [null]);
    },
    /** Queues a task before those that wait already, where the browser can. @type {(task: () => void) => void} */
    hurry(task) {
      if (postTask) apply(postTask, scheduler, [task, { priority: "user-blocking" }]);
    },
  };
}

function block(/** @type {number} */ milliseconds) {
  const end = now() + milliseconds;
  while (now() < end);
}

// A browser may send messages to another process only when the task has ended, and a document that is held in the task may be
// removed before. So the server has copies of all messages before others know that this document has come to a point.

/** Keeps a message for the server to have a copy. @type {(letter: Envelope) => void} */
export function keep(letter) {
  if (isSteered && me !== "top") push(unkept, letter);
}

/** Returns words to tell, with the messages that the server has no copy of. @type {(words: string) => string} */
const withLetters = (words) => (unkept.length > 0 ? `${words}\n${stringify(splice(unkept, 0, unkept.length))}` : words);

const tell = (/** @type {string} */ words) => notify(withLetters(words));

/** Returns copies of the messages of other documents that it has not returned before. @type {() => Envelope[]} */
export const keptLetters = () => (config.timetable ? parse(ask({ letters: true })) : []);

function leaveTimetable(/** @type {number} */ index) {
  isSteered = false;
  tell(index < points.length ? `off at ${me} ${index}` : "off");
}

/** Waits before a point; returns whether all that it waits for came. @type {(point: Pick<Point, "after" | "units">, patience?: number) => boolean} */
function hold({ after, units }, patience = LONGEST) {
  if (after.length + units === 0) return true;
  try {
    if (unkept.length > 0) request("POST", meeting, withLetters(""));
    if (after.length > 0 && ask({ names: after, patience }) !== "met") return false;
  } catch {
    return false; // The document has gone.
  }
  block(units * unit);
  return true;
}

/** Comes to a point, and waits as the timetable says. Returns its number, or -1. @type {(what: string) => number} */
export function reach(what) {
  pause();
  if (!isSteered) return -1;
  let index = next;
  while (index < points.length && points[index].what !== what) index++;
  const isStep = find(what, "script.") === 0;
  // The browser may record what the schedule has elsewhere or never, but the script has one order.
  if (!isStep && (index !== next || index === points.length)) return -1;
  if (index === points.length || !(hasWaited || hold(points[index]))) {
    leaveTimetable(index);
    return -1;
  }
  hasWaited = false;
  for (; next <= index; next++) cell.passed[`${me} ${next}`] = true;
  const begin = directlyAfter[`${me} ${index}`];
  if (begin) hurry(begin);
  return index;
}

/** Tells others that a point is passed. @type {(number: number) => void} */
export function pass(number) {
  if (number >= 0 && points[number].tells) tell(`${me} ${number}`);
}

/**
 * Begins a task of this document's own when the timetable says so; returns false if it says nothing. `isThere` says whether the
 * task may begin without that.
 * @type {(kind: "timer" | "message", label: string, task: () => void, isThere?: () => boolean) => boolean}
 */
export function beginLater(kind, label, task, isThere = () => true) {
  if (!isSteered) return false;
  let index = next;
  while (index < points.length && (claimed[index] || points[index].begins !== `${kind} ${label}`)) index++;
  if (index === points.length) return false;
  claimed[index] = true;
  const point = points[index];
  const { after, idles, needs } = point;
  const end = now() + LONGEST;
  let hasBegun = false;
  let idleUntil = 0;
  const beginIfDue = () => {
    if (hasBegun || !isSteered || next !== index || (needs !== null && !cell.passed[needs])) return;
    if (idles) idleUntil ||= now() + point.units * unit;
    if (now() < idleUntil || !hold({ after, units: idles ? 0 : point.units }, SHORT)) return;
    hasBegun = true;
    hasWaited = true;
    task();
  };
  const begin = () => {
    beginIfDue();
    if (hasBegun) return;
    // The task stays in the queue, so that it comes as soon as it can.
    if (isSteered && now() < end) queue(begin);
    else if (isThere()) {
      hasBegun = true;
      task();
    } else later(begin, SHORT);
  };
  if (needs !== null && !idles) directlyAfter[needs] = beginIfDue;
  queue(begin);
  return true;
}
