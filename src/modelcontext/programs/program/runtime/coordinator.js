// The coordinator, in the program's top document: it starts the scripts, collects the entries and detects the end of the run.
/** @import { Envelope, Message } from "./types.d.ts" */

import { receive } from "./messages.js";
import { post } from "./post.js";
import {
  apply,
  defineProperty,
  every,
  filter,
  find,
  forget,
  join,
  keysOf,
  later,
  map,
  NativeSymbol,
  newPromise,
  parse,
  part,
  position,
  push,
  shift,
  some,
  sort,
  splice,
  stringify,
  then,
} from "./pristine.js";
import { keptLetters } from "./timetable.js";
import { holderOf, leaves, ownWindow, specs, windowOf, windows } from "./windows.js";

/** Milliseconds that a document may take to answer before the run counts as hung. */
const SILENCE = 5000;
/** Round trips through all documents that must bring no news before a run is over. */
const ROUNDS = 2;

/**
 * The result of the run: an outcome as JSON, or the reason why there is none.
 * `cut` names documents that went in the middle of a task, so that entries of that task may be missing.
 * @typedef {{ outcome: string, cut: string[] } | { error: string } | { timeout: string }} Result
 */

/** Returns the handler of the messages from documents. */
export function coordinate() {
  /** @type {Record<string, "awaited" | "loaded" | "prepared" | "started" | "ended" | "gone">} */
  const state = Object.create(null);
  /**
   * The cells that have written, one after the other, by log.
   * @type {Record<string, { id: string, documents: string[], entries: { sequence: number, text: string }[] }[]>}
   */
  const logs = Object.create(null);
  /** @type {Envelope[]} Copies of messages of documents that are still there. */
  let kept = [];
  /** @type {string[]} The documents whose last messages came only as copies. */
  const cut = [];
  /** @type {string[]} */
  const unsettled = [];
  /** @type {Record<string, number>} The number of pending timers, by document. */
  const timers = Object.create(null);
  const initial = map(
    filter(config.documents, (spec) => !spec.later),
    (spec) => spec.id,
  );
  for (const id of initial) state[id] = "awaited";
  /** @type {string[]} */
  let arriving = [];
  let round = 0; // The number of the last round of pings.
  /** @type {{ awaited: string[], rounds: number } | null} The documents that have not answered yet. */
  let asked = null;
  let lookPlanned = false;
  /** @type {any} The timer until the next round of pings, or until the answers to this one are overdue. */
  let patience = null;

  /** @type {PromiseWithResolvers<Result>} */
  const { promise: result, resolve: finish } = newPromise();
  // For the product that runs the program. It has its own "then", because the program may reassign that of the prototype.
  defineProperty(result, "then", { value: then });
  defineProperty(ownWindow, NativeSymbol.for("modelcontext.result"), { value: result });
  const [visit] = leaves ? /** @type {any[]} */ (performance.getEntriesByType("navigation")) : [];
  if (visit?.type === "back_forward") {
    const why = visit.notRestoredReasons ? `: ${stringify(visit.notRestoredReasons)}` : "";
    finish({ error: `the browser did not keep the page in the back/forward cache${why}` });
  }
  if (config.report !== null) {
    const page = ownWindow.opener ?? ownWindow.parent;
    const tell = (/** @type {Result} */ outcome) => page.postMessage({ report: config.report, result: outcome }, "*");
    apply(then, result, [tell]);
  }

  later(() => {
    const unready = filter(initial, (id) => state[id] === "awaited" || state[id] === "loaded");
    if (unready.length > 0) {
      const words = map(unready, (id) => `${id} (${state[id]})`);
      finish({ error: `these documents did not get ready: ${join(words, ", ")}` });
    }
    const missing = arriving.length > 0 ? `; never arrived: ${join(arriving, ", ")}` : "";
    const silent = asked ? `; no answer from: ${join(asked.awaited, ", ")}` : "";
    finish({ timeout: `the documents do not come to rest${missing}${silent}` });
  }, config.patience);

  // The initial popups open one after the other, each when all documents before it have loaded. If they open at once, some
  // never load (a debugger has to release each of them).
  const popups = filter(initial, (id) => specs[id].opener);
  const opened = ["top"];

  /** @type {(id: string) => string} */
  const rootOf = (id) => (specs[id].parent ? rootOf(specs[id].parent) : id);

  function openNext() {
    if (some(initial, (id) => position(opened, rootOf(id)) >= 0 && state[id] === "awaited")) return;
    const next = /** @type {string} */ (shift(popups));
    push(opened, next);
    post(/** @type {string} */ (specs[next].opener), { kind: "openPopup", id: next });
  }

  const all = (/** @type {string} */ wanted) => every(initial, (id) => state[id] === wanted);
  /** @type {(id: string) => boolean} */
  const isGone = (id) => state[id] === "gone" || (specs[id].parent ? isGone(specs[id].parent) : false);
  const isLive = (/** @type {string} */ id) => state[id] !== undefined && !isGone(id);

  /** @type {Record<string, (message: any, source: Window) => void>} */
  const kinds = {
    loaded({ id }, source) {
      windows[holderOf(id)] ??= source;
      if (state[id] !== "awaited") return;
      state[id] = "loaded";
      if (all("loaded")) for (const id of initial) post(id, { kind: "prepare" });
      else openNext();
    },
    prepared({ id }) {
      if (state[id] === "loaded") state[id] = "prepared";
      if (!all("prepared")) return;
      for (const id of initial) state[id] = "started";
      for (const id of initial) post(id, { kind: "start" });
    },
    arriving: ({ id }) => push(arriving, id),
    arrived({ id }) {
      drop(arriving, id);
      state[id] ??= "started";
    },
    ended({ id }) {
      state[id] = isGone(id) ? "gone" : "ended";
    },
    gone({ id }) {
      state[id] = "gone";
      arriving = filter(arriving, (other) => holderOf(other) !== id && !isGone(other));
    },
    entry({ id, log, cell, sequence, text, settles }) {
      const cells = (logs[log] ??= []);
      let writing = filter(cells, (one) => one.id === cell)[0];
      if (!writing) {
        // Documents that come when all those before them have gone begin again.
        if (!every(cells, (one) => every(one.documents, isGone))) {
          finish({ error: `the documents of the event loop ${log} did not find each other` });
        }
        writing = { id: cell, documents: [], entries: [] };
        push(cells, writing);
      }
      push(writing.entries, { sequence, text });
      push(writing.documents, id);
      if (settles !== undefined) drop(unsettled, `${id}: ${settles}`);
    },
    called: ({ id, label }) => push(unsettled, `${id}: ${label}`),
    scheduled({ id }) {
      timers[id] = (timers[id] ?? 0) + 1;
    },
    ran({ id }) {
      timers[id]--;
    },
    broken: ({ id, text }) => finish({ error: `${id}: ${text}` }),
  };

  // The run is over when nothing is left to wait for (or there was no news for a while), and then round trips through every
  // live document, its timers and the browser's registry of tools bring no news.
  function isIdle() {
    if (some(unsettled, (label) => isLive(part(label, 0, find(label, ": "))))) return false;
    return every(keysOf(state), (id) => isGone(id) || (state[id] === "ended" && !timers[id]));
  }

  function look() {
    lookPlanned = false;
    if (some(initial, (id) => state[id] === "awaited" || state[id] === "loaded" || state[id] === "prepared")) return;
    if (isIdle()) ask(ROUNDS);
    else if (arriving.length === 0) patience = later(() => ask(ROUNDS), config.quiet);
  }

  function ask(/** @type {number} */ rounds) {
    const mine = ++round;
    asked = { awaited: filter(keysOf(state), isLive), rounds };
    for (const id of asked.awaited) post(id, { kind: "ping", round });
    patience = later(() => {
      if (round === mine && asked) finish({ timeout: `no answer from ${join(asked.awaited, ", ")}` });
    }, SILENCE);
  }

  function pong(/** @type {Message} */ { id, round: answered }) {
    if (asked === null || answered !== round) return;
    drop(asked.awaited, /** @type {string} */ (id));
    if (asked.awaited.length > 0) return;
    const { rounds } = asked;
    asked = null;
    forget(patience);
    if (rounds > 1) ask(rounds - 1);
    else if (takeKept()) hearNews();
    else over();
  }

  // A document that is removed in the middle of a task may take its last messages with it.

  /** Delivers the copies of messages of documents that have gone. Returns whether one may be new. */
  function takeKept() {
    if (!some(keysOf(state), isGone)) return false;
    kept = sort([...kept, ...keptLetters()], (left, right) => left.number - right.number);
    const late = filter(kept, ({ from }) => isGone(from));
    kept = filter(kept, ({ from }) => !isGone(from));
    let isNew = false;
    for (const letter of late) {
      if (letter.to === "top") {
        if (!receive({ data: letter, source: null }, handle)) continue;
        if (position(cut, letter.from) < 0) push(cut, letter.from);
      } else if (isLive(letter.to)) windowOf(letter.to).postMessage(letter, "*");
      else continue;
      isNew = true;
    }
    return isNew;
  }

  function over() {
    /** @type {Record<string, unknown[]>} */
    const written = {};
    for (const log of keysOf(logs)) {
      written[log] = [];
      for (const { entries } of logs[log]) {
        sort(entries, (left, right) => left.sequence - right.sequence);
        push(written[log], ...map(entries, ({ text }) => parse(text)));
      }
    }
    finish({ outcome: stringify({ logs: written, pending: sort(unsettled) }), cut });
  }

  function hearNews() {
    // Earlier pings are out of date.
    asked = null;
    forget(patience);
    if (!lookPlanned) {
      lookPlanned = true;
      later(look, 0);
    }
  }

  /** @type {(message: Message, source: Window) => void} */
  function handle(message, source) {
    if (message.kind === "pong") return pong(message);
    kinds[message.kind](message, source);
    hearNews();
  }
  return handle;
}

/** @type {<T>(list: T[], item: T) => void} */
function drop(list, item) {
  const index = position(list, item);
  if (index >= 0) splice(list, index, 1);
}
