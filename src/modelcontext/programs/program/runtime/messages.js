// The handlers of messages from other documents.
/** @import { Message } from "./types.d.ts" */
import { openPopup, popups } from "./frames.js";
import { acknowledged, post, run, send, take } from "./post.js";
import { apply, hasOwn, later, NativeString, then } from "./pristine.js";
import { promises, runScript, told } from "./steps.js";
import { cell, holderOf, me, reachable, specs, windows } from "./windows.js";

/** Round trips to the browser's registry of tools after which the tools of forms are there, and their events are fired. */
const ROUNDS_AT_REST = 3;

let owedGreetings = 0;

/** @type {(rounds: number, next: () => void) => void} */
function rest(rounds, next) {
  const context = cell.contexts[me];
  if (rounds === 0 || !context?.getTools) {
    next();
    return;
  }
  const again = () => later(() => rest(rounds - 1, next), 0);
  apply(then, context.getTools(), [again, again]);
}

/** @type {Record<string, (message: any, source: Window) => void>} */
const received = {
  start() {
    reachable();
    runScript(0);
  },
  tell: ({ message }) => told(message),
  openPopup: ({ id }) => openPopup(id),
  // A document reaches frames by their names, but a popup only through a message from it.
  prepare() {
    knowContext();
    rest(config.rests ? ROUNDS_AT_REST : 0, () => {
      if (specs[me].opener) {
        for (const id of reachable()) {
          if (id === me) continue;
          owedGreetings++;
          post(id, { kind: "greet", id: me });
        }
      }
      if (owedGreetings === 0) prepared();
    });
  },
  greet({ id }, source) {
    windows[holderOf(id)] ??= source;
    post(id, { kind: "greeted" });
  },
  greeted() {
    if (--owedGreetings === 0) prepared();
  },
  popupLoaded: ({ id }) => popups[id]?.(),
  ping({ round }) {
    later(() => {
      let answered = false;
      const answer = () => {
        if (!answered) later(() => send({ kind: "pong", id: me, round }), 0);
        answered = true;
      };
      const context = cell.contexts[me];
      // Chromium's promise may never settle. Then the run ends with the entries so far.
      later(answer, config.quiet);
      if (promises.getTools && context?.getTools) apply(then, context.getTools(), [answer, answer]);
      else answer();
    }, 0);
  },
};

// Called late if possible: now and then Chromium never answers a frame that asks as soon as it has loaded.
export function knowContext() {
  cell.contexts[me] = /** @type {any} */ (window[config.accessor]).modelContext;
}

function prepared() {
  reachable();
  send({ kind: "prepared", id: me });
}

/**
 * Handles a message, or passes it to the coordinator. Returns whether it was not known.
 * @type {(event: Pick<MessageEvent, "data" | "source">, coordinator: ((message: Message, source: Window) => void) | null) => boolean}
 */
export function receive({ data, source }, coordinator) {
  const sender = /** @type {Window} */ (source);
  try {
    if (data?.run !== run) return false;
    // Acknowledgements for a document that was in this window before are ignored.
    if (data.acknowledged && data.to === me) acknowledged(data.from, data.acknowledged);
    const message = data.modelcontext;
    if (!message || !take(data, sender)) return false;
    if (hasOwn(received, message.kind)) received[message.kind](message, sender);
    else if (coordinator) coordinator(message, sender);
  } catch (error) {
    send({ kind: "broken", id: me, text: NativeString(/** @type {any} */ (error)?.message ?? error) });
  }
  return true;
}
