// What happens to the forms of pages: changes of trees, submissions and resets (see the beginning of page/forms.py).
/** @import { FormEntries, FormHub } from "../protocol.d.ts" */
/** @import { LocalRealm } from "./types.d.ts" */
import * as controls from "./controls.js";
import { beforeEntries, enter } from "./python.js";
import { hold, release } from "./values.js";

const { getter, isHTML, numberOf, realmOf, rootOf } = controls;
const TOOL = ["toolname", "tooldescription"];
const TREES = { subtree: true, childList: true, attributes: true, attributeOldValue: true };
const SPARSE = { ...TREES, attributeFilter: TOOL };
const WIDE = { ...TREES, characterData: true };
const [phaseOf, isPrevented] = [getter(Event.prototype, "eventPhase"), getter(Event.prototype, "defaultPrevented")];
const targetOf = getter(Event.prototype, "target");
const hostOf = getter(ShadowRoot.prototype, "host");
const contains = controls.method(Node.prototype.contains);
const listen = controls.method(EventTarget.prototype.addEventListener);

/** @type {FormEntries} */
let python;
const observer = new MutationObserver((records) => process(records));
/** The trees with a form that may be a tool. Others are watched only for those. @type {WeakSet<Node>} */
const wide = new WeakSet();
/** The numbers of the forms that may be tools: they have had a name. @type {Set<number>} */
const tools = new Set();
/** @type {WeakMap<Event, number>} The submissions of `submit` events, by Python's numbers; 0 if it is not an agent's. */
const submissions = new WeakMap();
/** The steps that wait for the end of an event. @type {{ event: Event, steps: () => void }[]} */
const waiting = [];
let validations = 0;
const channel = new MessageChannel();
channel.port1.onmessage = () => flush();

/** @type {(entries: FormEntries) => void} */
export function startForms(entries) {
  python = entries;
  beforeEntries(flush);
  controls.afterListeners.steps = flush;
  controls.whenForgotten((number) => {
    if (tools.delete(number)) python.forget_form(number);
  });
}

/** Tells Python of everything that has happened, in order. */
export function flush() {
  process(observer.takeRecords());
  for (let index = 0; index < waiting.length; ) {
    if (phaseOf(waiting[index].event) === Event.NONE) waiting.splice(index, 1)[0].steps();
    else index++;
  }
}

/** @type {(event: Event, steps: () => void) => void} */
function afterwards(event, steps) {
  waiting.push({ event, steps });
  channel.port2.postMessage(null);
}

/** @type {(form: Element, steps: (number: number) => void) => void} */
function tell(form, steps) {
  const service = realmOf(form);
  enter(service, () => steps(numberOf(form)));
}

const isTool = (/** @type {any} */ node) => isHTML(node, "form") && tools.has(numberOf(node));

// Trees

/** @type {(root: Document | ShadowRoot, target: EventTarget) => void} */
function watch(root, target) {
  observer.observe(root, SPARSE);
  const capture = { capture: true };
  listen(target, "submit", (/** @type {Event} */ event) => numberOfSubmission(event), capture);
  listen(target, "reset", onReset, capture);
  listen(target, "invalid", onInvalid, capture);
}

/** @type {(records: MutationRecord[]) => void} */
function process(records) {
  if (records.length === 0) return;
  const changed = new Set();
  for (let index = 0; index < records.length; index++) {
    const { type, target, removedNodes, addedNodes } = records[index];
    if (type === "childList") {
      for (const node of tools.size > 0 ? removedNodes : [])
        for (const form of formsIn(node, isTool)) formChanged(form, "removed");
      for (const node of addedNodes) for (const form of formsIn(node, mayBeTool)) formChanged(form, "");
    } else if (type === "attributes" && mayBeTool(target)) {
      formChanged(/** @type {Element} */ (target), pastOf(records, index));
    }
    if (tools.size > 0) changed.add(rootOf(target));
  }
  const trees = new Map();
  for (const number of tools) {
    const form = controls.elementOf(number);
    if (form === undefined || !controls.isConnected(form)) continue;
    const root = rootOf(form);
    if (changed.has(root)) trees.set(root, [...(trees.get(root) ?? []), form]);
  }
  for (const forms of trees.values()) {
    tell(forms[0], () => python.tree_changed(JSON.stringify(forms.map(numberOf))));
  }
}

/** @type {(form: Element, past: string) => void} */
function formChanged(form, past) {
  tools.add(numberOf(form));
  const root = rootOf(form);
  if (!wide.has(root) && controls.isConnected(form)) {
    wide.add(root);
    observer.observe(root, WIDE);
  }
  tell(form, (number) => python.changed(number, past));
}

/** @type {(node: any) => boolean} */
function mayBeTool(node) {
  return isHTML(node, "form") && (tools.has(numberOf(node)) || controls.attributeOf(node, "toolname") !== null);
}

/** The forms in a node, and in shadow trees in it. @type {(node: Node, is: (form: Element) => boolean) => Element[]} */
function formsIn(node, is) {
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  const forms = [node, ...controls.select(node, "form")].filter((one) => is(/** @type {Element} */ (one)));
  for (const number of tools) {
    const form = controls.elementOf(number);
    for (let host = form && hostAround(form); host; host = hostAround(host)) {
      if (contains(node, host)) forms.push(/** @type {Element} */ (form));
    }
  }
  return /** @type {Element[]} */ (forms);
}

/** The host of the shadow tree that an element is in. @type {(element: Element) => Element | undefined} */
function hostAround(element) {
  const root = rootOf(element);
  return root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "host" in root ? hostOf(root) : undefined;
}

/** The name of the attribute that the target of a record then lacked, or the empty string. @type {(records: MutationRecord[], index: number) => string} */
function pastOf(records, index) {
  const { target, attributeName } = records[index];
  if (attributeName === null || !TOOL.includes(attributeName)) return "";
  const next = records.slice(index + 1).find((one) => one.target === target && one.attributeName === attributeName);
  const value = next ? next.oldValue : controls.attributeOf(/** @type {Element} */ (target), attributeName);
  return value === null ? attributeName : "";
}

// Events

/** @type {(event: any) => number} */
function numberOfSubmission(event) {
  const known = submissions.get(event);
  if (known !== undefined) return known;
  const form = targetOf(event);
  // A script's own event begins nothing, and at a host outside of the form's shadow tree the form is not the target.
  if (!event.isTrusted || !isTool(form)) return 0;
  submissions.set(event, 0);
  let number = 0;
  tell(form, (id) => {
    number = python.begin_submission(id);
  });
  submissions.set(event, number);
  if (number !== 0) afterwards(event, () => tell(form, () => python.submitted(number, isPrevented(event))));
  return number;
}

/** @type {(event: any) => void} */
function onReset(event) {
  const form = targetOf(event);
  if (!event.isTrusted || !isTool(form)) return;
  afterwards(event, () => {
    if (!isPrevented(event)) tell(form, python.interrupted);
  });
}

/** Interactive validation is negative: so say `invalid` events that no script has asked for. @type {(event: any) => void} */
function onInvalid(event) {
  if (!event.isTrusted || validations > 0) return;
  const form = controls.formOf(targetOf(event));
  if (form !== null && isTool(form)) afterwards(event, () => tell(form, python.interrupted));
}

/** The functions for realms of the same origin (realm/forms.js). @type {FormHub} */
export const formHub = {
  watchRealm: (service) => watch(service.document(), service.window),
  watchShadow: (root) => watch(root, root),
  isAgentInvoked: (event) => numberOfSubmission(event) !== 0,
  respond(service, event, agentInvoked, holder) {
    const promise = hold(holder);
    const isDispatched = phaseOf(event) !== Event.NONE;
    const submission = numberOfSubmission(event);
    const state = JSON.stringify([agentInvoked, isPrevented(event), isDispatched]);
    const { id } = /** @type {LocalRealm} */ (service);
    const result = enter(/** @type {LocalRealm} */ (service), () => python.respond(submission, state, promise, id));
    if (result < 0) throw release(-result);
  },
  submitMethod(form) {
    flush();
    if (isTool(form)) tell(form, python.submit_method);
  },
  flush,
  validate(steps) {
    validations++;
    try {
      return steps();
    } finally {
      validations--;
    }
  },
};
