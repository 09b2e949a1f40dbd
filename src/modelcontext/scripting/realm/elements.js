// Members of elements that stand for an attribute: tokens, data and declarations of style. There is no layout: all boxes are empty.
import { interfaces } from "./interfaces.js";
import { accessor, brandOf, createMember, defineProperty, hide, iterator, scope, toStringTag } from "./intrinsics.js";

const { Element, HTMLElement } = interfaces;
const { getAttribute, setAttribute, removeAttribute, querySelectorAll } = Element.prototype;
const read = (element, name) => getAttribute.call(element, name) ?? "";

/** Defines an attribute whose object is the same each time. */
function sameObject(target, name, make, forwards) {
  const made = new WeakMap();
  const functions = {
    get [name]() {
      if (brandOf(this) === undefined) throw new TypeError("this is not an element");
      if (!made.has(this)) made.set(this, make(this));
      return made.get(this);
    },
    set [name](value) {
      setAttribute.call(this, forwards, `${value}`);
    },
  };
  const { get, set } = Object.getOwnPropertyDescriptor(functions, name);
  accessor(target, name, get, forwards === undefined ? undefined : set);
}

// https://dom.spec.whatwg.org/#interface-domtokenlist

class DOMTokenList {
  #element;
  constructor(element) {
    this.#element = element;
  }
  #tokens() {
    return [...new Set(this.value.split(/[\t\n\f\r ]+/).filter(Boolean))];
  }
  #update(tokens) {
    if (tokens.length > 0 || this.value !== "") this.value = tokens.join(" ");
  }
  get value() {
    return read(this.#element, "class");
  }
  set value(text) {
    setAttribute.call(this.#element, "class", `${text}`);
  }
  get length() {
    return this.#tokens().length;
  }
  item(index) {
    return this.#tokens()[index] ?? null;
  }
  contains(token) {
    return this.#tokens().includes(`${token}`);
  }
  add(...tokens) {
    this.#update([...new Set([...this.#tokens(), ...tokens.map(String)])]);
  }
  remove(...tokens) {
    const gone = tokens.map(String);
    this.#update(this.#tokens().filter((token) => !gone.includes(token)));
  }
  toggle(token, force) {
    const add = force === undefined ? !this.contains(token) : !!force;
    this[add ? "add" : "remove"](token);
    return add;
  }
  replace(token, other) {
    if (!this.contains(token)) return false;
    this.#update([...new Set(this.#tokens().map((one) => (one === `${token}` ? `${other}` : one)))]);
    return true;
  }
  forEach(callback) {
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

const attributeOf = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
class DOMStringMap {}
const newDataset = (element) =>
  new Proxy(new DOMStringMap(), {
    get: (map, name) =>
      (typeof name === "string" ? getAttribute.call(element, attributeOf(name)) : null) ?? Reflect.get(map, name),
    set(_, name, value) {
      setAttribute.call(element, attributeOf(name), `${value}`);
      return true;
    },
    has: (map, name) =>
      (typeof name === "string" && getAttribute.call(element, attributeOf(name)) !== null) || name in map,
    deleteProperty(_, name) {
      removeAttribute.call(element, attributeOf(name));
      return true;
    },
  });

// https://drafts.csswg.org/cssom/#the-cssstyledeclaration-interface, without a parser of CSS: values are kept as they are

const propertyOf = (name) => (name === "cssFloat" ? "float" : attributeOf(name).slice("data-".length));
class CSSStyleDeclaration {
  #element;
  constructor(element) {
    this.#element = element;
  }
  #declarations() {
    const pairs = this.cssText.split(";").map((one) => one.split(/:(.*)/s).map((part) => part.trim()));
    return new Map(pairs.filter(([name, value]) => name && value));
  }
  get cssText() {
    return read(this.#element, "style");
  }
  set cssText(text) {
    setAttribute.call(this.#element, "style", `${text}`);
  }
  get length() {
    return this.#declarations().size;
  }
  item(index) {
    return [...this.#declarations().keys()][index] ?? "";
  }
  getPropertyValue(name) {
    return (
      this.#declarations()
        .get(`${name}`)
        ?.replace(/\s*!important$/, "") ?? ""
    );
  }
  setProperty(name, value, priority = "") {
    const declarations = this.#declarations();
    if (value === null || `${value}` === "") declarations.delete(`${name}`);
    else declarations.set(`${name}`, `${value}${priority ? ` !${priority}` : ""}`);
    this.cssText = [...declarations].map(([property, text]) => `${property}: ${text};`).join(" ");
  }
  removeProperty(name) {
    const value = this.getPropertyValue(name);
    this.setProperty(name, "");
    return value;
  }
}
const newStyle = (element) => {
  const style = new CSSStyleDeclaration(element);
  return new Proxy(style, {
    get(_, name) {
      if (typeof name === "string" && !(name in style)) return style.getPropertyValue(propertyOf(name));
      const value = Reflect.get(style, name, style);
      return typeof value === "function" ? value.bind(style) : value;
    },
    set(_, name, value) {
      if (name === "cssText") style.cssText = value;
      else style.setProperty(propertyOf(`${name}`), value);
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

// Boxes

for (const name of ["clientHeight", "clientWidth", "scrollHeight", "scrollWidth"]) {
  accessor(Element.prototype, name, () => 0, undefined);
}
for (const name of ["offsetHeight", "offsetLeft", "offsetTop", "offsetWidth"]) {
  accessor(HTMLElement.prototype, name, () => 0, undefined);
}
createMember(Element.prototype, "getBoundingClientRect", function getBoundingClientRect() {
  return { x: 0, y: 0, top: 0, right: 0, bottom: 0, left: 0, width: 0, height: 0 };
});
createMember(Element.prototype, "getElementsByClassName", function getElementsByClassName(names) {
  const selector = `${names}`
    .split(/[\t\n\f\r ]+/)
    .filter(Boolean)
    .map((name) => `.${name}`)
    .join("");
  return selector === "" ? [] : querySelectorAll.call(this, selector);
});
