// FormData, and the submission of forms after their submit event (https://html.spec.whatwg.org/#form-submission-2).
import { formValues } from "./custom_elements.js";
import { getAttribute, hasAttribute, setAttribute } from "./elements.js";
import { DOMException } from "./exceptions.js";
import { idOf, interfaces, need } from "./interfaces.js";
import {
  accessor,
  apply,
  brandOf,
  decode,
  defineProperty,
  extend,
  hide,
  isObject,
  iterator,
  NativeTypeError,
  python,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";
import { blobs, File, isBlob } from "./urls.js";

/** @typedef {string | File} Value */

const { HTMLFormElement } = interfaces;
const { get: fieldsOf } = /** @type {{ get: () => any }} */ (
  Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements")
);
const { closest, matches } = interfaces.Element.prototype;
/** @type {(element: any, name: string) => string | null} */
const attributeOrNull = (element, name) => apply(getAttribute, element, [name]);
/** @type {(element: any, selectors: string) => boolean} */
const is = (element, selectors) => apply(matches, element, [selectors]);
/** @type {(this: any, value: unknown) => void} */
function reflectType(value) {
  apply(setAttribute, this, ["type", `${value}`]);
}
export const SUBMIT_BUTTONS = "button:not([type=reset i], [type=button i]), input[type=submit i], input[type=image i]";
/** The forms whose entry lists are being constructed. */
const constructing = new Set();

/** https://xhr.spec.whatwg.org/#create-an-entry @type {(value: unknown, filename?: unknown) => Value} */
function entryValue(value, filename) {
  if (!isBlob(value)) return `${value}`.toWellFormed();
  const name = filename === undefined ? (value instanceof File ? value.name : "blob") : `${filename}`;
  return value instanceof File && value.name === name ? value : new File([value], name, { type: value.type });
}

/** https://html.spec.whatwg.org/#constructing-the-form-data-set @type {(form: any, submitter: any) => [string, Value][] | null} */
function constructTheEntryList(form, submitter) {
  if (constructing.has(form)) return null;
  constructing.add(form);
  /** @type {[string, Value][]} */
  const entries = [];
  try {
    const items = apply(fieldsOf, form, []);
    const isImage = submitter !== null && attributeOrNull(submitter, "type")?.toLowerCase() === "image";
    for (const field of isImage ? [...items, submitter] : items) {
      const name = attributeOrNull(field, "name") ?? "";
      if (is(field, ":disabled, object, datalist *, fieldset, output")) continue;
      const { localName, type } = field;
      if (localName.includes("-")) {
        const value = formValues.get(field) ?? null;
        if (value instanceof FormData) entries.push(...listOf(value));
        else if (value !== null && name !== "") entries.push([name, entryValue(value)]);
        continue;
      }
      const isButton = localName === "button" || /^(submit|button|reset|image)$/.test(type);
      if (isButton && field !== submitter) continue;
      if (/^(checkbox|radio)$/.test(type) && !field.checked) continue;
      if (type === "image") {
        const prefix = name === "" ? "" : `${name}.`;
        entries.push([`${prefix}x`, "0"], [`${prefix}y`, "0"]);
      } else if (name === "") {
      } else if (localName === "select") {
        for (const option of field.selectedOptions) if (!is(option, ":disabled")) entries.push([name, option.value]);
      } else if (type === "file") entries.push([name, new File([], "", { type: "application/octet-stream" })]);
      else if (type === "hidden" && name.toLowerCase() === "_charset_") entries.push([name, "UTF-8"]);
      else entries.push([name, field.value]);
    }
    const data = new FormData();
    lists.set(data, entries);
    const event = new interfaces.FormDataEvent("formdata", { bubbles: true, formData: data });
    apply(interfaces.EventTarget.prototype.dispatchEvent, form, [event]);
  } finally {
    constructing.delete(form);
  }
  return entries;
}

/** @type {WeakMap<object, [string, Value][]>} */
const lists = new WeakMap();
const listOf = (/** @type {any} */ self) => {
  const list = lists.get(self);
  if (list === undefined) throw new NativeTypeError("this is not a FormData");
  return list;
};

class FormData {
  constructor(/** @type {any} */ form = undefined, /** @type {any} */ submitter = null) {
    lists.set(this, []);
    if (form === undefined) return;
    idOf(form, "HTMLFormElement");
    if (submitter !== null && (!isObject(submitter) || !brandOf(submitter) || !is(submitter, SUBMIT_BUTTONS))) {
      throw new NativeTypeError("the submitter is not a submit button");
    }
    if (submitter !== null && submitter.form !== form) {
      throw new DOMException("the submitter is a button of another form", "NotFoundError");
    }
    const list = constructTheEntryList(form, submitter);
    if (list === null) throw new DOMException("the entry list of the form is being constructed", "InvalidStateError");
    lists.set(this, list.slice());
  }
  append(/** @type {unknown} */ name, /** @type {unknown} */ value, /** @type {unknown} */ filename = undefined) {
    need(arguments, 2, "append");
    listOf(this).push([`${name}`.toWellFormed(), entryValue(value, filename)]);
  }
  delete(/** @type {unknown} */ name) {
    const list = listOf(this);
    list.splice(0, list.length, ...list.filter(([key]) => key !== `${name}`));
  }
  get(/** @type {unknown} */ name) {
    return listOf(this).find(([key]) => key === `${name}`)?.[1] ?? null;
  }
  getAll(/** @type {unknown} */ name) {
    return listOf(this)
      .filter(([key]) => key === `${name}`)
      .map(([, value]) => value);
  }
  has(/** @type {unknown} */ name) {
    return listOf(this).some(([key]) => key === `${name}`);
  }
  set(/** @type {unknown} */ name, /** @type {unknown} */ value, /** @type {unknown} */ filename = undefined) {
    need(arguments, 2, "set");
    const list = listOf(this);
    /** @type {[string, Value]} */
    const entry = [`${name}`.toWellFormed(), entryValue(value, filename)];
    const place = list.findIndex(([key]) => key === entry[0]);
    if (place < 0) list.push(entry);
    else {
      list[place] = entry;
      const others = list.filter(([key], index) => index <= place || key !== entry[0]);
      list.splice(0, list.length, ...others);
    }
  }
  *entries() {
    for (const [name, value] of listOf(this)) yield [name, value];
  }
  *keys() {
    for (const [name] of listOf(this)) yield name;
  }
  *values() {
    for (const [, value] of listOf(this)) yield value;
  }
  forEach(
    /** @type {(value: Value, name: string, data: FormData) => void} */ callback,
    /** @type {unknown} */ self = undefined,
  ) {
    for (const [name, value] of listOf(this)) callback.call(self, value, name, this);
  }
}
hide(FormData.prototype, iterator, FormData.prototype.entries);
defineProperty(FormData.prototype, toStringTag, { value: "FormData", configurable: true });
hide(scope, "FormData", FormData);

// Submission

const newlines = (/** @type {string} */ text) => text.replace(/\r\n?|\n/g, "\r\n");
const nameOrText = (/** @type {Value} */ value) => newlines(typeof value === "string" ? value : value.name);

/** The body of a request, and its type, for the entries of a form. @type {(entries: [string, Value][], type: string) => [string, string]} */
function encoded(entries, type) {
  if (type === "text/plain") {
    return [entries.map(([name, value]) => `${newlines(name)}=${nameOrText(value)}\r\n`).join(""), type];
  }
  if (type === "multipart/form-data") {
    const boundary = "----ModelContextFormBoundary";
    const quoted = (/** @type {string} */ text) =>
      newlines(text).replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
    const parts = entries.map(([name, value]) => {
      const file = typeof value === "string" ? undefined : value;
      const head = `Content-Disposition: form-data; name="${quoted(name)}"${file ? `; filename="${quoted(file.name)}"` : ""}`;
      const kind = file ? `\r\nContent-Type: ${file.type || "application/octet-stream"}` : "";
      const body = typeof value === "string" ? newlines(value) : blobs.get(value)?.text;
      return `--${boundary}\r\n${head}${kind}\r\n\r\n${body}\r\n`;
    });
    return [`${parts.join("")}--${boundary}--\r\n`, `${type}; boundary=${boundary}`];
  }
  const pairs = engine.parametersOf(entries.map(([name, value]) => [newlines(name), nameOrText(value)]));
  return [pairs.toString(), "application/x-www-form-urlencoded"];
}

/** https://html.spec.whatwg.org/#form-submission-algorithm, from the construction of the entry list on */
realm.submit = (formData, submitterData) => {
  const form = decode(formData);
  const submitter = decode(submitterData);
  /** @type {(name: string) => string} */
  const attribute = (name) =>
    (submitter === null ? null : attributeOrNull(submitter, `form${name}`)) ?? attributeOrNull(form, name) ?? "";
  const entries = constructTheEntryList(form, submitter);
  if (entries === null || !form.isConnected) return;
  const method = attribute("method").trim().toLowerCase();
  if (method === "dialog") {
    const dialog = apply(closest, form, ["dialog"]);
    if (dialog !== null && apply(hasAttribute, dialog, ["open"])) {
      dialog.close(submitter === null ? undefined : (attributeOrNull(submitter, "value") ?? undefined));
    }
    return;
  }
  const { baseURI, URL: own } = form.ownerDocument;
  let url;
  try {
    url = engine.urlOf(attribute("action") || own, baseURI);
  } catch {
    return;
  }
  const [body, type] = encoded(entries, attribute("enctype").trim().toLowerCase());
  const isPost = method === "post" && /^https?:$/.test(url.protocol);
  if (!isPost && /^(https?|file):$/.test(url.protocol)) {
    url.search = engine.parametersOf(entries.map(([name, value]) => [newlines(name), nameOrText(value)])).toString();
  }
  const id = idOf(form, "HTMLFormElement");
  python(
    "submit_form",
    id,
    url.href,
    attribute("target"),
    isPost ? "POST" : "GET",
    isPost ? body : "",
    isPost ? type : "",
  );
};

for (const [name, typeOf] of Object.entries({
  HTMLTextAreaElement: () => "textarea",
  HTMLSelectElement: (/** @type {any} */ select) => (select.multiple ? "select-multiple" : "select-one"),
  HTMLButtonElement: (/** @type {any} */ button) =>
    (/^(button|reset)$/i.exec(attributeOrNull(button, "type") ?? "") ?? ["submit"])[0].toLowerCase(),
  HTMLFieldSetElement: () => "fieldset",
  HTMLOutputElement: () => "output",
})) {
  const setter = name === "HTMLButtonElement" ? reflectType : undefined;
  accessor(
    interfaces[name].prototype,
    "type",
    function () {
      return typeOf(this);
    },
    setter,
  );
}

for (const [name, keywords] of Object.entries({
  method: ["get", "post", "dialog"],
  enctype: ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"],
})) {
  accessor(
    HTMLFormElement.prototype,
    name,
    function () {
      const value = (attributeOrNull(this, name) ?? "").toLowerCase();
      return keywords.includes(value) ? value : keywords[0];
    },
    function (value) {
      apply(setAttribute, this, [name, `${value}`]);
    },
  );
}

const LABELABLE = "button, input:not([type=hidden i]), meter, output, progress, select, textarea";
extend(interfaces.HTMLLabelElement.prototype, {
  get control() {
    if (!this.hasAttribute("for")) return this.querySelector(LABELABLE);
    const named = this.getRootNode().getElementById(this.htmlFor);
    return named?.matches(LABELABLE) ? named : null;
  },
  get form() {
    return this.control?.form ?? null;
  },
});
extend(interfaces.HTMLInputElement.prototype, {
  get valueAsNumber() {
    return this.type === "number" || this.type === "range" ? Number.parseFloat(this.value) : Number.NaN;
  },
  set valueAsNumber(value) {
    this.value = Number.isNaN(value) ? "" : `${value}`;
  },
});

// Dialogs (https://html.spec.whatwg.org/#the-dialog-element), which nobody sees

const { HTMLDialogElement } = interfaces;
/** @type {WeakMap<object, string>} */
const returnValues = new WeakMap();
const modals = new WeakSet();
const dialogs = {
  /** @this {any} */
  show() {
    this.open = true;
  },
  /** @this {any} */
  showModal() {
    if (this.open && !modals.has(this)) throw new DOMException("the dialog is open already", "InvalidStateError");
    modals.add(this);
    this.open = true;
  },
  /** @this {any} */
  close(/** @type {unknown} */ value = undefined) {
    if (!this.open) return;
    this.open = false;
    modals.delete(this);
    if (value !== undefined) returnValues.set(this, `${value}`);
    scope.setTimeout(() => this.dispatchEvent(new interfaces.Event("close")), 0);
  },
  get returnValue() {
    return returnValues.get(this) ?? "";
  },
  set returnValue(value) {
    returnValues.set(this, `${value}`);
  },
};
for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(dialogs))) {
  defineProperty(HTMLDialogElement.prototype, name, descriptor);
}

// Constructors of elements

/** @type {(name: string, local: string, make: (element: any, values: any[]) => void) => void} */
function namedConstructor(name, local, make) {
  const factory = {
    [name]: function (/** @type {any[]} */ ...values) {
      if (new.target === undefined) throw new NativeTypeError(`${name} must be called with new`);
      const element = scope.document.createElement(local);
      make(element, values);
      return element;
    },
  }[name];
  hide(factory, "prototype", interfaces[`HTML${name}Element`].prototype);
  hide(scope, name, factory);
}
namedConstructor("Option", "option", (option, [text = "", value, isDefault = false, isSelected = false]) => {
  if (text !== "") option.text = `${text}`;
  if (value !== undefined) option.value = `${value}`;
  option.defaultSelected = !!isDefault;
  option.selected = !!isSelected;
});
namedConstructor("Image", "img", (image, [width, height]) => {
  if (width !== undefined) image.setAttribute("width", width);
  if (height !== undefined) image.setAttribute("height", height);
});
