// The channels for messages from a document to the window with Python.
/** @import { Introduction } from "../protocol.d.ts" */
import { list, setNull } from "../wire.js";
import {
  addListener,
  dataOf,
  documentOf,
  hostWindow,
  newId,
  parse,
  postTo,
  startPort,
  stringify,
  uncurried,
  uncurriedGetter,
} from "./pristine.js";

/**
 * A channel to send and receive text, and to report that the document goes into the back/forward cache, goes away or comes back.
 * @typedef {object} Way
 * @property {(introduction: Introduction, receive: (text: string) => void) => (text: string) => void} open returns the function that sends
 * @property {(persisted: boolean) => void} hide
 * @property {() => void} show
 */

const NativeMessageChannel = MessageChannel;

/** @returns {Way | null} */
export function findWay() {
  let root = hostWindow.top;
  while (root?.opener) root = root.opener.top;
  if (root === null) return null;
  if (root !== hostWindow.top) return hasPython(root) ? wayTo(root) : null;
  // No window has opened this page.
  return hostWindow === root ? makeMailbox() : wayTo(root);
}

/** The window with Python has a frame with a name that other origins can see. @type {(view: Window) => boolean} */
function hasPython(view) {
  try {
    return /** @type {any} */ (view)["modelcontext-hub"] !== undefined;
  } catch {
    return false;
  }
}

/** @type {(root: Window) => Way} */
function wayTo(root) {
  const { port1: port, port2 } = new NativeMessageChannel();
  const send = (/** @type {string} */ text) => postTo(port, text);
  return setNull({
    open(introduction, receive) {
      addListener(port, "message", (event) => receive(dataOf(event)));
      startPort(port);
      root.postMessage(stringify({ __proto__: null, modelcontext: introduction }), "*", [port2]);
      return send;
    },
    // If no window has opened the page, its top reports its end, before a message of a frame could arrive there.
    hide(persisted) {
      if (!persisted || root !== hostWindow.top) send(`["hide",${persisted}]`);
    },
    show() {},
  });
}

/**
 * The channel of a page that no window has opened, and which can therefore go into the back/forward cache. The page and the
 * window with Python see each other's writes into the storage of their origin. Such a write to a page in the cache waits for the
 * page; any other kind of message would evict it. Frames of the page send through its top.
 * @returns {Way | null}
 */
function makeMailbox() {
  const [setItem, getItem] = [uncurried(Storage.prototype.setItem), uncurried(Storage.prototype.getItem)];
  const removeItem = uncurried(Storage.prototype.removeItem);
  const keyOf = uncurriedGetter(StorageEvent.prototype, "key");
  const newValueOf = uncurriedGetter(StorageEvent.prototype, "newValue");
  const portsOf = uncurriedGetter(MessageEvent.prototype, "ports");
  const stateOf = uncurriedGetter(Document.prototype, "visibilityState");
  const stop = uncurried(Event.prototype.stopImmediatePropagation);
  const startsWith = uncurried(String.prototype.startsWith);
  /** @type {Storage} */
  let storage;
  try {
    storage = localStorage;
  } catch {
    return null; // The origin has no storage.
  }
  if (getItem(storage, "modelcontext-hub") === null) return null;
  const tab = getItem(sessionStorage, "modelcontext-tab") ?? newId();
  setItem(sessionStorage, "modelcontext-tab", tab);
  /** @type {Record<string, (text: string) => void>} */
  const receivers = setNull({});
  const senders = list();

  /** @type {Way["open"]} */
  function open(introduction, receive) {
    const id = newId();
    const mail = (/** @type {string} */ kind, /** @type {unknown} */ content) => {
      setItem(storage, "modelcontext-to-hub", stringify(setNull([id, kind, content])));
      removeItem(storage, "modelcontext-to-hub");
    };
    receivers[id] = receive;
    mail("open", { __proto__: null, tab, info: introduction });
    const send = (/** @type {string} */ text) => mail("text", text);
    senders[senders.length] = send;
    return send;
  }

  /** @type {(event: StorageEvent) => void} */
  function receiveMail(event) {
    if (!startsWith(keyOf(event) ?? "", "modelcontext-")) return;
    stop(event);
    if (keyOf(event) !== "modelcontext-to-pages" || newValueOf(event) === null) return;
    const [id, text] = parse(newValueOf(event));
    receivers[id]?.(text);
  }

  /** @type {(event: MessageEvent) => void} */
  function connectFrame(event) {
    const data = dataOf(event);
    if (typeof data !== "string" || !startsWith(data, '{"modelcontext":')) return;
    stop(event);
    const port = portsOf(event)[0];
    const send = open(parse(data).modelcontext, (text) => postTo(port, text));
    addListener(port, "message", (message) => send(dataOf(message)));
    startPort(port);
  }

  function toAll(/** @type {string} */ message) {
    for (let index = senders.length - 1; index >= 0; index--) senders[index](message);
  }

  addListener(hostWindow, "storage", receiveMail, true);
  addListener(hostWindow, "message", connectFrame, true);
  return setNull({
    open,
    // Runs after the page's own listeners: a page that goes away is hidden by then.
    hide(persisted) {
      const leave = () => toAll(`["hide",${persisted}]`);
      const document = documentOf(hostWindow);
      if (stateOf(document) === "hidden") leave();
      else addListener(document, "visibilitychange", leave, { __proto__: null, capture: true, once: true });
    },
    show: () => toAll('["show"]'),
  });
}
