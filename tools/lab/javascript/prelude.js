// The names that a generated script uses. `put` takes a line, `family` names the one source of tasks that the script has.

// Everything that a script does ends: functions do nothing after so many calls, and tasks are not queued after so many. Chromium
// dispatches some forty events inside each other at most.
let calls = 30;
const spent = () => calls-- <= 0;
let tasks = 4;

const log = (/** @type {string} */ label, /** @type {unknown[]} */ ...values) => {
  put([label, ...values.map((value) => show(value))].join(" "));
};

const names = new WeakMap();
const tagOf = (/** @type {unknown} */ value) => Object.prototype.toString.call(value).slice(8, -1);
const own = (/** @type {string} */ text) => (text.startsWith("own") ? `(${text})` : "");
/**
 * The text of a value, without a call of a script's function. The messages of errors that are not the script's are left out.
 * @type {(value: any, around?: object[]) => string}
 */
function show(value, around = []) {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "symbol":
    case "function":
      return typeof value;
  }
  if (value === null || typeof value !== "object") return String(value);
  if (names.has(value)) return names.get(value);
  if (around.includes(value)) return `^${around.length - around.indexOf(value)}`;
  const inner = (/** @type {any} */ item) => show(item, [...around, value]);
  const tag = tagOf(value);
  const members = () => {
    /** @type {string[]} */
    const texts = [];
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(value, key));
      const { enumerable, get, value: member } = descriptor;
      // Chromium's own errors may have a message that is enumerable.
      if (enumerable && key !== "message")
        texts.push(`${typeof key === "symbol" ? "symbol" : JSON.stringify(key)}: ${get ? "getter" : inner(member)}`);
    }
    return texts.length > 0 ? `{${texts.join(", ")}}` : "";
  };
  if (value instanceof Event) {
    const { type, eventPhase, bubbles, cancelable, composed, defaultPrevented, isTrusted, target, currentTarget } =
      value;
    /** @type {Record<string, boolean>} */
    const flags = { bubbles, cancelable, composed, defaultPrevented, isTrusted };
    const set = Object.keys(flags).filter((name) => flags[name]);
    const detail = value instanceof CustomEvent ? ` ${inner(value.detail)}` : "";
    return `${tag}(${type} ${eventPhase} ${inner(target)} ${inner(currentTarget)} ${set.join(" ")}${detail})`;
  }
  if (value instanceof AbortSignal) return `AbortSignal(${value.aborted} ${inner(value.reason)})`;
  if (value instanceof DOMException) return `DOMException(${value.name} ${value.code})${own(value.message)}`;
  if (value instanceof URL) {
    const { origin, protocol, username, password, host, port, pathname, search, hash } = value;
    return `URL${JSON.stringify([value.href, origin, protocol, username, password, host, port, pathname, search, hash])}`;
  }
  if (value instanceof URLSearchParams) return `URLSearchParams${JSON.stringify([`${value}`, ...value])}`;
  if (ArrayBuffer.isView(value)) {
    const bytes = [...new Uint8Array(value.buffer)];
    return `${tag}(${value.byteOffset} ${value.byteLength} of ${bytes})`;
  }
  switch (tag) {
    case "Array":
      return `[${Array.from({ length: value.length }, (_, index) => (index in value ? inner(Object.getOwnPropertyDescriptor(value, index)?.value) : "hole")).join(", ")}]${Object.keys(value).some((key) => !/^\d+$/.test(key)) ? members() : ""}`;
    case "Object":
      return members() || "{}";
    case "Error": {
      const message = Object.getOwnPropertyDescriptor(value, "message");
      const prototype = Object.getPrototypeOf(value)?.constructor?.name;
      const cause = Object.hasOwn(value, "cause") ? ` cause ${inner(value.cause)}` : "";
      const errors =
        value instanceof AggregateError && Object.hasOwn(value, "errors") ? ` errors ${inner(value.errors)}` : "";
      return `${prototype}${message === undefined ? " without a message" : own(String(message.value))}${cause}${errors}${members()}`;
    }
    case "Map":
      return `Map(${[...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`).join(", ")})`;
    case "Set":
      return `Set(${[...value].map(inner).join(", ")})`;
    case "Date":
      return `Date(${value.getTime()})`;
    case "RegExp":
      return `RegExp(${value} ${value.lastIndex})`;
    case "ArrayBuffer":
      return `ArrayBuffer(${[...new Uint8Array(value)]}${value.resizable ? ` of ${value.maxByteLength}` : ""})`;
    case "Number":
    case "String":
    case "Boolean":
    case "BigInt":
      return `${tag}(${show(value.valueOf())})`;
  }
  return tag + members();
}

const t0 = document.createElement("div");
const t1 = document.createElement("p");
const t2 = document.createElement("b");
const t3 = new EventTarget();
t0.append(t1);
t1.append(t2);
for (const [name, value] of Object.entries({ t0, t1, t2, t3, window: self })) names.set(value, name);
const c0 = new AbortController();
const c1 = new AbortController();
const d0 = Promise.withResolvers();
const d1 = Promise.withResolvers();
/** @extends {Promise<any>} */
class Derived extends Promise {}
async function* generate(/** @type {any[]} */ ...values) {
  for (const value of values) yield value;
}
let p0 = Promise.resolve(0);
let p1 = d1.promise;
let p2 = Promise.resolve(2);
let s0 = c0.signal;
let s1 = AbortSignal.any([c0.signal, c1.signal]);
let o0 = { x: 1 };
let o1 = [o0, o0];
let f0 = (/** @type {unknown} */ value) => log("f0", value);
let f1 = (/** @type {unknown} */ value) => {
  log("f1", value);
  throw new Error("own of f1");
};
let e0 = new Event("a", { bubbles: true });
const a = undefined;
const resolve = () => {};
const reject = () => {};
const attempt = (/** @type {() => void} */ callback) => {
  try {
    callback();
  } catch (error) {
    log("threw", error);
  }
};
/** @type {(value: any, operation: string, ...values: any[]) => void} */
const onEvent = (value, operation, ...values) => {
  if (value instanceof Event) /** @type {any} */ (value)[operation](...values);
};

// One source of tasks at most, so that their order is promised.
/** @type {((value: any) => void)[]} */
const waiting = [];
const next = (/** @type {any} */ value) => {
  log("task");
  /** @type {(value: any) => void} */ (waiting.shift())(value);
};
/** @type {Record<typeof family, (value: any) => void>} */
const sources = {
  "no tasks": () => log("no task"),
  // HTML promises the order of two timers if the later one has not the smaller delay.
  timers: (value) => setTimeout(next, [5, 2, 0, 0][tasks - 1], value),
  "abort timeouts": (value) => {
    AbortSignal.timeout(0).addEventListener("abort", () => next(value));
  },
  "messages to a port": (() => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data }) => next(data);
    return (value) => port1.postMessage(value);
  })(),
  "messages to the window": (() => {
    addEventListener("message", ({ data }) => next(data));
    return (value) => postMessage(value);
  })(),
};
/**
 * Calls a function in a task, with a value, or a clone of it.
 * @type {(callback: (value: any) => void, value: any) => void}
 */
function later(callback, value) {
  if (tasks <= 0) return;
  sources[family](value);
  if (family === "no tasks") return;
  tasks -= 1;
  waiting.push(callback);
}
addEventListener("error", (event) => {
  event.preventDefault();
  log("error", event.error);
});
for (const name of ["unhandledrejection", "rejectionhandled"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    // Only without tasks it is promised that the promise has not been handled in between.
    if (family === "no tasks") log(name, /** @type {PromiseRejectionEvent} */ (event).reason);
  });
}
