// https://webidl.spec.whatwg.org/#named-properties-object: a window has frames and elements by their names.
import { interfaces } from "./interfaces.js";
import { decode, python, realm, setPrototypeOf, toStringTag } from "./intrinsics.js";

const named = (/** @type {PropertyKey} */ key) =>
  typeof key === "string" ? decode(python("named_on_window", realm.id, key)) : undefined;
const found = (/** @type {object} */ holder, /** @type {PropertyKey} */ key) => key in Object.getPrototypeOf(holder);
setPrototypeOf(
  interfaces.Window.prototype,
  new Proxy(
    { __proto__: interfaces.EventTarget.prototype, [toStringTag]: "WindowProperties" },
    {
      get: (holder, key, receiver) => (key in holder ? Reflect.get(holder, key, receiver) : (named(key) ?? undefined)),
      has: (holder, key) => key in holder || (named(key) ?? undefined) !== undefined,
      getOwnPropertyDescriptor(holder, key) {
        const value = found(holder, key) ? undefined : named(key);
        if (value === undefined || value === null) return Reflect.getOwnPropertyDescriptor(holder, key);
        return { value, writable: true, enumerable: false, configurable: true };
      },
      defineProperty: () => false,
      deleteProperty: () => false,
      preventExtensions: () => false,
      setPrototypeOf: (holder, prototype) => prototype === Object.getPrototypeOf(holder),
    },
  ),
);
