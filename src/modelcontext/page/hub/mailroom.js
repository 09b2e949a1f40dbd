// The pages that no window has opened, as the window with Python knows them: by what they write into the storage of its origin
// (makeMailbox() in realm/ways.js).
//
// There is no way to their windows. A stand-in for each has what the hub asks a window for: what is around it, and what is in it.
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
  // A document that comes has no frames; one that comes back has those that it had.
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
