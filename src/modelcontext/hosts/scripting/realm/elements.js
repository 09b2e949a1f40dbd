// Members of elements that stand for an attribute: tokens, data and declarations of style. There is no layout: all boxes are empty.
import { interfaces } from "./interfaces.js";
import {
  accessor,
  brandOf,
  createMember,
  defineProperty,
  extend,
  hide,
  iterator,
  scope,
  toStringTag,
} from "./intrinsics.js";
import { Element } from "./nodes.js";

const { HTMLElement } = interfaces;
export const { getAttribute, getAttributeNames, hasAttribute, setAttribute, removeAttribute } = Element.prototype;
/** @type {(element: object, name: string) => string} */
const read = (element, name) => getAttribute.call(element, name) ?? "";

/**
 * Defines an attribute whose object is the same each time.
 * @type {(target: object, name: string, make: (element: object) => object, forwards?: string) => void}
 */
function sameObject(target, name, make, forwards) {
  const made = new WeakMap();
  const functions = {
    /** @returns {object | undefined} */
    get [name]() {
      if (brandOf(this) === undefined) throw new TypeError("this is not an element");
      if (!made.has(this)) made.set(this, make(this));
      return made.get(this);
    },
    set [name](/** @type {unknown} */ value) {
      setAttribute.call(this, forwards, `${value}`);
    },
  };
  const { get, set } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(functions, name));
  accessor(target, name, get, forwards === undefined ? undefined : set);
}

// https://dom.spec.whatwg.org/#interface-domtokenlist

class DOMTokenList {
  #element;
  constructor(/** @type {object} */ element) {
    this.#element = element;
  }
  #tokens() {
    return [...new Set(this.value.split(/[\t\n\f\r ]+/).filter(Boolean))];
  }
  #update(/** @type {string[]} */ tokens) {
    if (tokens.length > 0 || this.value !== "") this.value = tokens.join(" ");
  }
  get value() {
    return read(this.#element, "class");
  }
  set value(/** @type {string} */ text) {
    setAttribute.call(this.#element, "class", `${text}`);
  }
  get length() {
    return this.#tokens().length;
  }
  item(/** @type {number} */ index) {
    return this.#tokens()[index] ?? null;
  }
  contains(/** @type {unknown} */ token) {
    return this.#tokens().includes(`${token}`);
  }
  add(/** @type {unknown[]} */ ...tokens) {
    this.#update([...new Set([...this.#tokens(), ...tokens.map(String)])]);
  }
  remove(/** @type {unknown[]} */ ...tokens) {
    const gone = tokens.map(String);
    this.#update(this.#tokens().filter((token) => !gone.includes(token)));
  }
  toggle(/** @type {unknown} */ token, /** @type {unknown} */ force) {
    const add = force === undefined ? !this.contains(token) : !!force;
    this[add ? "add" : "remove"](token);
    return add;
  }
  replace(/** @type {unknown} */ token, /** @type {unknown} */ other) {
    if (!this.contains(token)) return false;
    this.#update([...new Set(this.#tokens().map((one) => (one === `${token}` ? `${other}` : one)))]);
    return true;
  }
  forEach(/** @type {(token: string, index: number, tokens: string[]) => void} */ callback) {
    this.#tokens().forEach(callback);
  }
  toString() {
    return this.value;
  }
  [iterator]() {
    return this.#tokens().values();
  }
}

// https://html.spec.whatwg.org/#domstringmap

/** @type {(element: object) => string[]} */
const namesOf = (element) => getAttributeNames.call(element);
const attributeOf = (/** @type {string} */ name) =>
  `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
class DOMStringMap {}
const newDataset = (/** @type {object} */ element) =>
  new Proxy(new DOMStringMap(), {
    get: (map, name) =>
      (typeof name === "string" ? getAttribute.call(element, attributeOf(name)) : null) ?? Reflect.get(map, name),
    set(map, name, value) {
      if (typeof name === "symbol") return Reflect.set(map, name, value);
      setAttribute.call(element, attributeOf(name), `${value}`);
      return true;
    },
    ownKeys: () =>
      namesOf(element)
        .filter((name) => /^data-[^A-Z]*$/.test(name))
        .map((name) => name.slice("data-".length).replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())),
    getOwnPropertyDescriptor(map, name) {
      const value = typeof name === "string" ? getAttribute.call(element, attributeOf(name)) : null;
      if (value === null) return Reflect.getOwnPropertyDescriptor(map, name);
      return { value, writable: true, enumerable: true, configurable: true };
    },
    has: (map, name) =>
      (typeof name === "string" && getAttribute.call(element, attributeOf(name)) !== null) || name in map,
    deleteProperty(map, name) {
      if (typeof name === "symbol") return Reflect.deleteProperty(map, name);
      removeAttribute.call(element, attributeOf(name));
      return true;
    },
  });

// https://drafts.csswg.org/cssom/#the-cssstyledeclaration-interface, without a parser of CSS: values are kept as they are

const propertyOf = (/** @type {string} */ name) =>
  name === "cssFloat" ? "float" : attributeOf(name).slice("data-".length);
class CSSStyleDeclaration {
  #element;
  constructor(/** @type {object} */ element) {
    this.#element = element;
  }
  #declarations() {
    const pairs = this.cssText.split(";").map((one) => one.split(/:(.*)/s).map((part) => part.trim()));
    return new Map(/** @type {[string, string][]} */ (pairs.filter(([name, value]) => name && value)));
  }
  get cssText() {
    return read(this.#element, "style");
  }
  set cssText(/** @type {string} */ text) {
    setAttribute.call(this.#element, "style", `${text}`);
  }
  get length() {
    return this.#declarations().size;
  }
  item(/** @type {number} */ index) {
    return [...this.#declarations().keys()][index] ?? "";
  }
  getPropertyValue(/** @type {unknown} */ name) {
    return (
      this.#declarations()
        .get(`${name}`)
        ?.replace(/\s*!important$/, "") ?? ""
    );
  }
  /** @type {(name: unknown, value: unknown, priority?: unknown) => void} */
  setProperty(name, value, priority = "") {
    const declarations = this.#declarations();
    if (value === null || `${value}` === "") declarations.delete(`${name}`);
    else declarations.set(`${name}`, `${value}${priority ? ` !${priority}` : ""}`);
    this.cssText = [...declarations].map(([property, text]) => `${property}: ${text};`).join(" ");
  }
  removeProperty(/** @type {unknown} */ name) {
    const value = this.getPropertyValue(name);
    this.setProperty(name, "");
    return value;
  }
}
const newStyle = (/** @type {object} */ element) => {
  const style = new CSSStyleDeclaration(element);
  return new Proxy(style, {
    get(_, name) {
      if (typeof name === "string" && !(name in style)) return style.getPropertyValue(propertyOf(name));
      const value = Reflect.get(style, name, style);
      return typeof value === "function" ? value.bind(style) : value;
    },
    set(_, name, value) {
      if (typeof name === "symbol") return Reflect.set(style, name, value);
      if (name === "cssText") style.cssText = value;
      else style.setProperty(propertyOf(name), value);
      return true;
    },
  });
};

for (const [name, type] of Object.entries({ CSSStyleDeclaration, DOMStringMap, DOMTokenList })) {
  defineProperty(type.prototype, toStringTag, { value: name, configurable: true });
  hide(scope, name, type);
}
sameObject(Element.prototype, "classList", (element) => new DOMTokenList(element), "class");
sameObject(HTMLElement.prototype, "dataset", newDataset);
sameObject(HTMLElement.prototype, "style", newStyle, "style");

// Parts of URLs: of links (https://html.spec.whatwg.org/#htmlhyperlinkelementutils) and of Location

const PARTS = /** @type {const} */ (["protocol", "host", "hostname", "port", "pathname", "search", "hash"]);
for (const { prototype } of [interfaces.HTMLAnchorElement, interfaces.Location]) {
  for (const name of [.../** @type {const} */ (["origin"]), ...PARTS]) {
    if (name === "origin" && prototype === interfaces.Location.prototype) continue;
    const urlOf = (/** @type {any} */ owner) => (scope.URL.canParse(owner.href) ? new scope.URL(owner.href) : null);
    accessor(
      prototype,
      name,
      function () {
        return urlOf(this)?.[name] ?? "";
      },
      name === "origin"
        ? undefined
        : function (value) {
            const url = urlOf(this);
            if (url === null) return;
            url[name] = value;
            this.href = url.href;
          },
    );
  }
}
const { toString: hrefOf } = {
  /** @this {any} */
  toString() {
    return this.href;
  },
};
createMember(interfaces.HTMLAnchorElement.prototype, "toString", hrefOf);

// Selects

extend(interfaces.HTMLSelectElement.prototype, {
  get selectedOptions() {
    return this.options.filter((/** @type {any} */ option) => option.selected);
  },
  get value() {
    return this.selectedOptions[0]?.value ?? "";
  },
  set value(value) {
    this.selectedIndex = this.options.findIndex((/** @type {any} */ option) => option.value === `${value}`);
  },
  get length() {
    return this.options.length;
  },
  add(option, before = null) {
    const place = typeof before === "number" ? (this.options[before] ?? null) : before;
    (place?.parentNode ?? this).insertBefore(option, place);
  },
});

// What never changes

for (const [target, values] of /** @type {[object, Record<string, unknown>][]} */ ([
  [interfaces.Navigator.prototype, { userAgent: "Mozilla/5.0 (simulated browser of modelcontext)", onLine: true }],
  [
    interfaces.Navigator.prototype,
    { language: "en", languages: Object.freeze(["en"]), cookieEnabled: true, maxTouchPoints: 0 },
  ],
  [scope, { crossOriginIsolated: false, event: undefined, innerWidth: 1024, innerHeight: 768, devicePixelRatio: 1 }],
  [scope, { outerWidth: 1024, outerHeight: 768, scrollX: 0, scrollY: 0, pageXOffset: 0, pageYOffset: 0 }],
])) {
  for (const [name, value] of Object.entries(values)) {
    const replace = (/** @type {any} */ self, /** @type {any} */ other) => createMember(self ?? scope, name, other);
    accessor(
      target,
      name,
      () => value,
      target === scope
        ? function (other) {
            replace(this, other);
          }
        : undefined,
    );
  }
}
// Boxes

for (const name of ["clientHeight", "clientWidth", "scrollHeight", "scrollWidth"]) {
  accessor(Element.prototype, name, () => 0, undefined);
}
accessor(HTMLElement.prototype, "offsetParent", () => null, undefined);
for (const name of ["offsetHeight", "offsetLeft", "offsetTop", "offsetWidth"]) {
  accessor(HTMLElement.prototype, name, () => 0, undefined);
}
createMember(Element.prototype, "getBoundingClientRect", function getBoundingClientRect() {
  return { x: 0, y: 0, top: 0, right: 0, bottom: 0, left: 0, width: 0, height: 0 };
});
