// Makes JavaScript values in one document from the notation of the program language, as Maker in notated_values.py does.
import { Broken } from "./broken.js";
import {
  abortedSignal,
  anySignal,
  apply,
  defineProperty,
  errors,
  find,
  fromCharCode,
  hasOwn,
  isArray,
  keysOf,
  listenTo,
  NativeAbortController,
  NativeAbortSignal,
  NativeBigInt,
  NativeDOMException,
  NativePromise,
  NativeSymbol,
  newPromise,
  ownKeys,
  repeat,
  replaced,
} from "./pristine.js";

/** @type {Record<string, unknown>} */
const constants = { undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };

/**
 * The parts of a run that the values of a document need.
 * @typedef {object} Surroundings
 * @property {(entry: object) => void} record
 * @property {(value: unknown) => unknown} written
 * @property {(steps: any[] | undefined) => void} runNested
 * @property {(id: string | undefined) => any} windowOf
 * @property {(id: string) => unknown} modelContextOf
 * @property {(id: string | undefined) => string} originOf
 */

/**
 * @param {Record<string, string>} origins the serialized origins by their letters
 * @param {readonly string[]} notations
 * @param {Surroundings} around
 */
export function maker(origins, notations, around) {
  const { record, written, runNested, windowOf, modelContextOf, originOf } = around;
  /** @type {Record<string, boolean>} */
  const isNotation = Object.create(null);
  for (const notation of notations) isNotation[notation] = true;
  /** @type {Record<string, any>} The values of $let, and of results by label. */
  const named = Object.create(null);
  /** @type {Record<string, AbortController>} */
  const controllers = Object.create(null);
  /** @type {Record<string, PromiseWithResolvers<unknown>>} */
  const pendings = Object.create(null);
  /** @type {Record<string, number>} The calls of functions with a promise for each, by the name of the promise. */
  const calls = Object.create(null);

  const controller = (/** @type {string} */ name) => (controllers[name] ??= new NativeAbortController());

  const pending = (/** @type {string} */ name) => (pendings[name] ??= newPromise());

  function substituted(/** @type {string} */ string) {
    if (find(string, "{") < 0) return string;
    let replacing = string;
    for (const letter of keysOf(origins)) replacing = replaced(replacing, `{${letter}}`, origins[letter]);
    return replacing;
  }

  /** @type {(data: any) => any} */
  function make(data) {
    if (typeof data === "string") return substituted(data);
    if (typeof data !== "object") return data;
    if (isArray(data)) {
      const list = [];
      for (let index = 0; index < data.length; index++) list[index] = make(data[index]);
      return list;
    }
    const keys = /** @type {string[]} */ (ownKeys(data));
    for (const key of keys) if (isNotation[key]) return special(key, data[key], data);
    const object = {};
    for (const key of keys) addMember(object, key, data[key]);
    return object;
  }

  /** @type {(object: object, key: string, data: any) => void} */
  function addMember(object, key, data) {
    const name = substituted(key);
    if (typeof data === "object" && hasOwn(data, "$getter")) {
      const get = () => {
        record({ get: data.$getter });
        runNested(data.steps);
        if (hasOwn(data, "throws")) throw make(data.throws);
        return make(data.returns);
      };
      defineProperty(object, name, { get, enumerable: true, configurable: true });
    } else {
      defineProperty(object, name, { value: make(data), enumerable: true, configurable: true, writable: true });
    }
  }

  /** @type {(notation: string, subject: any, data: any) => any} */
  function special(notation, subject, data) {
    switch (notation) {
      case "$js":
        return constants[subject];
      case "$bigint":
        return NativeBigInt(subject);
      case "$symbol":
        return NativeSymbol(subject);
      case "$string":
        return apply(fromCharCode, null, subject);
      case "$repeat":
        return repeat(substituted(subject), data.times);
      case "$object": {
        const object = {};
        for (const [key, item] of subject) addMember(object, key, item);
        return object;
      }
      case "$function":
        return (/** @type {unknown[]} */ ...values) => {
          record({ function: subject, arguments: written(values) });
          return behave(data, values[1]);
        };
      case "$callback":
        return (/** @type {unknown} */ input, /** @type {any} */ options) => {
          record({ callback: subject, input: written(input), aborted: options.signal.aborted });
          if (data.watch) {
            const { signal } = options;
            listenTo(signal, "abort", () => record({ abort: subject, reason: written(signal.reason) }));
          }
          return behave(data, options);
        };
      case "$toJSON":
        return {
          toJSON() {
            if (subject !== null && typeof subject === "object" && hasOwn(subject, "$throw")) {
              throw make(subject.$throw);
            }
            return make(subject);
          },
        };
      case "$cycle": {
        const object = /** @type {any} */ ({});
        object[subject] = object;
        return object;
      }
      case "$error":
        return hasOwn(errors, subject)
          ? new errors[subject]("of the program")
          : new NativeDOMException("of the program", subject);
      case "$signal":
        return controller(subject).signal;
      case "$abortedSignal":
        return apply(abortedSignal, NativeAbortSignal, [make(subject)]);
      case "$anySignal": {
        const signals = [];
        for (const name of subject) signals[signals.length] = controller(name).signal;
        return apply(anySignal, NativeAbortSignal, [signals]);
      }
      case "$promise":
        return pending(subject).promise;
      case "$thenable":
        return { then: (/** @type {(value: unknown) => void} */ resolve) => resolve(make(subject)) };
      case "$window":
        return windowOf(subject);
      case "$origin":
        return originOf(subject);
      case "$modelContext":
        return modelContextOf(subject);
      case "$tool":
        return { name: substituted(subject), description: "", origin: originOf(data.in), window: windowOf(data.in) };
      case "$listed": {
        const list = named[data.from];
        if (isArray(list)) for (const tool of list) if (tool.name === subject) return tool;
        return undefined;
      }
      case "$let":
        return (named[subject] = make(data.be));
      case "$the":
        return follow(named[subject], data.path ?? []);
    }
    throw new Broken(`unknown notation: ${notation}`);
  }

  /** Returns the name of the promise for the next call of a function that has one for each call. */
  function nameForCall(/** @type {string} */ name) {
    calls[name] = (calls[name] ?? 0) + 1;
    return calls[name] === 1 ? name : `${name} ${calls[name]}`;
  }

  /** @type {(data: any, second?: unknown) => any} */
  function behave(data, second) {
    if (hasOwn(data, "keeps")) named[data.keeps] = second;
    runNested(data.steps);
    if (hasOwn(data, "returns")) return make(data.returns);
    if (hasOwn(data, "throws")) throw make(data.throws);
    if (hasOwn(data, "pending")) return pending(data.each ? nameForCall(data.pending) : data.pending).promise;
    if (hasOwn(data, "rejects")) {
      const reason = make(data.rejects);
      return new NativePromise((_, reject) => reject(reason));
    }
    const value = hasOwn(data, "resolves") ? make(data.resolves) : true;
    return new NativePromise((resolve) => resolve(value));
  }

  return { make, named, controller, pending };
}

/** @type {(object: any, path: readonly PropertyKey[]) => any} */
export function follow(object, path) {
  let value = object;
  for (const key of path) value = value[key];
  return value;
}
