// Realms, documents and windows, by the numbers that Python knows them by.
/** @import { AnyRealm, BareRealm, DocumentRecord, LocalRealm, RemoteRealm } from "./types.d.ts" */
/** @import { RealmService } from "../protocol.d.ts" */

const { getPrototypeOf } = Reflect;
/** @type {(prototype: object, name: string) => (this: unknown) => any} */
const getter = (prototype, name) => /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
const viewGetter = getter(Document.prototype, "defaultView");
const policyGetter = getter(Document.prototype, "featurePolicy");
const frameElement = getter(window, "frameElement");
const query = Document.prototype.querySelectorAll;
const rootOf = (/** @type {Node} */ node) => Node.prototype.getRootNode.call(node);
/** @type {Record<string, any>} */
const contentWindows = {
  __proto__: null,
  iframe: getter(HTMLIFrameElement.prototype, "contentWindow"),
  frame: getter(HTMLFrameElement.prototype, "contentWindow"),
  object: getter(HTMLObjectElement.prototype, "contentWindow"),
};

/** @type {any[]} */
export const realms = [null];
/** @type {any[]} */
export const documents = [null];
/** @type {any[]} */
const windows = [null];
/** @type {WeakMap<object, LocalRealm>} */
const realmOfPrototype = new WeakMap();
/** @type {WeakMap<object, LocalRealm>} */
const realmOfFunctions = new WeakMap();
/** @type {WeakMap<object, LocalRealm>} */
const realmOfNavigator = new WeakMap();
/** @type {Map<Window | null, BareRealm>} */
const bareRealms = new Map();
/** @type {Map<Window, LocalRealm>} */
const locals = new Map();
/** @type {Map<Window, RemoteRealm>} */
export const remotes = new Map();
/** @type {WeakMap<Document, number>} */
const documentIds = new WeakMap();
/** @type {Map<Window, number>} */
const windowIds = new Map();

export function enterRealm(/** @type {RealmService} */ entered) {
  const service = /** @type {LocalRealm} */ (entered);
  service.id = realms.push(service) - 1;
  for (const prototype of service.prototypes) realmOfPrototype.set(prototype, service);
  for (const prototype of service.functions) realmOfFunctions.set(prototype, service);
  realmOfNavigator.set(service.navigator, service);
  locals.set(service.window, service);
}

export function enterRemote(/** @type {RemoteRealm} */ service) {
  service.id = realms.push(service) - 1;
  remotes.set(service.window, service);
}

/** @type {(object: object, known: WeakMap<object, LocalRealm>) => LocalRealm | undefined} */
function onChain(object, known) {
  for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
    const found = known.get(prototype);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const realmOfFunction = (/** @type {object} */ callback) => onChain(callback, realmOfFunctions)?.id;

export const navigatorId = (/** @type {Navigator} */ navigator) =>
  /** @type {LocalRealm} */ (realmOfNavigator.get(navigator)).id;

/** The realm of a window without a front end; null stands for a window that is gone. @type {(view: Window | null) => BareRealm} */
export function bareRealm(view) {
  let service = bareRealms.get(view);
  if (service === undefined) {
    service = /** @type {any} */ ({ __proto__: null, window: view, bare: true, document: () => null });
    bareRealms.set(view, /** @type {BareRealm} */ (service));
    /** @type {BareRealm} */ (service).id = realms.push(service) - 1;
  }
  return /** @type {BareRealm} */ (service);
}

/** @type {(document: Document | null, service: AnyRealm) => number} */
function newDocument(document, service) {
  const id = documents.length;
  documents.push({ __proto__: null, id, document, service, cached: false, waiting: [] });
  return id;
}

export function documentId(/** @type {Document} */ document) {
  let id = documentIds.get(document);
  // Other documents can see this one before its own script has registered its realm. Nothing has happened to it so far.
  if (id === undefined || documents[id].service.bare) {
    const service = onChain(document, realmOfPrototype);
    if (id === undefined || service !== undefined) {
      id = newDocument(document, service ?? bareRealm(viewGetter.call(document)));
      documentIds.set(document, id);
    }
  }
  return id;
}

/** @type {(view: Window) => Document | null} */
function documentIn(view) {
  try {
    return view.document ?? null;
  } catch {
    // Another origin, or document.domain was set there after the realm was registered.
    const service = locals.get(view);
    return service === undefined || service.gone ? null : service.document();
  }
}

/** @type {(view: Window) => AnyRealm} */
function serviceOf(view) {
  const document = documentIn(view);
  return document === null ? (remotes.get(view) ?? bareRealm(view)) : documents[documentId(document)].service;
}

export const realmOfWindow = (/** @type {Window} */ view) => serviceOf(view).id;

/** A Window can survive the change from the initial about:blank document to the loaded one. @type {(service: AnyRealm) => number} */
export function documentIdOf(service) {
  if (service.bare || service.port) return (service.documentId ??= newDocument(null, service));
  const document = documentIn(service.window);
  if (document !== null && onChain(document, realmOfPrototype) === service) service.last = document;
  return documentId(service.last ?? service.document());
}

/** @type {(service: AnyRealm) => DocumentRecord} */
export const recordOf = (service) => documents[documentIdOf(service)];

/** @type {(view: Window) => number} */
function windowId(view) {
  let id = windowIds.get(view);
  if (id === undefined) {
    id = windows.push(view) - 1;
    windowIds.set(view, id);
  }
  return id;
}

/** The window that a document is active in. @type {(record: DocumentRecord) => Window | null} */
function viewOf({ document, service, cached }) {
  if (cached) return null;
  if (document !== null) return viewGetter.call(document);
  return service.port && !service.gone && (service.leaving || !service.window.closed) ? service.window : null;
}

export const isFullyActive = (/** @type {DocumentRecord} */ record) => viewOf(record) !== null;

/** @type {(record: DocumentRecord, feature: string) => boolean} */
export function isAllowed(record, feature) {
  if (!isFullyActive(record)) return false;
  if (record.document === null) return /** @type {RemoteRealm} */ (record.service).features.includes(feature);
  const policy = policyGetter.call(record.document);
  return policy.features().includes(feature) ? policy.allowsFeature(feature) : isWithoutOthers(viewOf(record));
}

/** What the default allowlist 'self' allows, for a feature that the browser does not know. @type {(view: any) => boolean} */
function isWithoutOthers(view) {
  for (let inner = view; inner.parent !== inner; inner = inner.parent) {
    if (frameElement.call(inner) === null) return false; // The parent is of another origin.
  }
  return true;
}

/** The number of the navigable of a document; 0 if it is not active. @type {(record: DocumentRecord) => number} */
export function navigableOf(record) {
  const view = viewOf(record);
  return view === null ? 0 : windowId(view);
}

/** A window that is gone has no top, but the message that its document leaves may arrive only now. @type {(id: number) => number} */
export const topOf = (id) => windowId(windows[id].top ?? remotes.get(windows[id])?.top ?? windows[id]);

/** @type {(id: number) => number} */
export function activeDocument(id) {
  const record = recordOf(serviceOf(windows[id]));
  return isFullyActive(record) ? record.id : 0;
}

/** The navigables in a document, in tree order, after its own. @type {(record: DocumentRecord) => number[]} */
export function inclusiveDescendants(record) {
  const view = viewOf(record);
  return view === null ? [] : [...descendants(view)].map(windowId);
}

/** @type {(view: Window) => Generator<Window>} */
function* descendants(view) {
  yield view;
  const document = documentIn(view);
  if (document !== null) {
    for (const child of childViews(document)) yield* descendants(child);
  } else {
    for (let index = 0; index < view.length; index++) yield* descendants(view[index]);
  }
}

/**
 * The frames of a document in shadow-including tree order. Frames in a shadow tree, which may be closed, are found through
 * their windows.
 * @type {(document: Document) => Window[]}
 */
function childViews(document) {
  /** @type {Element[]} */
  const elements = [...query.call(document, "iframe, frame, object")];
  const inShadows = [];
  for (const service of realms) {
    const element = service === null || service.bare ? null : elementOf(service.window);
    if (element !== null && rootOf(element) !== document && rootOf(hostsOf(element)[0]) === document) {
      inShadows.push(element);
    }
  }
  if (inShadows.length > 0) {
    elements.push(...new Set(inShadows));
    elements.sort(byTreeOrder);
  }
  return elements.map((element) => contentWindows[element.localName].call(element)).filter((view) => view !== null);
}

/** @type {(view: Window) => Element | null} */
function elementOf(view) {
  try {
    return frameElement.call(view);
  } catch {
    return null; // The parent is of another origin.
  }
}

/** An element, after the hosts of the shadow trees around it. @type {(element: Element) => Element[]} */
function hostsOf(element) {
  const hosts = [element];
  const isShadow = (/** @type {any} */ root) => root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && root.host;
  for (let root = rootOf(element); isShadow(root); root = rootOf(hosts[0])) {
    hosts.unshift(/** @type {ShadowRoot} */ (root).host);
  }
  return hosts;
}

/** @type {(a: Element, b: Element) => number} */
function byTreeOrder(a, b) {
  const [left, right] = [hostsOf(a), hostsOf(b)];
  for (let index = 0; index < left.length && index < right.length; index++) {
    if (left[index] === right[index]) continue;
    return left[index].compareDocumentPosition(right[index]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  }
  return left.length - right.length;
}
