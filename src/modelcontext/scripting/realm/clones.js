// Structured clones (https://html.spec.whatwg.org/#structuredserializeinternal). A record stays in the process; Python has its number.

import { DOMException, isDOMException, partsOf } from "./exceptions.js";
import { brandOf, createMember, defineProperty, encode, isObject, iterator, realm, scope } from "./intrinsics.js";
import "./interfaces.js";

const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
const typed = Object.getPrototypeOf(Uint8Array);
const typedName = Object.getOwnPropertyDescriptor(typed.prototype, Symbol.toStringTag).get;
const brandCheck = (getter) => (value) => {
  try {
    getter(value);
    return true;
  } catch {
    return false;
  }
};
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, "size").get;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, "size").get;
const byteLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
const isMap = brandCheck((value) => mapSize.call(value));
const isSet = brandCheck((value) => setSize.call(value));
const isBuffer = brandCheck((value) => byteLength.call(value));
const isDate = brandCheck((value) => Date.prototype.getTime.call(value));
const isRegExp = brandCheck(
  (value) => Object.getOwnPropertyDescriptor(RegExp.prototype, "source").get.call(value) && value.lastIndex,
);
const primitives = [Boolean, Number, String, BigInt].map((type) =>
  brandCheck((value) => type.prototype.valueOf.call(value)),
);
const isError = (value) => Object.prototype.toString.call(value) === "[object Error]" || value instanceof Error;

const refuse = (what) => {
  throw new DOMException(`${what} cannot be cloned`, "DataCloneError");
};

/** Returns the record of a value. `transferred` are the objects that move. */
export function serialize(value, transferred) {
  const memory = new Map();
  const walk = (V) => {
    if (typeof V === "symbol") refuse("a symbol");
    if (!isObject(V)) return { kind: "primitive", value: V };
    if (memory.has(V)) return memory.get(V);
    const record = {};
    memory.set(V, record);
    if (transferred.includes(V)) return Object.assign(record, { kind: "transferred", index: transferred.indexOf(V) });
    if (typeof V === "function") refuse("a function");
    if (brandOf(V) !== undefined) refuse("the object");
    for (const [index, check] of primitives.entries()) {
      if (check(V))
        return Object.assign(record, {
          kind: "wrapped",
          value: [Boolean, Number, String, BigInt][index].prototype.valueOf.call(V),
        });
    }
    if (isDate(V)) return Object.assign(record, { kind: "date", value: Date.prototype.getTime.call(V) });
    if (isDOMException(V)) return Object.assign(record, { kind: "DOMException", ...partsOf(V) });
    if (isRegExp(V)) return Object.assign(record, { kind: "regexp", source: V.source, flags: V.flags });
    if (isBuffer(V)) return Object.assign(record, { kind: "buffer", bytes: Array.from(new Uint8Array(V)) });
    const view = typedName.call(V);
    if (view !== undefined) {
      return Object.assign(record, {
        kind: "view",
        view,
        buffer: walk(V.buffer),
        offset: V.byteOffset,
        length: V.length,
      });
    }
    if (isMap(V)) {
      const entries = [...Map.prototype[iterator].call(V)];
      return Object.assign(record, { kind: "map", entries: entries.map(([key, item]) => [walk(key), walk(item)]) });
    }
    if (isSet(V)) return Object.assign(record, { kind: "set", items: [...Set.prototype[iterator].call(V)].map(walk) });
    if (isError(V)) {
      const name = `${V.name}`;
      const descriptor = Object.getOwnPropertyDescriptor(V, "message");
      const message = descriptor !== undefined && "value" in descriptor ? `${descriptor.value}` : undefined;
      return Object.assign(record, { kind: "error", name: ERRORS.includes(name) ? name : "Error", message });
    }
    if ([WeakMap, WeakSet, Promise].some((type) => V instanceof type)) refuse("the object");
    record.kind = Array.isArray(V) ? "array" : "object";
    if (record.kind === "array") record.length = V.length;
    record.members = [];
    for (const key of Object.keys(V)) if (Object.hasOwn(V, key)) record.members.push([key, walk(V[key])]);
    return record;
  };
  return walk(value);
}

/** Makes a value of this realm of a record. */
export function deserialize(record, moved) {
  const memory = new Map();
  const make = (one) => {
    if (one.kind === "primitive") return one.value;
    if (memory.has(one)) return memory.get(one);
    const keep = (value) => {
      memory.set(one, value);
      return value;
    };
    switch (one.kind) {
      case "transferred":
        return keep(moved[one.index]);
      case "wrapped":
        return keep(Object(one.value));
      case "date":
        return keep(new Date(one.value));
      case "DOMException":
        return keep(new DOMException(one.message, one.name));
      case "regexp":
        return keep(new RegExp(one.source, one.flags));
      case "buffer":
        return keep(new Uint8Array(one.bytes).buffer);
      case "view":
        return keep(new scope[one.view](make(one.buffer), one.offset, one.length));
      case "map": {
        const map = keep(new Map());
        for (const [key, item] of one.entries) map.set(make(key), make(item));
        return map;
      }
      case "set": {
        const set = keep(new Set());
        for (const item of one.items) set.add(make(item));
        return set;
      }
      case "error": {
        const prototype = scope[one.name].prototype;
        const error = keep(new Error());
        Object.setPrototypeOf(error, prototype);
        if (one.message !== undefined)
          defineProperty(error, "message", { value: one.message, writable: true, configurable: true });
        return error;
      }
      case "array": {
        const array = keep([]);
        array.length = one.length;
        for (const [key, item] of one.members) createMember(array, key, make(item));
        return array;
      }
    }
    const object = keep({});
    for (const [key, item] of one.members) createMember(object, key, make(item));
    return object;
  };
  return make(record);
}

/** The transferable objects of a list: only ports here. */
export function portsOf(transfer) {
  const seen = [];
  for (const object of transfer) {
    const brand = isObject(object) ? brandOf(object) : undefined;
    if (brand?.interface !== "MessagePort") refuse("an object that is no port");
    if (seen.includes(object)) refuse("an object twice");
    seen.push(object);
  }
  return seen;
}

/** Writes a message for Python: the number of its record, and the ports that move with it. */
export function message(value, transfer) {
  const ports = portsOf(transfer);
  return [given.keepClone(serialize(value, ports)), ["list", ports.map((port) => encode(port))]];
}

realm.deserialize = (handle, ports) => {
  const moved = given.decode(ports);
  return [encode(deserialize(given.cloneOf(handle), moved)), encode(moved)];
};
