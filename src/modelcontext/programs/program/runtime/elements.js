// The steps about elements and their events, as element_operations.py has them in the model.
/** @import { Operation, Step } from "./types.d.ts" */

import { Broken } from "./broken.js";
import { apply, construct, getOwnPropertyDescriptor, getter, hasOwn, keysOf, listenTo } from "./pristine.js";
import { cell, me } from "./windows.js";

// Copies, since the prototypes are in reach of programs; the names of the members of one function have to differ.
const ofElements = { ...methodsOf(Element.prototype), ...methodsOf(HTMLElement.prototype) };
const ofForms = methodsOf(HTMLFormElement.prototype);
const { getElementById } = Document.prototype;
const { dispatchEvent } = EventTarget.prototype;
const optionsOf = getter(HTMLSelectElement.prototype, "options");
const NativeEvent = Event;

/** @type {(prototype: object) => Record<string, any>} */
function methodsOf(prototype) {
  /** @type {Record<string, any>} */
  const methods = {};
  for (const key of keysOf(prototype)) {
    const descriptor = getOwnPropertyDescriptor(prototype, key);
    if (descriptor !== undefined && hasOwn(descriptor, "value")) methods[key] = descriptor.value;
  }
  return methods;
}

/** @type {Record<string, any>} The elements that steps have named, by document and ID: a removed one is still in reach. */
const knownElements = Object.create(null);
/** @type {Record<string, any>} By the label of a listener: the last event that it has handled. */
const handledEvents = Object.create(null);
/** @type {any} The event that is being handled. */
let handled;

/** @type {(step: Step, key?: string) => any} */
function elementOf(step, key = "element") {
  const document = step.on ?? me;
  if (!hasOwn(cell.documents, document))
    throw new Broken(`the document ${me} cannot reach the elements of ${document}`);
  const id = step.arguments[key];
  const known = `${document} ${id}`;
  knownElements[known] = apply(getElementById, cell.documents[document], [id]) ?? knownElements[known] ?? null;
  return knownElements[known];
}

/** @type {(target: unknown) => string | null} */
const idOf = (target) => (target instanceof Element ? apply(ofElements.getAttribute, target, ["id"]) : null);

/** @type {(data: Record<string, any>) => any} */
const eventOf = (data) => (hasOwn(data, "event") ? handledEvents[data.event] : handled);

/** @type {(event: any) => object} */
function elementEventAttributes(event) {
  const [at, target] = [idOf(event.currentTarget), idOf(event.target)];
  const tag = Object.prototype.toString;
  return {
    at,
    ...(target === at ? {} : { target }),
    interface: apply(tag, event, []).slice(8, -1),
    ...("agentInvoked" in event ? { agentInvoked: event.agentInvoked } : {}),
    ...("submitter" in event ? { submitter: idOf(event.submitter) } : {}),
  };
}

/** @type {(element: any, data: Record<string, any>) => void} */
function assign(element, data) {
  if (hasOwn(data, "value")) element.value = data.value;
  if (hasOwn(data, "checked")) element.checked = data.checked;
  if (hasOwn(data, "selected")) {
    for (const option of apply(optionsOf, element, [])) option.selected = data.selected.includes(option.value);
  }
}

/**
 * Returns the operations on elements.
 * @param {(entry: object) => void} record
 * @param {(value: unknown) => unknown} written
 * @param {(steps?: Step[]) => void} runNested
 * @param {(data: any) => any} make
 * @returns {Record<string, Operation>}
 */
export function elementOperations(record, written, runNested, make) {
  return {
    setAttribute: (data, step) => apply(ofElements.setAttribute, elementOf(step), [data.name, data.value]),
    removeAttribute: (data, step) => apply(ofElements.removeAttribute, elementOf(step), [data.name]),
    insertAdjacentHTML: (data, step) =>
      apply(ofElements.insertAdjacentHTML, elementOf(step), [data.position ?? "beforeend", data.html]),
    append: (_, step) => apply(ofElements.append, elementOf(step), [elementOf(step, "child")]),
    remove: (_, step) => apply(ofElements.remove, elementOf(step), []),
    fill(data, step) {
      const element = elementOf(step);
      assign(element, data);
      apply(dispatchEvent, element, [construct(NativeEvent, ["input", { bubbles: true, composed: true }])]);
      apply(dispatchEvent, element, [construct(NativeEvent, ["change", { bubbles: true }])]);
    },
    click: (_, step) => apply(ofElements.click, elementOf(step), []),
    reset: (_, step) => apply(ofForms.reset, elementOf(step), []),
    requestSubmit(data, step) {
      const submitter = hasOwn(data, "submitter") ? [elementOf(step, "submitter")] : [];
      apply(ofForms.requestSubmit, elementOf(step), submitter);
    },
    submit: (_, step) => apply(ofForms.submit, elementOf(step), []),
    matches(data, step) {
      record({ step: step.label, value: apply(ofElements.matches, elementOf(step), [data.selector]) });
    },
    get(data, step) {
      record({ step: step.label, value: written(elementOf(step)[data.path[0]]) });
    },
    listen(data, step) {
      const handle = (/** @type {any} */ event) => {
        const outer = handled;
        handled = event;
        handledEvents[step.label] = event;
        record({ event: event.type, via: "listener", ...elementEventAttributes(event) });
        runNested(data.steps);
        handled = outer;
      };
      listenTo(elementOf(step), data.type, handle);
    },
    preventDefault: (data) => eventOf(data).preventDefault(),
    respondWith: (data) => eventOf(data).respondWith(...(hasOwn(data, "value") ? [make(data.value)] : [])),
  };
}
