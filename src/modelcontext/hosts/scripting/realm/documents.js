// Documents without a window: DOMParser (https://html.spec.whatwg.org/#dom-parsing-and-serialization) and
// document.implementation (https://dom.spec.whatwg.org/#interface-domimplementation). XML is not parsed here.
import { idOf, interfaces, need } from "./interfaces.js";
import {
  accessor,
  decode,
  defineProperty,
  hide,
  NativeTypeError,
  python,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";

const XML = ["text/xml", "application/xml", "application/xhtml+xml", "image/svg+xml"];

/** @type {(owner: object, url: string, html: string | null) => any} */
const newDocument = (owner, url, html) =>
  decode(python("operation", idOf(owner, "Document"), "Document.newDocument", [url, html]));

class DOMParser {
  parseFromString(/** @type {unknown} */ string, /** @type {unknown} */ type) {
    need(arguments, 2, "parseFromString");
    if (XML.includes(`${type}`)) python("missing", realm.id, `DOMParser for ${type}`);
    if (type !== "text/html") throw new NativeTypeError(`a document of type ${type} cannot be parsed here`);
    return newDocument(scope.document, scope.document.URL, `${string}`);
  }
}

/** @type {WeakMap<object, object>} */
const owners = new WeakMap();
class DOMImplementation {
  constructor(/** @type {any} */ owner = undefined) {
    if (owner === undefined) throw new NativeTypeError("DOMImplementation cannot be constructed");
    owners.set(this, owner);
  }
  createHTMLDocument(/** @type {unknown} */ title = undefined) {
    const made = newDocument(/** @type {object} */ (owners.get(this)), "about:blank", "<!DOCTYPE html>");
    if (title !== undefined) made.head.append(made.createElement("title"));
    if (title !== undefined) made.head.firstChild.append(`${title}`);
    return made;
  }
  createDocument(
    /** @type {string | null} */ namespace,
    /** @type {unknown} */ qualifiedName,
    /** @type {any} */ doctype = null,
  ) {
    need(arguments, 2, "createDocument");
    const made = newDocument(/** @type {object} */ (owners.get(this)), "about:blank", null);
    if (doctype !== null) made.append(doctype);
    if (qualifiedName !== null && qualifiedName !== "")
      made.append(made.createElementNS(namespace, `${qualifiedName}`));
    return made;
  }
  hasFeature() {
    return true;
  }
}

/** @type {WeakMap<object, DOMImplementation>} */
const made = new WeakMap();
accessor(
  interfaces.Document.prototype,
  "implementation",
  function () {
    idOf(this, "Document");
    const known = made.get(this) ?? new DOMImplementation(this);
    made.set(this, known);
    return known;
  },
  undefined,
);
for (const [name, type] of Object.entries({ DOMImplementation, DOMParser })) {
  defineProperty(type.prototype, toStringTag, { value: name, configurable: true });
  hide(scope, name, type);
}
