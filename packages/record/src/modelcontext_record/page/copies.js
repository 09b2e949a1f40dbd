// Copies of a page's values, in the notation of outcomes. A value that is too large, or that has its own JSON, is only named.
import {
  apply,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  is,
  isArray,
  isWellFormed,
  keysOf,
  ownKeys,
} from "../../../../../src/modelcontext/programs/program/runtime/pristine.js";
import { knowRealm, writer } from "../../../../../src/modelcontext/programs/program/runtime/writing.js";
import { doorOf, shared, windowsIn } from "./channel.js";

const { has } = Reflect;
const [ObjectPrototype, ArrayPrototype] = [Object.prototype, Array.prototype];

/** @type {Record<string, any>} The known windows, by the name of a document in them, or by path if they are out of reach. */
const known = { __proto__: null };
const windowOf = /** @type {any} */ (getOwnPropertyDescriptor(window, "window")).get;
/** @type {ReturnType<typeof writer>} */
let writing;

/** Begins the copies from the point of view of a document. @type {(me: string) => void} */
export function beginCopies(me) {
  knowRealm(shared.realms, me, window);
  // Origins get their letters later.
  writing = writer(me, {}, known, shared.realms);
}

/** Returns a copy of a value; with `isJson` a platform makes JSON of it. @type {(value: unknown, isJson?: boolean) => unknown} */
export function copied(value, isJson = false) {
  if (typeof value === "string" && value.length <= recorder.characters) return value;
  if (typeof value === "boolean" || value === null) return value;
  const plain = plainCopy(value, isJson, { nodes: recorder.nodes, characters: recorder.characters });
  if (plain !== undefined) return plain;
  const left = { nodes: recorder.nodes, characters: recorder.characters };
  const why = obstacle(value, isJson, left);
  if (why) return { $unsaid: why };
  return writing.written(value);
}

/**
 * Returns a copy of a value that has only plain objects and arrays; undefined for any other, or one that is too large. The
 * writer finds out about all others by exceptions, which take long.
 * @type {(value: any, isJson: boolean, left: { nodes: number, characters: number }) => any}
 */
function plainCopy(value, isJson, left) {
  if (--left.nodes < 0) return undefined;
  if (typeof value === "string") {
    left.characters -= value.length;
    return left.characters < 0 ? undefined : value;
  }
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return value - value === 0 && !is(value, -0) ? value : undefined;
  if (value === undefined) return { $js: "undefined" };
  if (typeof value !== "object" || (isJson && has(value, "toJSON"))) return undefined;
  const isList = isArray(value);
  if (getPrototypeOf(value) !== (isList ? ArrayPrototype : ObjectPrototype)) return undefined;
  const copy = /** @type {any} */ (isList ? [] : {});
  const names = isList ? value : ownKeys(value);
  for (let index = 0; index < names.length; index++) {
    const name = isList ? index : names[index];
    const member = getOwnPropertyDescriptor(value, name);
    if (!isList && (typeof name !== "string" || name[0] === "$" || !isWellFormed(name))) return undefined;
    if (!member?.enumerable || !hasOwn(member, "value")) return undefined;
    const part = plainCopy(member.value, isJson, left);
    if (part === undefined) return undefined;
    defineProperty(copy, name, { value: part, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** Returns the attributes of an event, as an entry has them. */
export const attributesOf = (/** @type {Event} */ event) => writing.eventAttributes(event);

/** @type {(value: any, isJson: boolean, left: { nodes: number, characters: number }) => string | undefined} */
function obstacle(value, isJson, left) {
  if (typeof value === "string") left.characters -= value.length;
  if (left.characters < 0 || --left.nodes < 0) return "a value is too large";
  if (typeof value !== "object" || value === null || isWindow(value)) return undefined;
  if (isJson && has(value, "toJSON")) return "a value has a method toJSON";
  for (const name of ownKeys(value)) {
    const member = getOwnPropertyDescriptor(value, name);
    if (typeof name !== "string" || !member?.enumerable || !hasOwn(member, "value")) continue;
    left.characters -= name.length;
    const why = obstacle(member.value, isJson, left);
    if (why) return why;
  }
  return undefined;
}

/** Returns whether an object has only data, and what all objects have. @type {(value: object) => boolean} */
export function isPlain(value) {
  if (getPrototypeOf(value) !== ObjectPrototype) return false;
  for (const name of ownKeys(value)) if (!hasOwn(getOwnPropertyDescriptor(value, name) ?? {}, "value")) return false;
  return true;
}

/** Returns whether a value is a window, which is known from then on. */
function isWindow(/** @type {any} */ value) {
  const prototype = getPrototypeOf(value);
  if (prototype === ObjectPrototype || prototype === ArrayPrototype) return false;
  for (const name of ownKeys(known)) if (known[/** @type {string} */ (name)] === value) return true;
  try {
    if (apply(windowOf, value, []) !== value) return false;
  } catch {
    return false;
  }
  const door = doorOf(value);
  if (door) {
    known[door.name()] = value;
    return true;
  }
  const tab = window.top ? windowsIn(window.top) : {};
  for (const path of keysOf(tab)) if (tab[path] === value) known[path] = value;
  return true;
}
