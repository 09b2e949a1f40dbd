// The WindowProxy exotic object: the window of a navigable, as the documents of one agent see it.
// https://html.spec.whatwg.org/multipage/nav-history-apis.html#the-windowproxy-exotic-object
"use strict";

/** @import { Realm } from "./protocol.d.ts" */

/** @type {(string | symbol)[]} */
const CROSS_ORIGIN = "window self location close closed focus blur frames length top opener parent postMessage".split(
  " ",
);
/** @type {(string | symbol)[]} */
const NEUTRAL = ["then", Symbol.toStringTag, Symbol.hasInstance, Symbol.isConcatSpreadable];
/** @returns {key is string} */
const isIndex = (/** @type {string | symbol} */ key) => typeof key === "string" && /^(0|[1-9]\d{0,8})$/.test(key);

/**
 * @typedef {object} Looks
 * @property {() => Realm} accessor
 * @property {() => Realm | null} reachable
 * @property {(key: string | number) => any} child
 * @property {(key: string) => any} crossOriginMember
 */

/**
 * Makes a WindowProxy.
 *
 * @param {Looks} window `accessor()` is the realm that looks; `reachable()` is the realm of the window's active document if the
 *   accessor may reach it, else null; `child(key)` is the child's window with a name or an index, or undefined;
 *   `crossOriginMember(key)` is what every origin sees.
 */
function makeWindowProxy({ accessor, reachable, child: childOf, crossOriginMember }) {
  const denied = () => accessor().error("DOMException", "SecurityError", "the window belongs to another origin");
  const child = (/** @type {string} */ key) => childOf(isIndex(key) ? Number(key) : key);
  const crossOrigin = (/** @type {string | symbol} */ key) => {
    if (NEUTRAL.includes(key)) return undefined;
    if (!CROSS_ORIGIN.includes(key)) {
      const named = typeof key === "string" ? child(key) : undefined;
      if (named === undefined) throw denied();
      return named;
    }
    return crossOriginMember(/** @type {string} */ (key));
  };
  return new Proxy(Object.create(null), {
    get(_, key) {
      const realm = reachable();
      if (isIndex(key)) {
        const found = child(key);
        if (found !== undefined || realm === null) return found;
      }
      if (realm === null) return crossOrigin(key);
      if (typeof key === "string" && !(key in realm.global)) return child(key);
      return Reflect.get(realm.global, key, realm.global);
    },
    set(_, key, value) {
      const realm = reachable();
      if (realm !== null) return Reflect.set(realm.global, key, value, realm.global);
      if (key !== "location") throw denied();
      crossOriginMember("location").href = value;
      return true;
    },
    has(_, key) {
      const realm = reachable();
      if (isIndex(key) && child(key) !== undefined) return true;
      if (realm !== null) return Reflect.has(realm.global, key);
      if (CROSS_ORIGIN.includes(key) || NEUTRAL.includes(key)) return true;
      throw denied();
    },
    deleteProperty(_, key) {
      const realm = reachable();
      if (realm === null) throw denied();
      return Reflect.deleteProperty(realm.global, key);
    },
    defineProperty(_, key, descriptor) {
      const realm = reachable();
      if (realm === null) throw denied();
      return Reflect.defineProperty(realm.global, key, descriptor);
    },
    getOwnPropertyDescriptor(_, key) {
      const realm = reachable();
      if (realm === null) {
        return { value: crossOrigin(key), writable: false, enumerable: false, configurable: true };
      }
      const descriptor = Reflect.getOwnPropertyDescriptor(realm.global, key);
      if (descriptor !== undefined) descriptor.configurable = true;
      return descriptor;
    },
    ownKeys() {
      const realm = reachable();
      return realm === null ? [...CROSS_ORIGIN, ...NEUTRAL] : Reflect.ownKeys(realm.global);
    },
    getPrototypeOf() {
      const realm = reachable();
      return realm === null ? null : Reflect.getPrototypeOf(realm.global);
    },
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
}

module.exports = { makeWindowProxy };
