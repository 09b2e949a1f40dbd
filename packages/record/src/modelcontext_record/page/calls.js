// The methods of the API, wrapped so that each call and its settlement leave a note. What a dictionary's conversion reads is
// what the note says: the members pass through a proxy, in the order in which the browser reads them.
/** @import { Passed } from "./types.d.ts" */
import {
  apply,
  defineProperty,
  getOwnPropertyDescriptor,
  getter,
  hasOwn,
  listenTo,
  NativeAbortController,
  NativeAbortSignal,
  position,
  some,
  then,
} from "../../../../../src/modelcontext/programs/program/runtime/pristine.js";
import { key, note, shared } from "./channel.js";
import { copied, isPlain } from "./copies.js";

const NativeProxy = Proxy;
const { get: read } = Reflect;
const weak = WeakMap.prototype;
const isAborted = getter(NativeAbortSignal.prototype, "aborted");
const reasonOf = getter(NativeAbortSignal.prototype, "reason");
const signalOf = getter(NativeAbortController.prototype, "signal");
const viewOf = getter(Document.prototype, "defaultView");

/** The positions of arguments that are dictionaries, by method. */
const DICTIONARIES = { registerTool: [0, 1], getTools: [0], executeTool: [0, 2] };

/** The document, and what to do when another one has taken over its window. */
export const current = {
  context: /** @type {object | null} */ (null),
  document,
  renew: (/** @type {Document} */ _) => {},
};
const contextOf = getter(Document.prototype, "modelContext");

/** Replaces a method by one that looks the same. @type {(holder: any, name: string, steps: (native: any, self: any, values: any[]) => any) => void} */
export function wrapMethod(holder, name, steps) {
  const descriptor = getOwnPropertyDescriptor(holder, name);
  if (typeof descriptor?.value !== "function" || !descriptor.configurable) return;
  defineProperty(holder, name, { ...descriptor, value: alike(descriptor.value, steps) });
}

/** Returns a function that looks like another one. @type {(native: any, steps: (native: any, self: any, values: any[]) => any) => any} */
function alike(native, steps) {
  const handler = /** @type {any} */ ({ __proto__: null, apply: steps });
  const proxy = new NativeProxy(native, handler);
  apply(weak.set, shared.natives, [proxy, native]);
  return proxy;
}

/** Lets the text of a wrapped function be that of the function; its answer to the key is the door of the recorder. */
export function wrapText(/** @type {object} */ door) {
  wrapMethod(Function.prototype, "toString", (native, self, values) => {
    if (self === key) return door;
    return apply(native, apply(weak.get, shared.natives, [self]) ?? self, values);
  });
}

/** Wraps a method of the API. */
export function wrapCalls(/** @type {any} */ prototype, /** @type {keyof typeof DICTIONARIES} */ method) {
  wrapMethod(prototype, method, (native, self, values) => {
    if (self !== current.context && self === apply(contextOf, window.document, [])) current.renew(window.document);
    if (self !== current.context) {
      note({ k: "unsaid", why: `${method} is called on another object` });
      return apply(native, self, values);
    }
    const call = ++shared.calls;
    /** @type {Passed[]} */
    const passed = [];
    // The note waits until it has all that the call is given.
    shared.busy++;
    note({ k: "call", c: call, m: method, a: passed });
    const through = [];
    let promise;
    try {
      for (let index = 0; index < values.length; index++) {
        through[index] = values[index];
        passed[index] = {};
        if (position(DICTIONARIES[method], index) >= 0) through[index] = watched(values[index], passed[index], call);
        else passed[index].v = copied(values[index], true);
      }
      promise = apply(native, self, through);
    } catch (error) {
      note({ k: "threw", c: call, v: copied(error) });
      throw error;
    } finally {
      shared.busy--;
    }
    const settled = (/** @type {string} */ how) => (/** @type {unknown} */ value) => {
      // No script of a document that is gone sees this.
      if (apply(viewOf, current.document, []) !== null) note({ k: "settled", c: call, h: how, v: copied(value) });
    };
    try {
      apply(then, promise, [settled("fulfilled"), settled("rejected")]);
    } catch {
      note({ k: "returned a value", c: call, v: copied(promise) });
    }
    return promise;
  });
}

/** Notes what a dictionary's conversion reads. @type {(dictionary: any, passed: Passed, call: number) => any} */
function watched(dictionary, passed, call) {
  if ((typeof dictionary !== "object" && typeof dictionary !== "function") || dictionary === null) {
    passed.v = copied(dictionary);
    return dictionary;
  }
  /** @type {[string, unknown][]} */
  const members = (passed.o = []);
  // A member that is data is passed whether the browser reads it or not; another one is what the browser reads.
  for (const name of recorder.members) {
    const value = getOwnPropertyDescriptor(dictionary, name)?.value;
    if (value !== undefined) members[members.length] = [name, memberIn(name, value, call)];
  }
  const takesCallback = some(members, ([, value]) => hasOwn(Object(value), "$callback"));
  const hints = getOwnPropertyDescriptor(dictionary, "annotations")?.value;
  const hasPlainHints = typeof hints !== "object" || hints === null || isPlain(hints);
  if (!takesCallback && isPlain(dictionary) && hasPlainHints) return dictionary;
  const isData = (/** @type {string} */ name) => some(members, (member) => member[0] === name);
  const get = (/** @type {object} */ _, /** @type {string | symbol} */ name) => {
    const value = read(dictionary, name);
    if (typeof name !== "string" || value === undefined) return value;
    if (!isData(name)) members[members.length] = [name, memberIn(name, value, call)];
    if (name === "execute" && typeof value === "function") return callback(value, call);
    if (name !== "annotations" || typeof value !== "object" || value === null || isPlain(value)) return value;
    /** @type {Passed} */
    const nested = {};
    for (const member of members) if (member[0] === name) member[1] = { $members: nested };
    return watched(value, nested, call);
  };
  // A proxy of a frozen object could not pass another callback.
  const isFixed = getOwnPropertyDescriptor(dictionary, "execute")?.writable === false;
  return new NativeProxy(isFixed ? {} : dictionary, /** @type {any} */ ({ __proto__: null, get }));
}

/** Returns the value of a member for a note. @type {(name: string, value: any, call: number) => unknown} */
function memberIn(name, value, call) {
  if (name === "execute" && typeof value === "function") return { $callback: call };
  return name === "signal" ? signalIn(value) : copied(value, name === "inputSchema");
}

/** Returns a signal for a note, and notes when it is aborted. @type {(signal: any) => unknown} */
function signalIn(signal) {
  let aborted;
  try {
    aborted = apply(isAborted, signal, []);
  } catch {
    return copied(signal);
  }
  if (aborted) return { $abortedSignal: copied(apply(reasonOf, signal, [])) };
  let known = apply(weak.get, shared.numbers, [signal]);
  if (known === undefined) {
    const made = { s: ++shared.signals, isNoted: false };
    known = made;
    apply(weak.set, shared.numbers, [signal, made]);
    listenTo(signal, "abort", () => {
      if (!made.isNoted) note({ k: "abort", s: made.s, v: copied(apply(reasonOf, signal, [])) });
      made.isNoted = true;
    });
  }
  return { $signal: known.s };
}

/** Notes an abort before its consequences. */
export function wrapAbort() {
  wrapMethod(NativeAbortController.prototype, "abort", (native, self, values) => {
    let known;
    try {
      const signal = apply(signalOf, self, []);
      known = apply(weak.get, shared.numbers, [signal]);
    } catch {
      // Not an AbortController.
    }
    if (known !== undefined && !known.isNoted) {
      known.isNoted = true;
      note({ k: "abort", s: known.s, ...(values[0] === undefined ? {} : { v: copied(values[0]) }) });
    }
    return apply(native, self, values);
  });
}

/** Returns a callback that leaves notes. @type {(native: any, call: number) => any} */
function callback(native, call) {
  return alike(native, (_, self, values) => {
    const invocation = ++shared.invocations;
    const signal = values[1]?.signal;
    const isGiven = signal instanceof NativeAbortSignal;
    const aborted = isGiven && apply(isAborted, signal, []);
    note({ k: "callback", c: call, i: invocation, input: copied(values[0]), aborted });
    if (isGiven && !aborted) {
      listenTo(signal, "abort", () => note({ k: "canceled", i: invocation, v: copied(apply(reasonOf, signal, [])) }));
    }
    const answered = (/** @type {string} */ how) => (/** @type {unknown} */ value) => {
      note({ k: "answered", i: invocation, h: how, v: copied(value, true) });
    };
    let result;
    try {
      result = apply(native, self, values);
    } catch (error) {
      answered("rejected")(error);
      note({ k: "returned", i: invocation });
      throw error;
    }
    try {
      apply(then, result, [answered("fulfilled"), answered("rejected")]);
    } catch {
      if (isThenable(result)) note({ k: "unsaid", why: "a callback returns a thenable that is no promise" });
      else answered("fulfilled")(result);
    }
    note({ k: "returned", i: invocation });
    return result;
  });
}

/** @type {(value: any) => boolean} */
function isThenable(value) {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") && typeof value.then === "function"
  );
}
