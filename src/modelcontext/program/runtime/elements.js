// The steps about elements and their events, as element_operations.py has them in the model.
/** @import { Operation, Step } from "./types.d.ts" */
import { apply, construct, getOwnPropertyDescriptor, getter, hasOwn, keysOf, listenTo } from "./pristine.js";
import { ownDocument } from "./windows.js";

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

/** @type {Record<string, any>} The elements that steps have named, by ID: a removed one is still in reach. */
const knownElements = Object.create(null);
/** @type {Record<string, any>} By the label of a listener: the last event that it has handled. */
const handledEvents = Object.create(null);
/** @type {any} The event that is being handled. */
let handled;

/** @type {(id: string) => any} */
const elementOf = (id) => (knownElements[id] = apply(getElementById, ownDocument, [id]) ?? knownElements[id] ?? null);

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
    setAttribute: (data) => apply(ofElements.setAttribute, elementOf(data.element), [data.name, data.value]),
    removeAttribute: (data) => apply(ofElements.removeAttribute, elementOf(data.element), [data.name]),
    insertAdjacentHTML: (data) =>
      apply(ofElements.insertAdjacentHTML, elementOf(data.element), [data.position ?? "beforeend", data.html]),
    append: (data) => apply(ofElements.append, elementOf(data.element), [elementOf(data.child)]),
    remove: (data) => apply(ofElements.remove, elementOf(data.element), []),
    fill(data) {
      const element = elementOf(data.element);
      assign(element, data);
      apply(dispatchEvent, element, [construct(NativeEvent, ["input", { bubbles: true, composed: true }])]);
      apply(dispatchEvent, element, [construct(NativeEvent, ["change", { bubbles: true }])]);
    },
    click: (data) => apply(ofElements.click, elementOf(data.element), []),
    reset: (data) => apply(ofForms.reset, elementOf(data.element), []),
    requestSubmit(data) {
      const submitter = hasOwn(data, "submitter") ? [elementOf(data.submitter)] : [];
      apply(ofForms.requestSubmit, elementOf(data.element), submitter);
    },
    submit: (data) => apply(ofForms.submit, elementOf(data.element), []),
    matches(data, step) {
      record({ step: step.label, value: apply(ofElements.matches, elementOf(data.element), [data.selector]) });
    },
    get(data, step) {
      record({ step: step.label, value: written(elementOf(data.element)[data.path[0]]) });
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
      listenTo(elementOf(data.element), data.type, handle);
    },
    preventDefault: (data) => eventOf(data).preventDefault(),
    respondWith: (data) => eventOf(data).respondWith(...(hasOwn(data, "value") ? [make(data.value)] : [])),
  };
}
