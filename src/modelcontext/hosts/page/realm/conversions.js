// The conversions of Web IDL, for the code that webidl/javascript.py writes. The results are data for Python.
/** @import { Converted } from "../protocol.d.ts" */
import { isObject, list } from "../wire.js";
import { hub } from "./hub.js";
import { abortedOf, apply, iterator, NativeTypeError, toWellFormed, windowOf } from "./pristine.js";

export const hold = (/** @type {unknown} */ V) => hub.hold(V);
/** @type {(dictionary: string, member: string) => TypeError} */
export const missing = (dictionary, member) => new NativeTypeError(`a ${dictionary} needs the member ${member}`);
/** @type {(name: string, needed: number, given: number) => TypeError} */
export const tooFew = (name, needed, given) =>
  new NativeTypeError(`${name} needs ${needed} arguments, and ${given} were given`);

export function toDOMString(/** @type {any} */ V) {
  return typeof V === "string" ? V : `${V}`;
}

export function toUSVString(/** @type {any} */ V) {
  return toWellFormed(toDOMString(V));
}

/** @param {unknown} V @param {boolean} isRead whether an algorithm may want its text */
export function toObject(V, isRead) {
  if (!isObject(V)) throw new NativeTypeError("the value must be an object");
  return hub.hold(V, isRead ? "object" : undefined);
}

/** @type {(V: unknown, name: string) => object | undefined} */
export function toDictionary(V, name) {
  if (V === undefined || V === null) return undefined;
  if (!isObject(V)) throw new NativeTypeError(`a ${name} must be an object`);
  return V;
}

/** @type {(V: unknown, name: string) => Converted} */
export function toCallback(V, name) {
  if (typeof V !== "function") throw new NativeTypeError(`a ${name} must be a function`);
  return hold(V);
}

/** https://webidl.spec.whatwg.org/#create-sequence-from-iterable @type {(V: any, convert: (item: unknown) => Converted) => Converted} */
export function toSequence(V, convert) {
  if (!isObject(V)) throw new NativeTypeError("the value must be iterable");
  const method = /** @type {any} */ (V)[iterator];
  if (method === undefined || method === null) throw new NativeTypeError("the value must be iterable");
  const iterated = apply(method, V, []);
  if (!isObject(iterated)) throw new NativeTypeError("an iterator must be an object");
  const { next } = /** @type {any} */ (iterated);
  const data = list();
  for (let index = 0; ; index++) {
    const result = apply(next, iterated, []);
    if (!isObject(result)) throw new NativeTypeError("the result of an iterator must be an object");
    if (/** @type {any} */ (result).done) return data;
    data[index] = convert(/** @type {any} */ (result).value);
  }
}

export function toAbortSignal(/** @type {unknown} */ V) {
  if (!isObject(V)) throw new NativeTypeError("the value must be an AbortSignal");
  try {
    abortedOf(V);
  } catch {
    throw new NativeTypeError("the value must be an AbortSignal");
  }
  return hub.hold(V, "signal");
}

export function toWindow(/** @type {any} */ V) {
  try {
    if (isObject(V)) {
      windowOf(V); // It throws for other objects than a Window.
      return hub.realmOfWindow(/** @type {Window} */ (V));
    }
  } catch {
    // The error is thrown below.
  }
  throw new NativeTypeError("the value must be a Window");
}
