// The steps of a script. A promise gets exactly one reaction, registered directly after the call that returned it, and the
// script continues inside that reaction. The interpreter in Python (operations.py) does the same.
/** @import { Next, Operation, Step } from "./types.d.ts" */
import { Broken } from "./broken.js";
import { elementOperations } from "./elements.js";
import { waitForEntries } from "./entries.js";
import {
  closeWindow,
  goBack,
  hasFrame,
  leave,
  makeFrame,
  navigateFrame,
  onPageTransition,
  open,
  removeFrame,
} from "./frames.js";
import { follow, maker } from "./making.js";
import { afterTimeout, post, record, send } from "./post.js";
import { apply, construct, getter, hasOwn, is, microtask, splice, then } from "./pristine.js";
import { beginLater, pass, reach } from "./timetable.js";
import { cell, me, ownDocument, specs, windowOf, windows } from "./windows.js";
import { knowRealm, writer } from "./writing.js";

const viewOf = getter(Document.prototype, "defaultView");

const { written, eventAttributes } = writer(me, config.origins, windows, cell.realms);
const { make, named, controller, pending } = maker(config.origins, config.notations, {
  record,
  written,
  runNested,
  windowOf: (id = me) => windowOf(id),
  modelContextOf: (id) => windowOf(id)[config.accessor].modelContext,
  originOf: (id = me) => specs[id].origin,
});

/** @type {Record<string, true | (() => void)>} By message: true if it has come, or the continuation. */
const messages = Object.create(null);
/** @type {Record<string, boolean>} By message: true if a timetable says when the script goes on. */
const awaited = Object.create(null);
/** @type {Record<string, true>} By label. */
const settled = Object.create(null);
/** @type {Record<string, Next>} By label: the continuation for when the result settles. */
const waiters = Object.create(null);
/** @type {Record<string, true>} The operations that return a promise. */
export const promises = Object.create(null);
for (const operation of config.promises) promises[operation] = true;

/** Handles a message of a `tell`. */
export function told(/** @type {string} */ message) {
  const next = messages[message];
  messages[message] = true;
  if (typeof next === "function" && !awaited[message]) next();
}

export function runScript(/** @type {number} */ first) {
  const steps = config.script;
  let index = first;
  while (index < steps.length) {
    const step = steps[index++];
    const rest = index;
    if (perform(step, step.wait ? () => runScript(rest) : null)) return;
  }
  send({ kind: "ended", id: me });
}

/** @param {Step[]} [steps] */
function runNested(steps = []) {
  for (const step of steps) perform(step, null);
}

/** Returns whether the script waits, to be continued by `next`. @type {(step: Step, next: Next) => boolean} */
function perform(step, next) {
  const point = reach(step.place);
  try {
    const isAboutElements = hasOwn(step.arguments, "element") || !hasOwn(operations, step.do);
    return (isAboutElements ? onElements : operations)[step.do](step.arguments, step, next) === true;
  } catch (error) {
    if (error instanceof Broken) {
      send({ kind: "broken", id: me, text: `${step.place}: ${error.message}` });
      return true;
    }
    record({ step: step.label, threw: written(error) });
    return false;
  } finally {
    pass(point);
    pass(reach(`done ${step.place}`));
  }
}

function contextOf(/** @type {Step} */ step) {
  const id = step.on ?? me;
  if (!hasOwn(cell.contexts, id)) throw new Broken(`the document ${me} cannot reach the ModelContext of ${id}`);
  return cell.contexts[id];
}

/** Calls the method that a step is named after. @type {Operation} */
const call = (data, step, next) => waitFor(contextOf(step)[step.do](...make(data.arguments)), step, next);

/** Calls a method of any object, by its path. @type {Operation} */
function callByPath(data, step, next) {
  const start = (data.object ?? "modelContext") === "modelContext" ? contextOf(step) : named[data.object];
  const last = data.path.length - 1;
  const list = make(data.arguments ?? []);
  const object = follow(start, splice([...data.path], 0, last));
  return waitFor(object[data.path[last]](...list), step, next);
}

/** Records a result at once, or that of a promise when it settles. @type {(promise: any, step: Step, next: Next) => boolean} */
function waitFor(promise, step, next) {
  if (!promises[step.do]) {
    record({ step: step.label, value: written(promise) });
    return false;
  }
  const settle = (/** @type {string} */ key) => (/** @type {unknown} */ value) => {
    // HTML runs no jobs of a document that is not fully active, and Chromium does where another realm has the promise.
    if (apply(viewOf, ownDocument, []) === null) return;
    named[step.label] = value;
    record({ promise: step.label, [key]: written(value) }, step.label);
    settled[step.label] = true;
    const waiter = waiters[step.label];
    delete waiters[step.label];
    if (waiter) waiter();
    if (next) next();
  };
  apply(then, promise, [settle("fulfilled"), settle("rejected")]);
  send({ kind: "called", id: me, label: step.label });
  return next !== null;
}

/** @type {(via: string, steps: Step[]) => (event: Event) => void} */
const listener = (via, steps) => (event) => {
  const { type, ...attributes } = /** @type {any} */ (eventAttributes(event));
  record({ event: type, via, ...attributes });
  runNested(steps);
};

/** @type {(data: Record<string, any>, key: string) => any} */
const madeOf = (data, key) => (hasOwn(data, key) ? make(data[key]) : undefined);

/** Returns a function that records an entry, and runs nested steps. @type {(entry: object, steps: Step[]) => () => void} */
const recording = (entry, steps) => () => {
  record(entry);
  runNested(steps);
};

/** @type {(id: string, next: Next) => void} */
function arrived(id, next) {
  send({ kind: "arrived", id });
  post(id, { kind: "start" });
  next?.();
}

/** Names the initial about:blank document of a frame, with its ModelContext. @type {(name: string, view: any) => void} */
function knowInitialDocument(name, view) {
  cell.contexts[name] = view[config.accessor].modelContext;
  knowRealm(cell.realms, name, view);
}

const onElements = elementOperations(record, written, runNested, make);

/** @type {Record<string, Operation>} */
const operations = {
  registerTool: call,
  unregisterTool: call,
  getTools: call,
  executeTool: call,
  call: callByPath,
  abort: (data) => controller(data.controller).abort(madeOf(data, "reason")),
  resolve: (data) => pending(data.pending).resolve(madeOf(data, "value")),
  reject: (data) => pending(data.pending).reject(madeOf(data, "value")),
  listen(data, step) {
    contextOf(step).addEventListener(data.type, listener("listener", data.steps));
  },
  handler(data, step) {
    contextOf(step)[`on${data.type}`] = hasOwn(data, "value") ? make(data.value) : listener("handler", data.steps);
  },
  timer: (data, step) => afterTimeout(recording({ timer: step.label }, data.steps), step.label),
  microtask: (data, step) => microtask(recording({ microtask: step.label }, data.steps)),
  log: (data) => record({ log: written(make(data.value)) }),
  set(data) {
    const last = data.path.length - 1;
    follow(named[data.object], splice([...data.path], 0, last))[data.path[last]] = make(data.value);
  },
  same(data, step) {
    const [left, right] = make(data.values);
    record({ step: step.label, value: is(left, right) });
  },
  get(data, step) {
    const object = (data.object ?? "modelContext") === "modelContext" ? contextOf(step) : named[data.object];
    record({ step: step.label, value: written(follow(object, data.path)) });
  },
  construct(data, step) {
    const made = construct(/** @type {any} */ (window)[data.interface], make(data.arguments ?? []));
    record({ step: step.label, value: made instanceof Event ? eventAttributes(made) : written(made) });
  },
  dispatch(data, step) {
    const event = construct(/** @type {any} */ (window)[data.interface], make(data.arguments ?? []));
    record({ step: step.label, value: written(contextOf(step).dispatchEvent(event)) });
  },
  tell: (data) => post(data.to, { kind: "tell", message: data.message }),
  waitFor(data, _, next) {
    if (hasOwn(data, "entries")) {
      waitForEntries(data.entries, /** @type {() => void} */ (next));
    } else if (hasOwn(data, "result")) {
      if (settled[data.result]) return false;
      waiters[data.result] = next;
    } else {
      if (messages[data.message] === true) return false;
      messages[data.message] = /** @type {() => void} */ (next);
      const isThere = () => messages[data.message] === true;
      awaited[data.message] = beginLater("message", data.message, () => next?.(), isThere);
    }
    return true;
  },
  addFrame(data, _, next) {
    send({ kind: "arriving", id: data.document });
    makeFrame(data.document, () => arrived(data.document, next));
    if (hasOwn(data, "initial")) knowInitialDocument(data.initial, windowOf(data.document));
    runNested(data.steps);
    return next !== null;
  },
  removeFrame(data) {
    send({ kind: "gone", id: data.document });
    removeFrame(data.document);
  },
  navigate(data, _, next) {
    // A removed iframe never loads.
    if (!hasFrame(data.document)) return next !== null;
    const loaded = () => {
      send({ kind: "gone", id: data.document });
      arrived(data.to, next);
    };
    send({ kind: "arriving", id: data.to });
    navigateFrame(data.document, data.to, loaded);
    return next !== null;
  },
  open(data, _, next) {
    send({ kind: "arriving", id: data.document });
    open(data.document, () => arrived(data.document, next));
    return true;
  },
  close(data) {
    send({ kind: "gone", id: data.document });
    closeWindow(data.document);
  },
  leave(data, _, next) {
    send({ kind: "arriving", id: data.document });
    leave(data.document, () => {
      send({ kind: "arrived", id: data.document });
      send({ kind: "gone", id: data.document });
      next?.();
    });
    return true;
  },
  goBack() {
    goBack();
    return true;
  },
  pageTransition: (data) => onPageTransition(data.type, recording({ pageTransition: data.type }, data.steps)),
};
