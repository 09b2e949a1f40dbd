// What a script does to the documents of its program: frames, popups, and the document of its own tab.
import { Broken } from "./broken.js";
import { sendLetters } from "./post.js";
import { apply, getter, listenTo } from "./pristine.js";
import {
  cell,
  holderOf,
  ownDocument,
  ownHistory,
  ownLocation,
  ownWindow,
  specs,
  windowOf,
  windows,
} from "./windows.js";

const { createElement } = Document.prototype;
const { append, remove } = Element.prototype;
const isConnected = getter(Node.prototype, "isConnected");
const { back } = History.prototype;
const openWindow = window.open;

/** @type {Record<string, () => void>} The callbacks for loaded popups, by document. */
export const popups = Object.create(null);

/** @type {(id: string, loaded?: () => void) => void} */
export function makeFrame(id, loaded) {
  const spec = specs[id];
  const frame = /** @type {HTMLIFrameElement} */ (apply(createElement, ownDocument, ["iframe"]));
  frame.name = `modelcontext-${id}`;
  if (spec.allow !== null) frame.allow = spec.allow;
  if (spec.sandbox !== null) frame.setAttribute("sandbox", spec.sandbox);
  frame.src = spec.url;
  cell.frames[id] = frame;
  if (loaded) listenTo(frame, "load", loaded, { once: true });
  apply(append, ownDocument.body, [frame]);
}

/** Returns whether the frame of a document has not been removed. */
export const hasFrame = (/** @type {string} */ id) => apply(isConnected, cell.frames[holderOf(id)], []);

export function removeFrame(/** @type {string} */ id) {
  apply(remove, cell.frames[holderOf(id)], []);
}

/** @type {(id: string, to: string, loaded: () => void) => void} */
export function navigateFrame(id, to, loaded) {
  const frame = cell.frames[holderOf(id)];
  listenTo(frame, "load", loaded, { once: true });
  frame.src = specs[to].url;
}

export function openPopup(/** @type {string} */ id) {
  const popup = apply(openWindow, ownWindow, [specs[id].url, "_blank"]);
  if (!popup) throw new Broken(`the browser opened no window for the document ${id}`);
  windows[id] = popup;
}

/** @type {(id: string, loaded: () => void) => void} */
export function open(id, loaded) {
  popups[id] = loaded;
  openPopup(id);
}

export function closeWindow(/** @type {string} */ id) {
  windowOf(id).close();
}

/**
 * Leads the tab to another document, and calls `shown` when this one comes back.
 * @type {(id: string, shown: () => void) => void}
 */
export function leave(id, shown) {
  const come = () => {
    sendLetters();
    shown();
  };
  listenTo(ownWindow, "pageshow", come, { once: true });
  ownLocation.href = specs[id].url;
}

export function goBack() {
  apply(back, ownHistory, []);
}

/** @type {(type: string, listener: () => void) => void} */
export const onPageTransition = (type, listener) => listenTo(ownWindow, type, listener);
