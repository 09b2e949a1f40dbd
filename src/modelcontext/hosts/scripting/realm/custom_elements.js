// Custom elements (https://html.spec.whatwg.org/#custom-elements). Python tells of what happens to them, after the operation
// that did it, or where the parser stops for a script or ends. Customized built-in elements are not here.
import { DOMException } from "./exceptions.js";
import { idOf, interfaces, need } from "./interfaces.js";
import {
  accessor,
  apply,
  decode,
  defineProperty,
  encode,
  extend,
  hide,
  NativePromise,
  NativeTypeError,
  python,
  realm,
  scope,
  setPrototypeOf,
  toStringTag,
} from "./intrinsics.js";

/**
 * @typedef {object} Definition
 * @property {string} name
 * @property {new () => object} constructor
 * @property {boolean} isFormAssociated
 * @property {string[]} observedAttributes
 * @property {Record<string, Function | undefined>} callbacks
 * @property {(object | null)[]} stack the elements that are upgraded; null for one whose constructor has run
 */

const NAME = /^[a-z][^\0-,/:-@[-^`{-\u00b6]*-[^\0-,/:-@[-^`{-\u00b6]*$/u;
const RESERVED =
  "annotation-xml color-profile font-face font-face-src font-face-uri font-face-format font-face-name missing-glyph".split(
    " ",
  );
const CALLBACKS = ["connectedCallback", "disconnectedCallback", "adoptedCallback", "attributeChangedCallback"];

/** @type {Map<string, Definition>} */
const byName = new Map();
/** @type {Map<unknown, Definition>} */
const byConstructor = new Map();
/** @type {Map<string, PromiseWithResolvers<unknown>>} */
const awaited = new Map();
/** The elements that are custom, and those whose constructor threw. @type {WeakMap<object, Definition | null>} */
const upgraded = new WeakMap();
const ownDocument = () => scope.document;
const { createElement, createElementNS } = interfaces.Document.prototype;

const report = (/** @type {unknown} */ error) =>
  python("operation", idOf(scope, "Window"), "Window.reportError", [encode(error)]);

/** Calls a reaction of an element, and reports what it throws. @type {(element: any, name: string, ...values: unknown[]) => void} */
function callBack(element, name, ...values) {
  const callback = upgraded.get(element)?.callbacks[name];
  if (callback === undefined) return;
  try {
    apply(callback, element, values);
  } catch (error) {
    report(error);
  }
}

/** https://html.spec.whatwg.org/#concept-upgrade-an-element @type {(element: any, definition: Definition) => void} */
function upgrade(element, definition) {
  if (upgraded.has(element)) return;
  upgraded.set(element, definition);
  definition.stack.push(element);
  try {
    const made = new definition.constructor();
    if (made !== element) throw new NativeTypeError(`the constructor of ${definition.name} returned another object`);
  } catch (error) {
    upgraded.set(element, null);
    report(error);
    return;
  } finally {
    definition.stack.pop();
  }
  for (const name of element.getAttributeNames()) {
    if (!definition.observedAttributes.includes(name)) continue;
    callBack(element, "attributeChangedCallback", name, null, element.getAttribute(name), null);
  }
  if (element.isConnected) callBack(element, "connectedCallback");
}

/** https://html.spec.whatwg.org/#htmlconstructor */
realm.constructHTMLElement = (target) => {
  const definition = byConstructor.get(target);
  if (definition === undefined) return undefined;
  if (definition.stack.length === 0) {
    const element = setPrototype(apply(createElement, ownDocument(), [definition.name]), target);
    upgraded.set(element, definition);
    return element;
  }
  const element = definition.stack.pop();
  definition.stack.push(null);
  if (!element) throw new NativeTypeError("the element was constructed already");
  return setPrototype(element, target);
};
const setPrototype = (/** @type {any} */ element, /** @type {any} */ target) => {
  setPrototypeOf(element, target.prototype);
  return element;
};

realm.perform_a_reaction = (data, name, values) => {
  const element = decode(data);
  const definition = byName.get(element.localName);
  if (definition === undefined) return;
  if (!upgraded.has(element)) {
    if (name === "connectedCallback" && element.isConnected) upgrade(element, definition);
  } else if (
    name !== "attributeChangedCallback" ||
    definition.observedAttributes.includes(/** @type {string} */ (values[0]))
  ) {
    callBack(element, name, ...values);
  }
};

const created = (/** @type {any} */ element) => {
  const definition = element !== null ? byName.get(element.localName) : undefined;
  if (definition !== undefined && element.ownerDocument === ownDocument()) upgrade(element, definition);
  return element;
};
for (const [name, native] of Object.entries({ createElement, createElementNS })) {
  const { value } = /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(
      {
        [name](/** @type {unknown[]} */ ...values) {
          return created(apply(native, this, values));
        },
      },
      name,
    )
  );
  defineProperty(value, "length", { value: native.length, configurable: true });
  defineProperty(interfaces.Document.prototype, name, { value, writable: true, enumerable: true, configurable: true });
}

// https://html.spec.whatwg.org/#the-elementinternals-interface

/** The values for the entry lists of forms, by element. @type {WeakMap<object, unknown>} */
export const formValues = new WeakMap();
const withInternals = new WeakSet();

class ElementInternals {
  #element;
  #definition;
  #shadow;
  states = new Set();
  constructor(/** @type {any} */ element, /** @type {Definition} */ definition) {
    this.#element = element;
    this.#definition = definition;
    this.#shadow = element.shadowRoot;
  }
  /** The number of the element, if it is form-associated. */
  get #id() {
    if (this.#definition.isFormAssociated) return idOf(this.#element, "HTMLElement");
    throw new DOMException("the element is not form-associated", "NotSupportedError");
  }
  get shadowRoot() {
    return this.#element.shadowRoot ?? this.#shadow;
  }
  get form() {
    return decode(python("get", this.#id, "HTMLElement.formOwner"));
  }
  setFormValue(/** @type {unknown} */ value) {
    if (this.#id) formValues.set(this.#element, value);
  }
  setValidity(/** @type {Record<string, unknown>} */ flags = {}, /** @type {unknown} */ message = "") {
    const isValid = !Object.values(flags).some(Boolean);
    if (!isValid && `${message}` === "") throw new NativeTypeError("what is not valid needs a message");
    python("operation", this.#id, "HTMLElement.setCustomValidity", [isValid ? "" : `${message}`]);
  }
  checkValidity() {
    return decode(python("operation", this.#id, "HTMLElement.checkValidity", []));
  }
  reportValidity() {
    return this.checkValidity();
  }
}
hide(scope, "ElementInternals", ElementInternals);
extend(interfaces.HTMLElement.prototype, {
  attachInternals() {
    const definition = upgraded.get(this);
    if (!definition || withInternals.has(this)) {
      throw new DOMException("the element is not custom, or has its internals already", "NotSupportedError");
    }
    withInternals.add(this);
    return new ElementInternals(this, definition);
  },
});

class CustomElementRegistry {
  constructor() {
    throw new NativeTypeError("CustomElementRegistry cannot be constructed here");
  }
  define(/** @type {unknown} */ name, /** @type {any} */ type, /** @type {any} */ options = {}) {
    need(arguments, 2, "define");
    if (typeof type !== "function" || type.prototype === undefined) {
      throw new NativeTypeError("the constructor of a custom element must be a class");
    }
    const text = `${name}`;
    if (!NAME.test(text) || RESERVED.includes(text)) {
      throw new DOMException(`"${text}" is not the name of a custom element`, "SyntaxError");
    }
    if (byName.has(text) || byConstructor.has(type)) {
      throw new DOMException(`the name "${text}", or the class, is defined already`, "NotSupportedError");
    }
    if (options?.extends !== undefined) {
      python("missing", realm.id, "customized built-in elements");
      throw new DOMException(
        "customized built-in elements are not implemented in the simulated browser",
        "NotSupportedError",
      );
    }
    /** @type {Definition} */
    const definition = {
      name: text,
      constructor: type,
      isFormAssociated: false,
      observedAttributes: [],
      callbacks: {},
      stack: [],
    };
    for (const key of CALLBACKS) {
      const callback = type.prototype[key];
      if (callback !== undefined && typeof callback !== "function")
        throw new NativeTypeError(`${key} must be a function`);
      definition.callbacks[key] = callback;
    }
    if (definition.callbacks.attributeChangedCallback !== undefined) {
      definition.observedAttributes = Array.from(type.observedAttributes ?? [], String);
    }
    definition.isFormAssociated = !!type.formAssociated;
    byName.set(text, definition);
    byConstructor.set(type, definition);
    for (const element of decode(python("define_custom_element", realm.id, text, definition.isFormAssociated)))
      upgrade(element, definition);
    awaited.get(text)?.resolve(type);
  }
  get(/** @type {unknown} */ name) {
    return byName.get(`${name}`)?.constructor;
  }
  getName(/** @type {unknown} */ type) {
    return byConstructor.get(type)?.name ?? null;
  }
  whenDefined(/** @type {unknown} */ name) {
    const text = `${name}`;
    if (!NAME.test(text)) {
      return NativePromise.reject(new DOMException(`"${text}" is not the name of a custom element`, "SyntaxError"));
    }
    const definition = byName.get(text);
    if (definition !== undefined) return NativePromise.resolve(definition.constructor);
    const waiting = awaited.get(text) ?? NativePromise.withResolvers();
    awaited.set(text, waiting);
    return waiting.promise;
  }
  upgrade(/** @type {any} */ root) {
    for (const element of [root, ...root.querySelectorAll("*")]) created(element);
  }
}
defineProperty(CustomElementRegistry.prototype, toStringTag, { value: "CustomElementRegistry", configurable: true });
hide(scope, "CustomElementRegistry", CustomElementRegistry);
const registry = Object.create(CustomElementRegistry.prototype);
accessor(scope, "customElements", () => registry, undefined);
