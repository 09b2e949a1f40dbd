// Structured clones (https://html.spec.whatwg.org/#structuredserializeinternal). A record stays in the process; Python has its number.

/** @import { CloneRecord, Data, Transfer } from "../protocol.d.ts" */
import { DOMException, isDOMException, partsOf } from "./exceptions.js";
import { apply, brandOf, createMember, defineProperty, encode, isObject, realm, scope } from "./intrinsics.js";
import "./interfaces.js";
import { isURLOrBlob } from "./urls.js";

const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
const { types } = engine;
/** Objects with internal slots that no clone has. */
const REFUSED = [
  ...[types.isProxy, types.isArgumentsObject, types.isGeneratorObject, types.isMapIterator, types.isSetIterator],
  ...[types.isModuleNamespaceObject, types.isPromise, types.isSymbolObject, types.isWeakMap, types.isWeakSet],
];
const typed = Object.getPrototypeOf(Uint8Array);
const { get: typedName } = /** @type {{ get: () => string | undefined }} */ (
  Object.getOwnPropertyDescriptor(typed.prototype, Symbol.toStringTag)
);
/** @type {[check: (value: unknown) => boolean, type: Function][]} */
const wrapped = [
  [types.isBooleanObject, Boolean],
  [types.isNumberObject, Number],
  [types.isStringObject, String],
  [types.isBigIntObject, BigInt],
];
const mapEntries = Map.prototype.entries;
const setValues = Set.prototype.values;
const detach = ArrayBuffer.prototype.transfer;

/** @type {(what: string) => never} */
const refuse = (what) => {
  throw new DOMException(`${what} cannot be cloned`, "DataCloneError");
};

/**
 * Returns the record of a value (https://html.spec.whatwg.org/#structuredserializewithtransfer), and moves the buffers among the
 * objects that move; the ports are moved by Python.
 * @type {(value: unknown, transferred: Transfer) => CloneRecord}
 */
export function serialize(value, transferred) {
  const memory = new Map();
  /** @type {(V: any) => CloneRecord} */
  const walk = (V) => {
    if (typeof V === "symbol") refuse("a symbol");
    if (!isObject(V)) return { kind: "primitive", value: V };
    if (memory.has(V)) return memory.get(V);
    /** The kind and the parts come one after the other. @type {any} */
    const record = {};
    if (transferred.buffers.includes(V)) {
      transferred.records.set(V, record);
    } else if (transferred.ports.includes(V)) {
      Object.assign(record, { kind: "port", index: transferred.ports.indexOf(V) });
    } else {
      describe(V, record);
      memory.set(V, record);
      return fill(V, record);
    }
    memory.set(V, record);
    return record;
  };
  const describe = (/** @type {any} */ V, /** @type {any} */ record) => {
    for (const [check, type] of wrapped) {
      if (check(V)) Object.assign(record, { kind: "wrapped", value: apply(type.prototype.valueOf, V, []) });
    }
    if (record.kind !== undefined) return;
    if (typeof V === "function") refuse("a function");
    if (brandOf(V) !== undefined || isURLOrBlob(V) || REFUSED.some((check) => check(V))) refuse("the object");
    if (types.isDate(V)) Object.assign(record, { kind: "date", value: Date.prototype.getTime.call(V) });
    else if (isDOMException(V)) Object.assign(record, { kind: "DOMException", ...partsOf(V) });
    else if (types.isRegExp(V)) Object.assign(record, { kind: "regexp", source: V.source, flags: V.flags });
    else if (types.isArrayBuffer(V)) Object.assign(record, contents(V));
    else if (ArrayBuffer.isView(V)) record.kind = "view";
    else if (types.isMap(V)) record.kind = "map";
    else if (types.isSet(V)) record.kind = "set";
    else if (types.isNativeError(V)) record.kind = "error";
    else record.kind = Array.isArray(V) ? "array" : "object";
  };
  const fill = (/** @type {any} */ V, /** @type {any} */ record) => {
    switch (record.kind) {
      case "view": {
        if (V.buffer.detached) refuse("a view of a buffer that has moved");
        const view = typedName.call(V);
        const length = view === undefined ? V.byteLength : V.length;
        Object.assign(record, { view: view ?? "DataView", buffer: walk(V.buffer), offset: V.byteOffset, length });
        break;
      }
      case "map": {
        const entries = [...apply(mapEntries, V, [])];
        record.entries = entries.map(([key, item]) => [walk(key), walk(item)]);
        break;
      }
      case "set":
        record.items = [...apply(setValues, V, [])].map(walk);
        break;
      case "error": {
        const name = V.name === undefined ? "Error" : `${V.name}`;
        const descriptor = Object.getOwnPropertyDescriptor(V, "message");
        const message = descriptor !== undefined && "value" in descriptor ? `${descriptor.value}` : undefined;
        const cause = Object.getOwnPropertyDescriptor(V, "cause");
        Object.assign(record, { name: ERRORS.includes(name) ? name : "Error", message });
        // HTML leaves other data of errors to implementations; all have the cause.
        if (cause !== undefined && "value" in cause) record.cause = walk(cause.value);
        break;
      }
      case "array":
      case "object":
        if (record.kind === "array") record.length = V.length;
        record.members = [];
        for (const key of Object.keys(V)) if (Object.hasOwn(V, key)) record.members.push([key, walk(V[key])]);
    }
    return record;
  };
  const root = walk(value);
  for (const buffer of transferred.buffers) {
    const record = contents(buffer);
    Object.assign(transferred.records.get(buffer) ?? {}, record);
    apply(detach, buffer, [0]);
  }
  return root;
}

/** @type {(buffer: ArrayBuffer) => CloneRecord} */
function contents(buffer) {
  if (buffer.detached) refuse("a buffer that has moved");
  const bytes = Array.from(new Uint8Array(buffer));
  return { kind: "buffer", bytes, most: buffer.resizable ? buffer.maxByteLength : undefined };
}

/** Makes a value of this realm of a record. @type {(record: CloneRecord, moved: object[]) => any} */
export function deserialize(record, moved) {
  const memory = new Map();
  /** @type {(one: CloneRecord) => any} */
  const make = (one) => {
    if (one.kind === "primitive") return one.value;
    if (memory.has(one)) return memory.get(one);
    const keep = (/** @type {any} */ value) => {
      memory.set(one, value);
      return value;
    };
    switch (one.kind) {
      case "port":
        return keep(moved[one.index]);
      case "wrapped":
        return keep(Object(one.value));
      case "date":
        return keep(new Date(one.value));
      case "DOMException":
        return keep(new DOMException(one.message, one.name));
      case "regexp":
        return keep(new RegExp(one.source, one.flags));
      case "buffer": {
        const options = one.most === undefined ? undefined : { maxByteLength: one.most };
        const buffer = new ArrayBuffer(one.bytes.length, options);
        new Uint8Array(buffer).set(one.bytes);
        return keep(buffer);
      }
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
        if (one.cause !== undefined)
          defineProperty(error, "cause", { value: make(one.cause), writable: true, configurable: true });
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

/** The transferable objects of a list: ports and buffers. @type {(transfer: any[]) => Transfer} */
export function transferables(transfer) {
  /** @type {Transfer} */
  const found = { ports: [], buffers: [], records: new Map() };
  for (const object of transfer) {
    const isPort = isObject(object) && brandOf(object)?.interface === "MessagePort";
    if (!isPort && !types.isArrayBuffer(object)) refuse("an object that is no port and no buffer");
    const list = isPort ? found.ports : found.buffers;
    if (list.includes(object)) refuse("an object twice");
    list.push(object);
  }
  return found;
}

/**
 * Writes a message for Python: the number of its record, and the ports that move with it.
 * @type {(value: unknown, transfer: any[]) => [clone: number, ports: Data]}
 */
export function message(value, transfer) {
  const moving = transferables(transfer);
  return [engine.keepClone(serialize(value, moving)), ["list", moving.ports.map((port) => encode(port))]];
}

realm.deserialize = (handle, ports) => {
  const moved = engine.decode(ports);
  return [encode(deserialize(engine.cloneOf(handle), moved)), encode(moved)];
};
