// The windows of the program, and the cell that the documents of one event loop share.
/** @import { Cell, Spec } from "./types.d.ts" */
import { Broken } from "./broken.js";
import { apply, getter, hasOwn, some } from "./pristine.js";
import { knowRealm } from "./writing.js";

const contentWindow = getter(HTMLIFrameElement.prototype, "contentWindow");

// Taken at the start: the globals may lead to another document, or to none, when this one has gone.
export const [ownWindow, ownDocument, ownHistory, ownLocation] = [window, document, history, location];

export const me = config.id;
/** @type {Record<string, Spec>} */
export const specs = Object.create(null);
for (const spec of config.documents) specs[spec.id] = spec;
export const holderOf = (/** @type {string} */ id) => specs[id].holder;

// The windows of the program's own tops: that of this document, of its opener, and so on. They need not be the top of the
// tab, because a program may run in a frame of another page.
/** @type {Window[]} */
const tops = [];
for (const climb of config.climbs) {
  /** @type {Window} */
  let outer = tops.length === 0 ? window : tops[tops.length - 1].opener;
  if (!outer?.top) break;
  for (let levels = 0; levels < climb; levels++) outer = outer.parent;
  tops[tops.length] = outer;
}
export const coordinatorWindow = tops[tops.length - 1];

/** @type {Record<string, Window>} By holder. */
export const windows = Object.create(null);
// True for a document that is shown while top is in the back/forward cache, out of reach of all others.
export const isAway = Boolean(specs[me].tab);
export const leaves = some(config.documents, (spec) => spec.tab);
windows.top = coordinatorWindow;
windows[holderOf(me)] = window;
const { opener } = specs[me];
if (opener) windows[holderOf(opener)] = window.opener;

/** @type {(id: string) => any} */
export function windowOf(id) {
  const holder = holderOf(id);
  if (!windows[holder]) {
    const { parent } = specs[holder];
    if (hasOwn(cell.frames, holder)) windows[holder] = apply(contentWindow, cell.frames[holder], []);
    else if (parent) windows[holder] = windowOf(parent)[`modelcontext-${holder}`];
    if (!windows[holder]) throw new Broken(`the document ${me} cannot reach the window of ${id}`);
  }
  return windows[holder];
}

/** Returns the initial documents whose windows this one can reach. Looked up once, they stay known when removed. */
export function reachable() {
  const found = [];
  for (const { id, later } of config.documents) {
    try {
      if (!later && windowOf(id)) found[found.length] = id;
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
  }
  return found;
}

const cellKey = Symbol.for("modelcontext.cell");

/** @type {Cell} */
export const cell = findCell() ?? {
  id: me,
  sequence: 0,
  contexts: {},
  documents: {},
  realms: [],
  frames: {},
  posts: [],
  coordinate: null,
  passed: {},
};
window[cellKey] = cell;
cell.documents[me] = ownDocument;
knowRealm(cell.realms, me, window);

function findCell() {
  // Alone, it has no cell to look for.
  const isAlone = !some(config.documents, (spec) => spec.id !== me && spec.origin === specs[me].origin);
  for (const view of isAlone ? [] : everyWindow()) {
    try {
      if (view[cellKey]) return view[cellKey];
    } catch {
      // Another origin.
    }
  }
  return undefined;
}

function everyWindow() {
  /** @type {any[]} */
  const found = [];
  const visit = (/** @type {Window} */ view) => {
    found[found.length] = view;
    for (let index = 0; index < view.length; index++) visit(view[index]);
  };
  for (const view of tops) visit(view);
  return found;
}
