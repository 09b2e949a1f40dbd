// What happens to the forms of pages: changes of trees, submissions and resets (see the beginning of page/page_forms.py).
/** @import { FormEntries, FormHub, TreeWatcher } from "../protocol.d.ts" */
/** @import { LocalRealm } from "./types.d.ts" */
import * as controls from "./controls.js";
import { beforeEntries, enter } from "./python.js";
import { hold, release } from "./values.js";

const { getter, isHTML, items, numberOf, realmOf, rootOf } = controls;
const TOOL = ["toolname", "tooldescription"];
const TREES = { subtree: true, childList: true, attributes: true, attributeOldValue: true };
const REMOVED = JSON.stringify("removed");
const SPARSE = { ...TREES, attributeFilter: TOOL };
const WIDE = { ...TREES, characterData: true };
const [phaseOf, isPrevented] = [getter(Event.prototype, "eventPhase"), getter(Event.prototype, "defaultPrevented")];
const targetOf = getter(Event.prototype, "target");
const shadowRootOf = getter(Element.prototype, "shadowRoot");
const documentURL = getter(Document.prototype, "URL");
const hostOf = getter(ShadowRoot.prototype, "host");
const contains = controls.method(Node.prototype.contains);

/** @type {FormEntries} */
let python;
/** Each realm sees its own trees: a node that another one meets first would get that one's prototypes. @type {Map<LocalRealm, TreeWatcher>} */
const watchers = new Map();
/** The trees with a form that may be a tool. Others are watched only for those. @type {WeakSet<Node>} */
const wide = new WeakSet();
/** The shadow trees that are watched. @type {WeakSet<Node>} */
const shadows = new WeakSet();
/** The realms whose window may still get another document, with the initial one. @type {Map<LocalRealm, Document>} */
const initial = new Map();
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

/** A Window can survive the change from the initial about:blank document to the loaded one, which is watched then. */
function watchLoadedDocuments() {
  for (const [service, document] of initial) {
    const loaded = documentOf(service);
    if (loaded === null) {
      initial.delete(service);
    } else if (loaded !== document) {
      initial.delete(service);
      watchers.get(service)?.observe(loaded, SPARSE);
      for (const form of controls.select(loaded, "form").filter(mayBeTool)) formChanged(form, "");
    } else if (service.gone) {
      initial.delete(service);
    }
  }
}

/** Null if the window has got a document of another origin. @type {(service: LocalRealm) => Document | null} */
function documentOf(service) {
  try {
    return service.document();
  } catch {
    return null;
  }
}

/** Tells Python of everything that has happened, in order. */
export function flush() {
  watchLoadedDocuments();
  process(takeRecords());
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

/** @type {(service: LocalRealm, root: Node, target: EventTarget) => void} */
function watch(service, root, target) {
  const watcher = /** @type {TreeWatcher} */ (watchers.get(service));
  watcher.observe(root, SPARSE);
  watcher.listen(target);
}

/** @type {(root: ShadowRoot) => void} */
function watchShadow(root) {
  const service = realmOf(root);
  if (service === null || shadows.has(root)) return;
  shadows.add(root);
  watch(service, root, root);
}

/** @type {() => MutationRecord[]} */
function takeRecords() {
  const records = [];
  for (const [service, watcher] of watchers) {
    if (service.gone) watchers.delete(service);
    else records.push(...items(watcher.takeRecords()));
  }
  return records;
}

/**
 * Tells Python of changes. In a move, what is removed comes back at once.
 * @type {(records: MutationRecord[], isMove?: boolean) => void}
 */
function process(records, isMove = false) {
  if (records.length === 0) return;
  const changed = new Set();
  for (let index = 0; index < records.length; index++) {
    const { type, target, removedNodes, addedNodes } = records[index];
    if (type === "childList") {
      for (const node of tools.size > 0 && !isMove ? items(removedNodes) : [])
        for (const form of formsIn(node, isTool)) formChanged(form, REMOVED);
      for (const node of items(addedNodes)) {
        for (const form of [...formsIn(node, mayBeTool), ...formsInParsedShadow(node)]) formChanged(form, "");
      }
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
    const service = realmOf(form);
    if (service !== null) watchers.get(service)?.observe(root, WIDE);
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

/** The forms in the open shadow trees that the parser has made in a node. @type {(node: Node) => Element[]} */
function formsInParsedShadow(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return [];
  const forms = [];
  for (const element of [node, ...controls.select(node, "*")]) {
    const root = shadowRootOf(element);
    if (root === null || shadows.has(root)) continue;
    watchShadow(root);
    forms.push(...controls.select(root, "form").filter(mayBeTool));
  }
  return forms;
}

/** The host of the shadow tree that an element is in. @type {(element: Element) => Element | undefined} */
function hostAround(element) {
  const root = rootOf(element);
  return root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "host" in root ? hostOf(root) : undefined;
}

/** The attribute that a record is about, with its value then, as JSON. @type {(records: MutationRecord[], index: number) => string} */
function pastOf(records, index) {
  const { target, attributeName } = records[index];
  if (attributeName === null || !TOOL.includes(attributeName)) return "";
  const next = records.slice(index + 1).find((one) => one.target === target && one.attributeName === attributeName);
  const value = next ? next.oldValue : controls.attributeOf(/** @type {Element} */ (target), attributeName);
  return JSON.stringify([attributeName, value]);
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
  watchRealm(service, watcher) {
    const document = service.document();
    const local = /** @type {LocalRealm} */ (service);
    watchers.set(local, watcher);
    watch(local, document, service.window);
    if (documentURL(document) === "about:blank") initial.set(local, document);
  },
  watchShadow,
  process: (records) => process(items(records)),
  onSubmit: numberOfSubmission,
  onReset,
  onInvalid,
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
  move(steps) {
    flush();
    const moved = steps();
    process(takeRecords(), true);
    return moved;
  },
  validate(steps) {
    validations++;
    try {
      return steps();
    } finally {
      validations--;
    }
  },
};
