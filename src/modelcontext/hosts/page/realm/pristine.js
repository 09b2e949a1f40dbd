// The built-ins of a realm, taken before its page can replace them.

export const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
/** @type {<S, A extends any[], R>(method: (this: S, ...values: A) => R) => (self: S, ...values: A) => R} */
export const uncurried =
  (method) =>
  (self, ...values) =>
    apply(method, self, values);
/** @type {(object: object, name: string) => (self: any) => any} */
export const uncurriedGetter = (object, name) =>
  uncurried(/** @type {any} */ (getOwnPropertyDescriptor(object, name)).get);

export const [NativePromise, NativeDOMException, NativeTypeError] = [Promise, DOMException, TypeError];
export const [NativeEvent, NativeEventTarget, NativeAbortController] = [Event, EventTarget, AbortController];
export const { parse, stringify } = JSON;
export const { iterator, toStringTag } = Symbol;
export const later = queueMicrotask;
export const { withResolvers } = Promise;
export const toWellFormed = uncurried(String.prototype.toWellFormed);
export const then = uncurried(Promise.prototype.then);
export const [addTo, isIn] = [uncurried(WeakSet.prototype.add), uncurried(WeakSet.prototype.has)];
export const [mapGet, mapSet] = [uncurried(WeakMap.prototype.get), uncurried(WeakMap.prototype.set)];

/** @type {(target: EventTarget, type: string, listener: (event: any) => void, options?: boolean | object) => void} */
export const addListener = uncurried(EventTarget.prototype.addEventListener);
/** @type {(target: EventTarget, type: string, listener: (event: any) => void) => void} */
export const removeListener = uncurried(EventTarget.prototype.removeEventListener);
export const dispatch = uncurried(EventTarget.prototype.dispatchEvent);
export const abort = uncurried(AbortController.prototype.abort);
export const signalOf = uncurriedGetter(AbortController.prototype, "signal");
export const abortedOf = uncurriedGetter(AbortSignal.prototype, "aborted");
export const reasonOf = uncurriedGetter(AbortSignal.prototype, "reason");

export const hostWindow = window;
export const windowOf = uncurriedGetter(window, "window");
export const documentOf = uncurriedGetter(window, "document");
export const originOf = uncurriedGetter(window, "origin");
export const [postTo, startPort] = [
  uncurried(/** @type {(text: string) => void} */ (MessagePort.prototype.postMessage)),
  uncurried(MessagePort.prototype.start),
];
export const dataOf = uncurriedGetter(MessageEvent.prototype, "data");
export const NativeURL = URL;
export const [urlOriginOf, urlHostOf, schemeOf] = [
  uncurriedGetter(URL.prototype, "origin"),
  uncurriedGetter(URL.prototype, "hostname"),
  uncurriedGetter(URL.prototype, "protocol"),
];
export const newId = crypto.randomUUID?.bind(crypto);
