// The built-ins of the realm, taken before its scripts can replace them, and what the process gives.
/** @import { Value } from "../protocol.d.ts" */

export const { attributes, brandOf, decode, description, encode, facts, identify, isObject, proxyOf, python, realm } =
  engine;
export const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } =
  Reflect;
export const NativeError = Error;
export const NativePromise = Promise;
export const NativeTypeError = TypeError;
export const { stringify, parse } = JSON;
export const then = Promise.prototype.then;
export const { iterator, toStringTag } = Symbol;
/** The classes of errors by their names. @type {Record<string, any>} */
export const errors = /** @type {any} */ ({
  __proto__: null,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
});
/** The global object. @type {any} */
export const scope = globalThis;
export const ownProxy = proxyOf(engine.navigable);

/** As CreateDataProperty does. @type {(object: object, key: PropertyKey, value: Value) => void} */
export function createMember(object, key, value) {
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  defineProperty(object, key, descriptor);
}

/** Defines a property that is not enumerable. @type {(object: object, key: PropertyKey, value: Value) => void} */
export function hide(object, key, value) {
  const descriptor = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
  defineProperty(object, key, descriptor);
}

/** @type {(object: object, key: PropertyKey, get?: (this: any) => any, set?: (this: any, value: any) => void) => void} */
export function accessor(object, key, get, set) {
  const descriptor = { __proto__: null, get, set, enumerable: true, configurable: true };
  defineProperty(object, key, descriptor);
}

/**
 * The methods of an object literal, as those of a prototype.
 * @type {(prototype: object, members: Record<PropertyKey, Value> & ThisType<any>) => void}
 */
export function extend(prototype, members) {
  for (const key of ownKeys(members)) {
    const descriptor = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(members, key));
    descriptor.enumerable = typeof key === "string";
    defineProperty(prototype, key, descriptor);
  }
}

const prototypeOf = (/** @type {object} */ object) => /** @type {object} */ (getPrototypeOf(object));
engine.register(
  [Function.prototype, prototypeOf(async () => {}), prototypeOf(function* () {}), prototypeOf(async function* () {})],
  Promise.prototype,
);
