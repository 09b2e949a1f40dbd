// The elements of pages, for Python: numbers for them, and the functions of PageFormVerbs (verbs.py documents them).
//
// The getters and methods are those of this window, which no page can replace. They work on elements of all documents of its origin.
/** @import { FormVerbs } from "../protocol.d.ts" */
/** @import { LocalRealm } from "./types.d.ts" */
import { documentId, documents } from "./documents.js";
import { held } from "./values.js";

/** @type {(prototype: object, name: string) => (self: any) => any} */
export const getter = (prototype, name) => {
  const { get } = /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name));
  return (self) => get.call(self);
};
/** @type {(prototype: object, name: string) => (self: any, value: unknown) => void} */
const setter = (prototype, name) => {
  const { set } = /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name));
  return (self, value) => set.call(self, value);
};
/** @type {(method: Function) => (self: any, ...values: any[]) => any} */
export const method =
  (called) =>
  (self, ...values) =>
    called.apply(self, values);

const [inputs, selects, areas] = [
  HTMLInputElement.prototype,
  HTMLSelectElement.prototype,
  HTMLTextAreaElement.prototype,
];
const options = HTMLOptionElement.prototype;
export const rootOf = method(Node.prototype.getRootNode);
export const isConnected = getter(Node.prototype, "isConnected");
export const localName = getter(Element.prototype, "localName");
const namespaceOf = getter(Element.prototype, "namespaceURI");
const ownerDocument = getter(Node.prototype, "ownerDocument");
const viewOf = getter(Document.prototype, "defaultView");
const frameElement = getter(window, "frameElement");
const getAttribute = method(Element.prototype.getAttributeNS);
const attribute = (/** @type {Element} */ element, /** @type {string} */ name) => getAttribute(element, null, name);
const attributesOf = getter(Element.prototype, "attributes");
const [attributeSpace, attributeName] = [getter(Attr.prototype, "namespaceURI"), getter(Attr.prototype, "localName")];
const attributeValue = getter(Attr.prototype, "value");
const [matches, closest, contains] = [
  method(Element.prototype.matches),
  method(Element.prototype.closest),
  method(Node.prototype.contains),
];
const [firstChild, nextSibling] = [getter(Node.prototype, "firstChild"), getter(Node.prototype, "nextSibling")];
const dataOf = getter(CharacterData.prototype, "data");
const parentElement = getter(Node.prototype, "parentElement");
const compare = method(Node.prototype.compareDocumentPosition);
const queries = {
  1: method(Element.prototype.querySelectorAll),
  9: method(Document.prototype.querySelectorAll),
  11: method(DocumentFragment.prototype.querySelectorAll),
};
const nodeType = getter(Node.prototype, "nodeType");
const elementsOf = getter(HTMLFormElement.prototype, "elements");
const labelControl = getter(HTMLLabelElement.prototype, "control");
const [optionValue, optionText] = [getter(options, "value"), getter(options, "text")];
const [isSelected, setSelected] = [getter(options, "selected"), setter(options, "selected")];
const optionsOf = getter(selects, "options");
const [typeOf, buttonType] = [getter(inputs, "type"), getter(HTMLButtonElement.prototype, "type")];
const [checked, setChecked] = [getter(inputs, "checked"), setter(inputs, "checked")];
const requestSubmit = method(HTMLFormElement.prototype.requestSubmit);
const focus = method(HTMLElement.prototype.focus);
const sandboxOf = getter(HTMLIFrameElement.prototype, "sandbox");

const HTML = "http://www.w3.org/1999/xhtml";
const LABELABLE = "button, input:not([type=hidden i]), meter, output, progress, select, textarea";
/** @type {Record<string, any>} */
const ownForm = { __proto__: null };
/** @type {Record<string, any>} */
const labelsOf = { __proto__: null };
for (const [name, interfaceObject] of /** @type {[string, any][]} */ ([
  ["button", HTMLButtonElement],
  ["fieldset", HTMLFieldSetElement],
  ["input", HTMLInputElement],
  ["object", HTMLObjectElement],
  ["output", HTMLOutputElement],
  ["select", HTMLSelectElement],
  ["textarea", HTMLTextAreaElement],
])) {
  ownForm[name] = getter(interfaceObject.prototype, "form");
  if ("labels" in interfaceObject.prototype) labelsOf[name] = getter(interfaceObject.prototype, "labels");
}
/** @type {Record<string, [(self: any) => string, (self: any, value: unknown) => void]>} */
const values = {
  input: [getter(inputs, "value"), setter(inputs, "value")],
  textarea: [getter(areas, "value"), setter(areas, "value")],
};

/** @type {WeakMap<Element, number>} */
const numbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elements = new Map();
let last = 0;
/** @type {(number: number) => void} */
let onForget = () => {};
const collected = new FinalizationRegistry((/** @type {number} */ number) => {
  elements.delete(number);
  onForget(number);
});

/** Sets the function that is called when an element was collected. */
export function whenForgotten(/** @type {(number: number) => void} */ steps) {
  onForget = steps;
}

export function numberOf(/** @type {Element} */ element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++last;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
    collected.register(element, number);
  }
  return number;
}

export const elementOf = (/** @type {number} */ number) => elements.get(number)?.deref();

/** @type {(node: any, name?: string) => boolean} */
export const isHTML = (node, name) =>
  nodeType(node) === Node.ELEMENT_NODE &&
  namespaceOf(node) === HTML &&
  (name === undefined || localName(node) === name);

/** The items of a list of a page, without the iterators of its realm. @type {<T>(list: ArrayLike<T>) => T[]} */
export function items(list) {
  const found = [];
  for (let index = 0; index < list.length; index++) found.push(list[index]);
  return found;
}

/** @type {(node: any, selector: string) => any[]} */
export const select = (node, selector) => items(/** @type {any} */ (queries)[nodeType(node)](node, selector));

export const attributeOf = (/** @type {Element} */ element, /** @type {string} */ name) => attribute(element, name);

/** The realm of a document in which scripts run. @type {(element: Node) => LocalRealm | null} */
export function realmOf(element) {
  const document = ownerDocument(element);
  if (viewOf(document) === null) return null;
  const { service } = documents[documentId(document)];
  return service.bare || service.port || isSandboxed(service.window, "allow-scripts") ? null : service;
}

/** The form owner of a listed element; of a custom element it is guessed. @type {(control: Element) => Element | null} */
export const formOf = (control) => (ownForm[localName(control)] ?? closestForm)(control);

const closestForm = (/** @type {Element} */ element) => closest(element, "form");

/** A frame that is sandboxed without a keyword holds that for all documents in it. @type {(view: Window, keyword: string) => boolean} */
function isSandboxed(view, keyword) {
  for (let inner = view; inner.parent !== inner; inner = inner.parent) {
    const frame = frameElementOf(inner);
    if (frame === null) return false;
    if (isHTML(frame, "iframe")) {
      const isAllowed = attribute(frame, "sandbox") === null || sandboxOf(frame).contains(keyword);
      if (!isAllowed) return true;
    }
  }
  return false;
}

/** @type {(view: Window) => Element | null} */
function frameElementOf(view) {
  try {
    return frameElement(view);
  } catch {
    return null; // The parent is of another origin.
  }
}

/** The text of a label without that of the labelable elements in it. @type {(label: Node) => string} */
function textOf(label) {
  let text = "";
  for (let child = firstChild(label); child !== null; child = nextSibling(child)) {
    if (nodeType(child) === Node.TEXT_NODE || nodeType(child) === Node.CDATA_SECTION_NODE) text += dataOf(child);
    else if (nodeType(child) === Node.ELEMENT_NODE && !isLabelable(child)) text += textOf(child);
  }
  return text;
}

const isLabelable = (/** @type {Element} */ element) =>
  isHTML(element) && (matches(element, LABELABLE) || isFormAssociatedCustomElement(element));

/** @type {(element: any) => boolean} */
const isFormAssociatedCustomElement = (element) =>
  localName(element).includes("-") && element.constructor?.formAssociated === true;

/** The texts of labels by control, in one walk of the tree. @type {(form: Element) => Map<Element, string[]>} */
function labelTexts(form) {
  const texts = new Map();
  for (const label of select(rootOf(form), "label")) {
    const control = labelControl(label);
    if (control === null) continue;
    const known = texts.get(control);
    if (known === undefined) texts.set(control, [textOf(label)]);
    else known.push(textOf(label));
  }
  return texts;
}

/** @type {(control: Element, labels: string[]) => object} */
function facts(control, labels) {
  const name = localName(control);
  /** @type {Record<string, string>} */
  const attributes = { __proto__: /** @type {any} */ (null) };
  for (const one of items(attributesOf(control))) {
    if (attributeSpace(one) === null) attributes[attributeName(one)] = attributeValue(one);
  }
  const disabled = matches(control, ":disabled");
  const type = name === "input" ? typeOf(control) : "";
  return { id: numberOf(control), name, type, attributes, disabled, labels };
}

const isSubmitButton = (/** @type {Element} */ control) =>
  localName(control) === "input"
    ? ["submit", "image"].includes(typeOf(control))
    : localName(control) === "button" && buttonType(control) === "submit";

/** @type {(form: Element) => Element[]} */
function submitButtons(form) {
  const images = select(rootOf(form), "input[type=image i]").filter((image) => formOf(image) === form);
  const buttons = items(elementsOf(form)).filter(isSubmitButton);
  const all = [...buttons, ...images];
  if (images.length > 0) all.sort((a, b) => (compare(a, b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  return all;
}

/** An element without scripts, for the browser's own sanitization of values. */
const inert = document.implementation.createHTMLDocument("");

/** @type {(number: number) => any} */
const known = (number) => elementOf(number) ?? inert.createElement("p");

/** Tells Python of what has happened to forms (hub/forms.js). @type {{ steps: () => void }} */
export const afterListeners = { steps: () => {} };

/** @type {FormVerbs} */
export const formVerbs = {
  is_connected: (element) => isConnected(known(element)),
  document_of(element) {
    const service = realmOf(known(element));
    return service === null ? 0 : documentId(ownerDocument(known(element)));
  },
  attribute_of: (element, name) => attribute(known(element), name) ?? undefined,
  listed_of(form) {
    const element = elementOf(form);
    if (element === undefined) return "[]";
    const texts = labelTexts(element);
    return JSON.stringify(items(elementsOf(element)).map((control) => facts(control, texts.get(control) ?? [])));
  },
  describe(control) {
    const element = known(control);
    const labels = labelsOf[localName(element)]?.(element) ?? [];
    return JSON.stringify(facts(element, items(labels).map(textOf)));
  },
  options_of: (select) =>
    JSON.stringify(
      items(optionsOf(elementOf(select))).map((option) => [
        optionValue(option),
        attribute(option, "label") || optionText(option),
        matches(option, ":disabled"),
        isSelected(option),
      ]),
    ),
  fieldset_of(controls) {
    const [first, ...others] = JSON.parse(controls).map(known);
    let fieldset = closestTo(first);
    while (fieldset !== null && !others.every((/** @type {Element} */ other) => contains(fieldset, other))) {
      fieldset = closestTo(fieldset);
    }
    return fieldset === null ? 0 : numberOf(fieldset);
  },
  form_of(control) {
    const form = formOf(known(control));
    return form === null ? 0 : numberOf(form);
  },
  is_checked: (control) => checked(elementOf(control)),
  check: (control, checkedness) => setChecked(elementOf(control), checkedness),
  select: (select, index, selectedness) => setSelected(optionsOf(elementOf(select))[index], selectedness),
  value_of: (control) => values[localName(known(control))][0](known(control)),
  set_value: (control, value) => values[localName(known(control))][1](known(control), value),
  sanitize(control, value) {
    const copy = inert.importNode(known(control), false);
    values.input[1](copy, value);
    return values.input[0](copy);
  },
  fire_at(element, type, bubbles, composed) {
    const target = known(element);
    realmOf(target)?.fireAt(target, type, bubbles, composed);
    afterListeners.steps();
  },
  response_of(handle) {
    const value = held(handle);
    return value === undefined || typeof value === "string" ? value : handle;
  },
  default_button(form) {
    const button = submitButtons(known(form)).find((one) => !matches(one, ":disabled"));
    return button === undefined ? 0 : numberOf(button);
  },
  is_sandboxed(form) {
    const service = realmOf(known(form));
    return service !== null && isSandboxed(service.window, "allow-forms");
  },
  focus(element) {
    focus(known(element));
    afterListeners.steps();
  },
  submit(form, submitter) {
    const element = known(form);
    const button = elementOf(submitter);
    // A listener may have taken the button from the form, and then the browser would refuse it.
    const isUsable = button !== undefined && formOf(button) === element && isSubmitButton(button);
    if (isUsable) requestSubmit(element, button);
    else requestSubmit(element);
    afterListeners.steps();
  },
};

/** @type {(element: Element) => Element | null} */
function closestTo(element) {
  const parent = parentElement(element);
  return parent === null ? null : closest(parent, "fieldset");
}
