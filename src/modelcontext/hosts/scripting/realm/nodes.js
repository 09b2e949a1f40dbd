// Members of nodes and documents that other members make up (https://dom.spec.whatwg.org/#nodes), what never changes here, and
// event handlers in attributes.
import { DOMException } from "./exceptions.js";
import { idOf, interfaces, isPlatformObject, need } from "./interfaces.js";
import { accessor, apply, decode, encode, extend, hide, python, realm, scope } from "./intrinsics.js";

export const { Document, DocumentFragment, Element, Node } = interfaces;
const { appendChild, insertBefore, removeChild } = Node.prototype;
// A node of another document can be of another realm.
const isNode = (/** @type {any} */ value) => isPlatformObject(value, "Node");

/** https://dom.spec.whatwg.org/#converting-nodes-into-a-node @type {(near: any, values: unknown[]) => any} */
function convertNodes(near, values) {
  const document = near.ownerDocument ?? near;
  const nodes = values.map((value) => (isNode(value) ? value : document.createTextNode(`${value}`)));
  if (nodes.length === 1) return nodes[0];
  const fragment = document.createDocumentFragment();
  for (const node of nodes) apply(appendChild, fragment, [node]);
  return fragment;
}
/** The first of the siblings on one side that is none of some values. @type {(node: any, side: string, values: unknown[]) => any} */
function viableSibling(node, side, values) {
  let sibling = node[side];
  while (sibling !== null && values.includes(sibling)) sibling = sibling[side];
  return sibling;
}
/** @type {(node: any, step: string) => any} */
function elementBeside(node, step) {
  let sibling = node[step];
  while (sibling !== null && sibling.nodeType !== 1) sibling = sibling[step];
  return sibling;
}

extend(Node.prototype, {
  hasChildNodes() {
    return this.firstChild !== null;
  },
  replaceChild(node, child) {
    need(arguments, 2, "replaceChild");
    if (child?.parentNode !== this) throw new DOMException("the node is not a child", "NotFoundError");
    const following = child.nextSibling === node ? node.nextSibling : child.nextSibling;
    if (node !== child) apply(removeChild, this, [child]);
    apply(insertBefore, this, [node, following]);
    return child;
  },
});

/** The place of a node among the children of its parent. @type {(node: any) => number} */
const indexOf = (node) => node.parentNode.childNodes.indexOf(node);
extend(Node.prototype, {
  isSameNode(other) {
    return this === other;
  },
  isEqualNode(other) {
    if (!isNode(other) || other.nodeType !== this.nodeType || other.nodeName !== this.nodeName) return false;
    if (this.nodeType === 1) {
      const names = this.getAttributeNames();
      if (names.length !== other.getAttributeNames().length) return false;
      for (const name of names) if (this.getAttribute(name) !== other.getAttribute(name)) return false;
    }
    const [children, others] = [this.childNodes, other.childNodes];
    if (this.nodeValue !== other.nodeValue || children.length !== others.length) return false;
    return children.every((/** @type {any} */ child, /** @type {number} */ index) => child.isEqualNode(others[index]));
  },
  normalize() {
    for (const child of this.childNodes) {
      if (child.nodeType !== 3) child.normalize();
      else if (child.data === "") child.remove();
      else if (child.previousSibling?.nodeType === 3) {
        child.previousSibling.data += child.data;
        child.remove();
      }
    }
  },
  compareDocumentPosition(other) {
    if (this === other) return 0;
    /** @type {(node: any) => any[]} */
    const path = (node) => (node === null ? [] : [...path(node.parentNode), node]);
    const [ours, theirs] = [path(this), path(other)];
    if (ours[0] !== theirs[0]) return 1 | 32 | 2;
    const length = ours.findIndex((node, index) => node !== theirs[index]);
    if (length === -1) return 16 | 4;
    if (length === theirs.length) return 8 | 2;
    return indexOf(ours[length]) < indexOf(theirs[length]) ? 4 : 2;
  },
});

// https://dom.spec.whatwg.org/#interface-childnode
for (const { prototype } of [interfaces.CharacterData, Element]) {
  extend(prototype, {
    before(...values) {
      const parent = this.parentNode;
      if (parent === null) return;
      const previous = viableSibling(this, "previousSibling", values);
      const node = convertNodes(this, values);
      apply(insertBefore, parent, [node, previous === null ? parent.firstChild : previous.nextSibling]);
    },
    after(...values) {
      const parent = this.parentNode;
      if (parent === null) return;
      const next = viableSibling(this, "nextSibling", values);
      apply(insertBefore, parent, [convertNodes(this, values), next]);
    },
    replaceWith(...values) {
      const parent = this.parentNode;
      if (parent === null) return;
      const next = viableSibling(this, "nextSibling", values);
      const node = convertNodes(this, values);
      if (this.parentNode === parent) this.remove();
      apply(insertBefore, parent, [node, next]);
    },
    remove() {
      const parent = this.parentNode;
      if (parent !== null) apply(removeChild, parent, [this]);
    },
    get nextElementSibling() {
      return elementBeside(this, "nextSibling");
    },
    get previousElementSibling() {
      return elementBeside(this, "previousSibling");
    },
  });
}

// https://dom.spec.whatwg.org/#interface-parentnode
for (const { prototype } of [Document, DocumentFragment, Element]) {
  extend(prototype, {
    append(...values) {
      apply(appendChild, this, [convertNodes(this, values)]);
    },
    prepend(...values) {
      const node = convertNodes(this, values);
      apply(insertBefore, this, [node, this.firstChild]);
    },
    replaceChildren(...values) {
      const node = convertNodes(this, values);
      if (prototype === Element.prototype) this.textContent = "";
      while (this.firstChild !== null) apply(removeChild, this, [this.firstChild]);
      apply(appendChild, this, [node]);
    },
    get childElementCount() {
      return this.children.length;
    },
    get firstElementChild() {
      return this.children[0] ?? null;
    },
    get lastElementChild() {
      return this.children.at(-1) ?? null;
    },
    getElementsByClassName(names) {
      const classes = `${names}`.split(/[\t\n\f\r ]+/).filter(Boolean);
      return classes.length === 0
        ? []
        : this.querySelectorAll(classes.map((name) => `.${serializeAnIdentifier(name)}`).join(""));
    },
  });
}
Reflect.deleteProperty(DocumentFragment.prototype, "getElementsByClassName");

// https://dom.spec.whatwg.org/#interface-attr
class Attr {
  constructor(/** @type {any} */ element, /** @type {string} */ name) {
    this.ownerElement = element;
    this.name = this.localName = this.nodeName = name;
  }
  get value() {
    return this.ownerElement.getAttribute(this.name) ?? "";
  }
  set value(/** @type {unknown} */ text) {
    this.ownerElement.setAttribute(this.name, text);
  }
}
hide(scope, "Attr", Attr);
/** The attributes of namespaces, which only the methods with a namespace see. @type {WeakMap<object, Map<string, string>>} */
const ofNamespaces = new WeakMap();
const inNamespace = (/** @type {unknown} */ namespace, /** @type {unknown} */ name) => `${namespace} ${name}`;
/** @type {(element: object) => Map<string, string>} */
function namespaced(element) {
  const attributes = ofNamespaces.get(element) ?? new Map();
  ofNamespaces.set(element, attributes);
  return attributes;
}

/** Makes shadow trees of the templates that declare them. @type {(root: any) => void} */
function attachDeclarativeShadowRoots(root) {
  for (const template of root.querySelectorAll("template[shadowrootmode]")) {
    const host = template.parentElement;
    const mode = template.getAttribute("shadowrootmode");
    if (host === null || host === root || host.shadowRoot !== null || (mode !== "open" && mode !== "closed")) continue;
    const shadow = host.attachShadow({ mode });
    shadow.append(template.content);
    template.remove();
    attachDeclarativeShadowRoots(shadow);
  }
}

extend(Element.prototype, {
  closest(selectors) {
    need(arguments, 1, "closest");
    /** @type {any} */
    let element = this;
    while (element !== null && !element.matches(selectors)) element = element.parentElement;
    return element;
  },
  toggleAttribute(name, force) {
    need(arguments, 1, "toggleAttribute");
    const isThere = this.hasAttribute(name);
    if (isThere && force !== undefined && force) return true;
    if (isThere) this.removeAttribute(name);
    else if (force === undefined || force) this.setAttribute(name, "");
    return !isThere && (force === undefined || !!force);
  },
  get attributes() {
    const nodes = this.getAttributeNames().map((/** @type {string} */ name) => new Attr(this, name));
    for (const node of nodes) if (!(node.name in nodes)) hide(nodes, node.name, node);
    hide(nodes, "item", (/** @type {number} */ index) => nodes[index] ?? null);
    hide(nodes, "getNamedItem", (/** @type {unknown} */ name) => this.getAttributeNode(name));
    return nodes;
  },
  getAttributeNode(name) {
    return this.hasAttribute(name) ? new Attr(this, `${name}`.toLowerCase()) : null;
  },
  setAttributeNS(namespace, name, value) {
    need(arguments, 3, "setAttributeNS");
    if (namespace === null || namespace === "") this.setAttribute(name, value);
    else namespaced(this).set(inNamespace(namespace, `${name}`.replace(/^.*:/, "")), `${value}`);
  },
  getAttributeNS(namespace, name) {
    if (namespace === null || namespace === "") return this.getAttribute(name);
    return namespaced(this).get(inNamespace(namespace, name)) ?? null;
  },
  hasAttributeNS(namespace, name) {
    return this.getAttributeNS(namespace, name) !== null;
  },
  removeAttributeNS(namespace, name) {
    if (namespace === null || namespace === "") this.removeAttribute(name);
    else namespaced(this).delete(inNamespace(namespace, name));
  },
  setHTMLUnsafe(html) {
    need(arguments, 1, "setHTMLUnsafe");
    this.innerHTML = html;
    attachDeclarativeShadowRoots(this);
  },
  getClientRects: () => [],
  insertAdjacentElement(position, element) {
    need(arguments, 2, "insertAdjacentElement");
    idOf(element, "Element");
    return insertAdjacent(this, position, element);
  },
  insertAdjacentText(position, data) {
    need(arguments, 2, "insertAdjacentText");
    insertAdjacent(this, position, this.ownerDocument.createTextNode(`${data}`));
  },
  insertAdjacentHTML(position, text) {
    need(arguments, 2, "insertAdjacentHTML");
    const where = `${position}`.toLowerCase();
    const context = where === "beforebegin" || where === "afterend" ? this.parentNode : this;
    if (["beforebegin", "afterend"].includes(where) && (context === null || context.nodeType === 9)) {
      throw new DOMException("the element has no parent element", "NoModificationAllowedError");
    }
    const fragment = decode(python("operation", idOf(context, "Node"), "Element.parseFragment", [`${text}`]));
    insertAdjacent(this, where, fragment);
  },
});

/** https://dom.spec.whatwg.org/#insert-adjacent @type {(element: any, position: unknown, node: any) => any} */
function insertAdjacent(element, position, node) {
  const where = `${position}`.toLowerCase();
  if (where === "afterbegin") return apply(insertBefore, element, [node, element.firstChild]);
  if (where === "beforeend") return apply(appendChild, element, [node]);
  if (where !== "beforebegin" && where !== "afterend")
    throw new DOMException(`"${position}" is not a position`, "SyntaxError");
  const parent = element.parentNode;
  if (parent === null) return null;
  return apply(insertBefore, parent, [node, where === "beforebegin" ? element : element.nextSibling]);
}

// https://drafts.csswg.org/cssom/#serialize-an-identifier
const serializeAnIdentifier = (/** @type {unknown} */ value) => {
  const text = `${value}`;
  if (text === "-") return "\\-";
  return Array.from(text, (character, index) => {
    const unit = character.charCodeAt(0);
    const isFirst = index === 0 || (index === 1 && text[0] === "-");
    if (unit === 0) return "\ufffd";
    if (unit < 0x20 || unit === 0x7f || (isFirst && /\d/.test(character))) return `\\${unit.toString(16)} `;
    return unit >= 0x80 || /[\w-]/.test(character) ? character : `\\${character}`;
  }).join("");
};
extend(DocumentFragment.prototype, {
  getElementById(id) {
    return this.querySelector(`#${serializeAnIdentifier(id)}`);
  },
});
hide(scope, "CSS", { escape: serializeAnIdentifier });

// Documents

/** The names of interfaces for createEvent(), which are all that pages use. @type {Record<string, string>} */
const EVENTS = {
  customevent: "CustomEvent",
  event: "Event",
  events: "Event",
  htmlevents: "Event",
  mouseevent: "MouseEvent",
};
/** The cookies of the documents that share the cell, without paths and domains. @type {Map<string, string>} */
const jar = /** @type {any} */ (engine.cell).cookies ?? new Map();
/** @type {any} */ (engine.cell).cookies = jar;
const unchanging = {
  compatMode: "CSS1Compat",
  characterSet: "UTF-8",
  charset: "UTF-8",
  visibilityState: "visible",
  hidden: false,
  referrer: "",
};
for (const [name, value] of Object.entries(unchanging)) {
  accessor(
    Document.prototype,
    name,
    function () {
      idOf(this, "Document");
      return value;
    },
    undefined,
  );
}
extend(Document.prototype, {
  get contentType() {
    return this instanceof interfaces.XMLDocument ? "application/xml" : "text/html";
  },
  get cookie() {
    return Array.from(jar, ([name, value]) => (name === "" ? value : `${name}=${value}`)).join("; ");
  },
  set cookie(text) {
    const [pair, ...attributes] = `${text}`.split(";").map((part) => part.trim());
    const [name, ...rest] = pair.includes("=") ? pair.split("=") : ["", pair];
    const isOver = attributes.some((one) => {
      const [key, value = ""] = one.split("=");
      if (/^max-age$/i.test(key)) return Number(value) <= 0;
      return /^expires$/i.test(key) && scope.Date.parse(value) <= scope.Date.now();
    });
    if (isOver) jar.delete(name.trim());
    else jar.set(name.trim(), rest.join("=").trim());
  },
  get images() {
    return this.getElementsByTagName("img");
  },
  get links() {
    return this.querySelectorAll("a[href], area[href]");
  },
  get scrollingElement() {
    return this.documentElement;
  },
  get scripts() {
    return this.getElementsByTagName("script");
  },
  get forms() {
    const forms = this.getElementsByTagName("form");
    for (const form of forms.toReversed()) {
      for (const name of [form.name, form.id]) if (name !== "" && !(name in forms)) hide(forms, name, form);
    }
    return forms;
  },
  get title() {
    const title = this.querySelector("title");
    return title === null ? "" : title.text.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "");
  },
  set title(value) {
    let title = this.querySelector("title");
    if (title === null && this.head === null) return;
    title ??= this.head.appendChild(this.createElement("title"));
    title.textContent = value;
  },
  getElementsByName(name) {
    need(arguments, 1, "getElementsByName");
    return this.querySelectorAll(`[name="${`${name}`.replace(/["\\]/g, "\\$&")}"]`);
  },
  hasFocus: () => true,
  createEvent(name) {
    need(arguments, 1, "createEvent");
    const type = EVENTS[`${name}`.toLowerCase()];
    if (type === undefined) throw new DOMException(`${name} cannot be made so here`, "NotSupportedError");
    return new interfaces[type]("");
  },
});

// https://html.spec.whatwg.org/#event-handler-content-attributes

/** The handlers of body elements that are those of the window. */
const OF_WINDOWS = (
  "onafterprint onbeforeprint onbeforeunload onblur onerror onfocus onhashchange onlanguagechange onload onmessage onmessageerror " +
  "onoffline ononline onpagehide onpageshow onpopstate onrejectionhandled onresize onscroll onstorage onunhandledrejection onunload"
).split(" ");

realm.set_handler = (data, name, body) => {
  const element = decode(data);
  const target = element.localName === "body" && OF_WINDOWS.includes(name) ? scope : element;
  let handler = null;
  if (body !== null) {
    const parameters = name === "onerror" && target === scope ? "event, source, lineno, colno, error" : "event";
    const scopes = "with (this.ownerDocument) with (this.form ?? {}) with (this)";
    const make = new Function(`${scopes} { return function ${name}(${parameters}) {\n${body}\n}; }`);
    handler = apply(make, element, []);
  }
  python("set", idOf(target, "EventTarget"), `${target === scope ? "Window" : "HTMLElement"}.${name}`, encode(handler));
};
