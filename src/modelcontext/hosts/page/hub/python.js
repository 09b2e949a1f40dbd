// Entries into Python, and the letters to documents elsewhere, which wait until Python has returned.
/** @import { Entries, Letter, Message, Task, ToPage } from "../protocol.d.ts" */
/** @import { AnyRealm, RemoteRealm } from "./types.d.ts" */

/** @type {Entries} */
export let python;
/** @type {(message: string) => void} */
let onFault;
/** @type {() => void} */
let prepare = () => {};
/** @type {any} The realm that has entered Python. */
export let current = null;
let depth = 0;

/** @type {(entries: Entries, fault: (message: string) => void) => void} */
export function start(entries, fault) {
  python = entries;
  onFault = fault;
}

/** Sets the function that runs before each entry, to tell Python first of what has happened. */
export function beforeEntries(/** @type {() => void} */ steps) {
  prepare = steps;
}

/**
 * Enters Python. An exception of Python itself is a fault of the host, and ends the run.
 * @template T
 * @param {AnyRealm | null} service
 * @param {() => T} steps
 */
export function enter(service, steps) {
  prepare();
  const outer = current;
  current = service ?? outer;
  depth++;
  try {
    return steps();
  } catch (error) {
    onFault(saidBy(/** @type {any} */ (error)));
    throw error;
  } finally {
    current = outer;
    if (--depth === 0) flush();
  }
}

/** Returns what a fault says: that a step of the text has no meaning, or that the product failed. */
function saidBy(/** @type {{ type?: string, message?: string }} */ error) {
  const message = String(error.message ?? error);
  const step = error.type === "NoMeaningError" ? message.split("NoMeaningError: ").pop() : undefined;
  return step?.trim() || `the product itself failed: ${message}`;
}

/** @type {Map<RemoteRealm, Message<ToPage>[]>} */
const outbox = new Map();
/** @type {[RemoteRealm, number][]} */
const tasksElsewhere = [];

/** Sends a message to a document elsewhere. All messages of one entry into Python go in one letter, and so in one task. */
/** @type {<Name extends keyof ToPage>(service: RemoteRealm, name: Name, ...fields: ToPage[Name]) => void} */
export function post(service, name, ...fields) {
  boxOf(service).push(/** @type {Message<ToPage>} */ (/** @type {unknown} */ ([name, ...fields])));
  if (depth === 0) flush();
}

/** @type {(service: RemoteRealm, task: number) => void} */
export function queueElsewhere(service, task) {
  tasksElsewhere.push([service, task]);
}

function boxOf(/** @type {RemoteRealm} */ service) {
  const box = outbox.get(service) ?? [];
  outbox.set(service, box);
  return box;
}

function flush() {
  for (const [service, messages] of outbox) {
    /** @type {Letter} */
    const letter = [++service.lastLetter, messages];
    service.port.postMessage(JSON.stringify(letter));
    if (service.turns !== null) service.unseen.push(letter);
  }
  outbox.clear();
  for (const [service, task] of tasksElsewhere.splice(0)) {
    /** @type {Task} */
    const message = ["task", task, service.turns];
    service.port.postMessage(JSON.stringify(message));
  }
}

// Documents of one site may share a process. A document in the process of this window would wait for itself.
const turns = new URL("turn/", location.href).pathname;
const siteOf = (/** @type {string} */ origin) => new URL(origin).hostname.split(".").slice(-2).join(".");

/** The path at which a document of an origin waits for the end of its tasks; null if it cannot. */
export const turnsOf = (/** @type {string} */ origin) =>
  origin !== "null" && siteOf(origin) !== siteOf(location.origin) ? turns : null;

/**
 * Answers, through the server, a document that waits for the end of a task. The answer has all letters on their way to it.
 * @type {(service: RemoteRealm, turn: string, seen: number) => void}
 */
export function answerTurn(service, turn, seen) {
  boxOf(service);
  flush();
  service.unseen = service.unseen.filter(([number]) => number > seen);
  // Without such a server, the letters arrive on their own.
  fetch(turns + turn, { method: "POST", body: JSON.stringify(service.unseen) }).catch(() => {});
}
