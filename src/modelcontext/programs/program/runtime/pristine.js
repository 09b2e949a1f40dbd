// Pristine built-ins: programs may reassign any member that they can reach. Other modules take more of them the same way.

export const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
export const { isArray } = Array;
export const { hasOwn, is, keys: keysOf } = Object;
export const { parse, stringify } = JSON;
export const { fromCharCode } = String;
export const { toStringTag } = Symbol;
export const [later, forget, microtask] = [setTimeout, clearTimeout, queueMicrotask];
export const [NativePromise, NativeAbortController, NativeAbortSignal] = [Promise, AbortController, AbortSignal];
export const [NativeDOMException, NativeString, NativeBigInt, NativeSymbol] = [DOMException, String, BigInt, Symbol];
/** @type {Record<string, ErrorConstructor>} */
export const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
export const { then } = Promise.prototype;
/** As Promise.withResolvers() does, which not every engine has. @type {() => PromiseWithResolvers<any>} */
export function newPromise() {
  const holder = /** @type {any} */ ({ __proto__: null });
  holder.promise = new NativePromise((resolve, reject) => {
    holder.resolve = resolve;
    holder.reject = reject;
  });
  return holder;
}
export const { any: anySignal, abort: abortedSignal } = AbortSignal;

/** @type {<S, A extends any[], R>(method: (this: S, ...values: A) => R) => (self: S, ...values: A) => R} */
export const uncurried =
  (method) =>
  (self, ...values) =>
    apply(method, self, values);

/** @type {(prototype: object, name: string) => (this: unknown) => any} */
export const getter = (prototype, name) => /** @type {any} */ (getOwnPropertyDescriptor(prototype, name)).get;

/** @type {<T>(list: readonly T[], test: (item: T) => unknown) => boolean} */
export const every = uncurried(Array.prototype.every);
/** @type {<T>(list: readonly T[], test: (item: T) => unknown) => boolean} */
export const some = uncurried(Array.prototype.some);
/** @type {<T>(list: readonly T[], test: (item: T) => unknown) => T[]} */
export const filter = uncurried(Array.prototype.filter);
/** @type {<T, R>(list: readonly T[], steps: (item: T) => R) => R[]} */
export const map = uncurried(Array.prototype.map);
/** @type {<T>(list: T[], order?: (left: T, right: T) => number) => T[]} */
export const sort = uncurried(Array.prototype.sort);
/** @type {<T>(list: readonly T[], item: T) => number} */
export const position = uncurried(Array.prototype.indexOf);
/** @type {<T>(list: T[]) => T | undefined} */
export const shift = uncurried(Array.prototype.shift);
/** @type {<T>(list: T[], start: number, count: number) => T[]} */
export const splice = uncurried(Array.prototype.splice);
export const push = uncurried(Array.prototype.push);
export const join = uncurried(Array.prototype.join);
/** @type {(string: string, separator: string) => string[]} */
export const split = uncurried(/** @type {any} */ (String.prototype.split));
export const isWellFormed = uncurried(String.prototype.isWellFormed);
export const charCodeAt = uncurried(String.prototype.charCodeAt);
export const find = uncurried(String.prototype.indexOf);
export const part = uncurried(String.prototype.slice);
export const repeat = uncurried(String.prototype.repeat);
export const numberToString = uncurried(Number.prototype.toString);
/** @type {<K, V>(map: Map<K, V>, key: K) => V | undefined} */
export const mapGet = uncurried(Map.prototype.get);

/** @type {(target: EventTarget, type: string, listener: (event: any) => void, options?: object) => void} */
export const listenTo = uncurried(EventTarget.prototype.addEventListener);

/** @type {(string: string, text: string, by: string) => string} */
export const replaced = (string, text, by) => join(split(string, text), by);

// The disturbance (disturb.js) makes rare orders show: it blocks without letting anything in between, and delays all timers equally.
/** @type {{ pause(): void, timeout: number }} */
export const { pause, timeout } = /** @type {any} */ (globalThis)[Symbol.for("modelcontext.disturbance")] ?? {
  pause() {},
  timeout: 0,
};

// The model in a page (modelcontext.hosts.page) can only dispatch the events that it fires, and tells which these are.
/** @type {(event: Event) => boolean} */
export const isFired = /** @type {any} */ (globalThis)[Symbol.for("modelcontext.fired")] ?? (() => false);
