// URL, URLSearchParams (https://url.spec.whatwg.org/#api) over the classes of the process, and Blob, whose URLs lead to texts.

import { need } from "./interfaces.js";
import {
  accessor,
  defineProperty,
  errors,
  extend,
  getOwnPropertyDescriptor,
  hide,
  isObject,
  iterator,
  NativePromise,
  NativeTypeError,
  ownKeys,
  python,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";

/** The objects of the process. @type {WeakMap<object, globalThis.URL>} */
const urls = new WeakMap();
/** @type {WeakMap<object, globalThis.URLSearchParams>} */
const parameters = new WeakMap();
/** The URLSearchParams of each URL. @type {WeakMap<object, URLSearchParams>} */
const queries = new WeakMap();
/**
 * @template T
 * @param {WeakMap<object, T>} known
 * @param {unknown} self
 * @param {string} name
 */
const innerOf = (known, self, name) => {
  const found = isObject(self) ? known.get(self) : undefined;
  if (found === undefined) throw new NativeTypeError(`this is not a ${name}`);
  return found;
};
const parametersOf = (/** @type {unknown} */ self) => innerOf(parameters, self, "URLSearchParams");
const urlOf = (/** @type {unknown} */ self) => innerOf(urls, self, "URL");
const scalar = (/** @type {unknown} */ value) => `${value}`.toWellFormed();

/**
 * The list of names and values that URLSearchParams is made of, or a string.
 * @type {(init: unknown) => string | string[][]}
 */
function initial(init) {
  if (!isObject(init)) return scalar(init);
  const method = init[iterator];
  if (method === undefined || method === null) {
    const record = new Map();
    for (const key of ownKeys(init)) {
      if (!getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      if (typeof key === "symbol") throw new NativeTypeError("a name must be a string");
      record.set(scalar(key), scalar(init[key]));
    }
    return [...record];
  }
  return Array.from(init, (item) => {
    if (!isObject(item) || !item[iterator]) throw new NativeTypeError("each item must be a pair");
    const pair = Array.from(item, scalar);
    if (pair.length !== 2) throw new NativeTypeError("each item must be a name and a value");
    return pair;
  });
}

class URLSearchParams {
  constructor(/** @type {unknown} */ init = "") {
    parameters.set(this, engine.parametersOf(initial(init)));
  }
}
extend(URLSearchParams.prototype, {
  get size() {
    return parametersOf(this).size;
  },
  append(name, value) {
    need(arguments, 2, "append");
    parametersOf(this).append(scalar(name), scalar(value));
  },
  delete(name, value) {
    need(arguments, 1, "delete");
    parametersOf(this).delete(scalar(name), ...(value === undefined ? [] : [scalar(value)]));
  },
  get(name) {
    need(arguments, 1, "get");
    return parametersOf(this).get(scalar(name));
  },
  getAll(name) {
    need(arguments, 1, "getAll");
    return [...parametersOf(this).getAll(scalar(name))];
  },
  has(name, value) {
    need(arguments, 1, "has");
    return parametersOf(this).has(scalar(name), ...(value === undefined ? [] : [scalar(value)]));
  },
  set(name, value) {
    need(arguments, 2, "set");
    parametersOf(this).set(scalar(name), scalar(value));
  },
  sort() {
    parametersOf(this).sort();
  },
  *entries() {
    for (const [name, value] of parametersOf(this)) yield [name, value];
  },
  *keys() {
    for (const [name] of parametersOf(this)) yield name;
  },
  *values() {
    for (const [, value] of parametersOf(this)) yield value;
  },
  forEach(callback, self) {
    need(arguments, 1, "forEach");
    if (typeof callback !== "function") throw new NativeTypeError("the callback must be a function");
    for (const [name, value] of parametersOf(this)) callback.call(self, value, name, this);
  },
  toString() {
    return parametersOf(this).toString();
  },
});
hide(URLSearchParams.prototype, iterator, /** @type {any} */ (URLSearchParams.prototype).entries);

/** @type {(url: unknown, base: unknown) => globalThis.URL | null} */
function parseURL(url, base) {
  const text = scalar(url);
  const baseText = base === undefined ? undefined : scalar(base);
  try {
    return engine.urlOf(text, baseText);
  } catch {
    return null;
  }
}

/** @type {(target: object, value: globalThis.URL) => object} */
function newURL(target, value) {
  const query = Object.create(URLSearchParams.prototype);
  parameters.set(query, value.searchParams);
  urls.set(target, value);
  queries.set(target, query);
  return target;
}

class URL {
  constructor(/** @type {unknown} */ url, /** @type {unknown} */ base) {
    need(arguments, 1, "URL");
    const value = parseURL(url, base);
    if (value === null) throw new errors.TypeError(`${url} is not a valid URL`);
    newURL(this, value);
  }
}
extend(URL, {
  canParse(url, base) {
    need(arguments, 1, "canParse");
    return parseURL(url, base) !== null;
  },
  parse(url, base) {
    need(arguments, 1, "parse");
    const value = parseURL(url, base);
    return value === null ? null : newURL(Object.create(URL.prototype), value);
  },
  createObjectURL(blob) {
    const parts = blobs.get(blob);
    if (parts === undefined) throw new NativeTypeError("the value must be a Blob");
    return python("create_object_url", realm.id, parts.text, parts.type);
  },
  revokeObjectURL(url) {
    python("revoke_object_url", `${url}`);
  },
});
extend(URL.prototype, {
  get origin() {
    return urlOf(this).origin;
  },
  get searchParams() {
    return innerOf(queries, this, "URL");
  },
  toString() {
    return urlOf(this).href;
  },
  toJSON() {
    return urlOf(this).href;
  },
});
for (const name of /** @type {const} */ ([
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
])) {
  const functions = {
    /** @returns {string} */
    get [name]() {
      return urlOf(this)[name];
    },
    set [name](/** @type {unknown} */ value) {
      const url = urlOf(this);
      const text = scalar(value);
      try {
        url[name] = text;
      } catch {
        throw new errors.TypeError(`${text} is not a valid URL`);
      }
    },
  };
  const { get, set } = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(functions, name));
  accessor(URL.prototype, name, get, set);
}

/** @type {WeakMap<object, { text: string, type: string }>} */
export const blobs = new WeakMap();
const blobOf = (/** @type {unknown} */ self) => innerOf(blobs, self, "Blob");
/** The length of a text in UTF-8. */
const lengthOf = (/** @type {string} */ text) => encodeURIComponent(text.toWellFormed()).replace(/%../g, "x").length;
class Blob {
  /** @param {Iterable<any>} parts @param {{ type?: unknown }} options */
  constructor(parts = [], options = {}) {
    const texts = [...parts].map((part) => blobs.get(part)?.text ?? `${part}`);
    blobs.set(this, { text: texts.join(""), type: `${options?.type ?? ""}`.toLowerCase() });
  }
  get type() {
    return blobOf(this).type;
  }
  get size() {
    return lengthOf(blobOf(this).text);
  }
  text() {
    return NativePromise.resolve(blobOf(this).text);
  }
}
export class File extends Blob {
  #name;
  #lastModified;
  /** @param {Iterable<any>} parts @param {unknown} name @param {{ type?: unknown, lastModified?: unknown }} options */
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.#name = `${name}`;
    this.#lastModified = Number(options?.lastModified ?? scope.Date.now());
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#lastModified;
  }
}
/** @returns {value is Blob} */
export const isBlob = (/** @type {unknown} */ value) => isObject(value) && blobs.has(value);
for (const [name, type] of Object.entries({ Blob, File, URL, URLSearchParams })) {
  defineProperty(type.prototype, toStringTag, { value: name, configurable: true });
  hide(scope, name, type);
}

/** Whether a value is an object of this module. */
export const isURLOrBlob = (/** @type {object} */ value) =>
  urls.has(value) || parameters.has(value) || blobs.has(value);
