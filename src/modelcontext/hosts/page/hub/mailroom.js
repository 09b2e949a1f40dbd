// Pages that no window has opened. The window with Python knows them by their writes into the storage of its origin
// (makeMailbox() in realm/ways.js).
//
// Their windows cannot be reached. A stand-in for each has the properties that the hub reads: its parents and its frames.
/** @import { Introduction, WindowPath } from "../protocol.d.ts" */
import { connect } from "./elsewhere.js";

/** @type {Map<string, any>} */
const tabs = new Map();
/** @type {Map<string, any>} */
const ports = new Map();

/** @param {any} [outer] */
function standIn(outer) {
  const view = new Proxy(/** @type {any} */ ({ __proto__: null, frames: [], closed: false }), {
    get: (target, key) => (key === "length" ? target.frames.length : key in target ? target[key] : target.frames[key]),
  });
  view.parent = outer ?? view;
  view.top = outer?.top ?? view;
  return view;
}

/** @type {(tab: string, path: WindowPath) => any} */
function viewAt(tab, path) {
  if (!tabs.has(tab)) tabs.set(tab, standIn());
  let view = tabs.get(tab);
  for (const index of path) {
    while (view.length <= index) view.frames.push(standIn(view));
    view = view[index];
  }
  return view;
}

/** @type {(id: string, mail: { tab: string, info: Introduction }) => void} */
function open(id, { tab, info }) {
  const view = viewAt(tab, info.path);
  // A new document has no frames; one that comes back has its earlier frames.
  /** @type {any[]} */
  const frames = [];
  view.frames = frames;
  const port = {
    postMessage(/** @type {string} */ text) {
      localStorage.setItem("modelcontext-to-pages", JSON.stringify([id, text]));
      localStorage.removeItem("modelcontext-to-pages");
    },
    onshow() {
      view.frames = frames;
    },
  };
  ports.set(id, port);
  connect(view, port, info);
}

export function openMailroom() {
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== "modelcontext-to-hub" || newValue === null) return;
    const [id, kind, content] = JSON.parse(newValue);
    if (kind === "open") open(id, content);
    else ports.get(id)?.onmessage({ data: content });
  });
  localStorage.setItem("modelcontext-hub", "");
}
