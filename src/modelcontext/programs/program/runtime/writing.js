// Writes JavaScript values in the notation of outcomes, from the point of view of one document, as Writer in notated_values.py does.
/** @import { Realm } from "./types.d.ts" */
import {
  apply,
  charCodeAt,
  defineProperty,
  errors,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  getter,
  hasOwn,
  is,
  isArray,
  isFired,
  isWellFormed,
  keysOf,
  mapGet,
  NativeString,
  numberToString,
  ownKeys,
  replaced,
  toStringTag,
} from "./pristine.js";

const signalAborted = getter(AbortSignal.prototype, "aborted");
const exceptionName = getter(DOMException.prototype, "name");
const symbolDescription = getter(Symbol.prototype, "description");

/**
 * @param {string} me the document that writes
 * @param {Record<string, string>} origins the serialized origins by their letters
 * @param {Record<string, unknown>} windows the known windows, by document
 * @param {Realm[]} realms the realms of this event loop
 */
export function writer(me, origins, windows, realms) {
  /** @type {(value: any, holders?: object[]) => any} */
  function written(value, holders = []) {
    switch (typeof value) {
      case "undefined":
        return { $js: "undefined" };
      case "boolean":
        return value;
      case "string":
        return text(value);
      case "number":
        if (is(value, -0)) return { $js: "-0" };
        return value - value === 0 ? value : { $js: numberToString(value) };
      case "bigint":
        return { $bigint: NativeString(value) };
      case "symbol":
        return { $symbol: apply(symbolDescription, value, []) ?? "" };
      case "function":
        return { $function: true };
    }
    if (value === null) return null;
    for (const holder of ownKeys(windows))
      if (windows[/** @type {string} */ (holder)] === value) return { $window: holder };
    for (let up = 1; up <= holders.length; up++) if (holders[holders.length - up] === value) return { $cycle: up };
    try {
      return { $signal: apply(signalAborted, value, []) };
    } catch {
      // Not an AbortSignal.
    }

    const { realm, intrinsic } = origin(value);
    const foreign = realm !== undefined && realm !== me ? { $realm: realm } : {};
    if (intrinsic === "DOMException") return { $error: apply(exceptionName, value, []), ...foreign };
    if (intrinsic !== undefined && intrinsic !== "Object" && intrinsic !== "Array") {
      return { $error: intrinsic, ...foreign };
    }
    if (!isArray(value)) {
      const tag = interfaceOf(value);
      if (tag !== undefined) return { $platform: tag };
    }
    const isForeign = hasOwn(foreign, "$realm");
    const inside = [...holders, value];
    if (isArray(value)) {
      const items = [];
      for (let index = 0; index < value.length; index++) items[index] = member(value, index, inside);
      return isForeign ? { $array: items, ...foreign } : items;
    }
    const members = [];
    let plain = true;
    for (const key of ownKeys(value)) {
      if (typeof key !== "string" || !getOwnPropertyDescriptor(value, key)?.enumerable) continue;
      const name = text(key);
      members[members.length] = [name, member(value, key, inside)];
      if (key[0] === "$" || typeof name !== "string") plain = false;
    }
    if (!plain || isForeign) return { $object: members, ...foreign };
    const result = {};
    for (const [key, item] of members) defineProperty(result, key, { value: item, enumerable: true });
    return result;
  }

  /** @type {(object: object, key: PropertyKey, holders: object[]) => any} */
  function member(object, key, holders) {
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined) return { $js: "undefined" };
    return hasOwn(descriptor, "value") ? written(descriptor.value, holders) : { $accessor: true };
  }

  /**
   * Returns the document of an object's realm, by the first intrinsic prototype on its chain.
   * @type {(object: object) => { realm?: string, intrinsic?: string }}
   */
  function origin(object) {
    for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
      for (const { id, intrinsics } of realms) {
        const intrinsic = mapGet(intrinsics, prototype);
        if (intrinsic !== undefined) return { realm: id, intrinsic };
      }
    }
    return {};
  }

  /** @type {(string: string) => string | { $string: number[] }} */
  function text(string) {
    if (!isWellFormed(string)) {
      const units = [];
      for (let index = 0; index < string.length; index++) units[index] = charCodeAt(string, index);
      return { $string: units };
    }
    let replacing = string;
    for (const letter of keysOf(origins)) replacing = replaced(replacing, origins[letter], `{${letter}}`);
    return replacing;
  }

  /** @type {(event: any) => object} */
  function eventAttributes(event) {
    const flags = [];
    if (event.isTrusted || isFired(event)) flags[flags.length] = "trusted";
    for (const flag of ["bubbles", "cancelable", "composed"]) if (event[flag]) flags[flags.length] = flag;
    const toolName = "toolName" in event ? { toolName: written(event.toolName) } : {};
    return { interface: interfaceOf(event), type: text(event.type), ...toolName, flags };
  }

  return { written, eventAttributes };
}

/** @type {(object: object) => string | undefined} */
function interfaceOf(object) {
  for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
    const tag = getOwnPropertyDescriptor(prototype, toStringTag);
    if (tag !== undefined && typeof tag.value === "string") return tag.value;
  }
  return undefined;
}

const intrinsicNames = ["Object", "Array", "Function", "DOMException", ...keysOf(errors)];

/**
 * Adds the realm of a window to the known ones, with its intrinsic prototypes. A document that takes over the Window of the
 * initial about:blank document takes over its realm, which then has the name of that document.
 * @type {(realms: Realm[], id: string, view: any) => void}
 */
export function knowRealm(realms, id, view) {
  for (const realm of realms) {
    if (mapGet(realm.intrinsics, view.Object.prototype) !== undefined) {
      realm.id = id;
      return;
    }
  }
  const intrinsics = new Map();
  for (const name of intrinsicNames) intrinsics.set(view[name].prototype, name);
  realms[realms.length] = { id, intrinsics };
}
