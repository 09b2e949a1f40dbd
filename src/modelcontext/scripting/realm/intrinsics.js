// The built-ins of the realm, taken before its scripts can replace them, and what the process gives.

export const { attributes, brandOf, decode, description, encode, facts, identify, isObject, proxyOf, python, realm } =
  given;
export const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } =
  Reflect;
export const NativeError = Error;
export const NativePromise = Promise;
export const NativeTypeError = TypeError;
export const { stringify, parse } = JSON;
export const then = Promise.prototype.then;
export const { iterator, toStringTag } = Symbol;
export const errors = {
  __proto__: null,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};
export const scope = globalThis;
export const ownProxy = proxyOf(given.navigable);

/** As CreateDataProperty does. */
export function createMember(object, key, value) {
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

/** Defines a property that is not enumerable. */
export function hide(object, key, value) {
  defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

export function accessor(object, key, get, set, enumerable = true) {
  defineProperty(object, key, { __proto__: null, get, set, enumerable, configurable: true });
}

/** The methods of an object literal, as those of a prototype. */
export function extend(prototype, members) {
  for (const key of ownKeys(members)) {
    const descriptor = getOwnPropertyDescriptor(members, key);
    descriptor.enumerable = typeof key === "string";
    defineProperty(prototype, key, descriptor);
  }
}

given.register(
  [
    Function.prototype,
    getPrototypeOf(async () => {}),
    getPrototypeOf(function* () {}),
    getPrototypeOf(async function* () {}),
  ],
  Promise.prototype,
);
