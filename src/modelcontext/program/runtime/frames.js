// The frames and popups of this document.
import { Broken } from "./broken.js";
import { apply, listenTo } from "./pristine.js";
import { cell, ownDocument, ownWindow, specs, windows } from "./windows.js";

const { createElement } = Document.prototype;
const { append } = Element.prototype;
const openWindow = open;

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

export function openPopup(/** @type {string} */ id) {
  const popup = apply(openWindow, ownWindow, [specs[id].url, "_blank"]);
  if (!popup) throw new Broken(`the browser opened no window for the document ${id}`);
  windows[id] = popup;
}
