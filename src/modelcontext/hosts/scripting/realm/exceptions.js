// DOMException (https://webidl.spec.whatwg.org/#idl-DOMException).
/** @import { Value } from "../protocol.d.ts" */
import {
  createMember,
  defineProperty,
  errors,
  hide,
  NativeError,
  NativeTypeError,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";

/** The constants and codes by names. @type {Record<string, [constant: string, code: number]>} */
const CODES = /** @type {any} */ ({
  __proto__: null,
  IndexSizeError: ["INDEX_SIZE_ERR", 1],
  HierarchyRequestError: ["HIERARCHY_REQUEST_ERR", 3],
  WrongDocumentError: ["WRONG_DOCUMENT_ERR", 4],
  InvalidCharacterError: ["INVALID_CHARACTER_ERR", 5],
  NoModificationAllowedError: ["NO_MODIFICATION_ALLOWED_ERR", 7],
  NotFoundError: ["NOT_FOUND_ERR", 8],
  NotSupportedError: ["NOT_SUPPORTED_ERR", 9],
  InUseAttributeError: ["INUSE_ATTRIBUTE_ERR", 10],
  InvalidStateError: ["INVALID_STATE_ERR", 11],
  SyntaxError: ["SYNTAX_ERR", 12],
  InvalidModificationError: ["INVALID_MODIFICATION_ERR", 13],
  NamespaceError: ["NAMESPACE_ERR", 14],
  InvalidAccessError: ["INVALID_ACCESS_ERR", 15],
  TypeMismatchError: ["TYPE_MISMATCH_ERR", 17],
  SecurityError: ["SECURITY_ERR", 18],
  NetworkError: ["NETWORK_ERR", 19],
  AbortError: ["ABORT_ERR", 20],
  URLMismatchError: ["URL_MISMATCH_ERR", 21],
  QuotaExceededError: ["QUOTA_EXCEEDED_ERR", 22],
  TimeoutError: ["TIMEOUT_ERR", 23],
  InvalidNodeTypeError: ["INVALID_NODE_TYPE_ERR", 24],
  DataCloneError: ["DATA_CLONE_ERR", 25],
});
/** The parts of all exceptions of the process, since a getter of one realm works on those of another. */
const { exceptions } = engine;
const captureStack = NativeError.captureStackTrace;

export class DOMException {
  constructor(message = "", name = "Error") {
    exceptions.set(this, { message: `${message}`, name: `${name}` });
    const holder = { stack: "" };
    captureStack(holder, DOMException);
    hide(this, "stack", holder.stack);
  }
  get name() {
    return partsOf(this).name;
  }
  get message() {
    return partsOf(this).message;
  }
  get code() {
    return CODES[partsOf(this).name]?.[1] ?? 0;
  }
}

/** @type {(value: object) => { name: string, message: string }} */
export function partsOf(value) {
  const parts = exceptions.get(value);
  if (parts === undefined) throw new NativeTypeError("this is not a DOMException");
  return parts;
}

export const isDOMException = (/** @type {object} */ value) => exceptions.has(value);

Object.setPrototypeOf(DOMException.prototype, NativeError.prototype);
for (const name of ["name", "message", "code"]) {
  defineProperty(DOMException.prototype, name, { enumerable: true });
}
for (const [constant, code] of Object.values(CODES)) {
  for (const object of [DOMException, DOMException.prototype]) {
    defineProperty(object, constant, { value: code, enumerable: true, writable: false, configurable: false });
  }
}
defineProperty(DOMException.prototype, toStringTag, { value: "DOMException", configurable: true });
hide(scope, "DOMException", DOMException);

realm.error = (kind, name, message) =>
  kind === "DOMException" ? new DOMException(message, name) : new (errors[name] ?? NativeError)(message);
realm.array = (items) => {
  /** @type {Value[]} */
  const array = [];
  for (let index = 0; index < items.length; index++) createMember(array, index, items[index]);
  return array;
};
realm.object = (members) => {
  const object = {};
  for (const [key, value] of members) createMember(object, key, value);
  return object;
};
