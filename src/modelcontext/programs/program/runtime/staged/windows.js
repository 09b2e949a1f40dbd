// The windows of the program, which the stage knows, and the cell that the documents of one event loop share; see ../windows.js.
/** @import { Cell, Spec } from "../types.d.ts" */
import { knowRealm } from "../writing.js";
import { stage } from "./stage.js";

export const ownDocument = document;
export const me = config.id;
/** @type {Record<string, Spec>} */
export const specs = Object.create(null);
for (const spec of config.documents) specs[spec.id] = spec;

/** @type {(id: string) => any} */
export const windowOf = (id) => stage("window_of", id);

/** @type {Record<string, Window>} The windows that are there, by holder. */
export const windows = new Proxy(Object.create(null), {
  ownKeys: () => stage("holders"),
  get: (_, holder) => windowOf(/** @type {string} */ (holder)),
});

/** @type {Cell} */
export const cell = config.given.cell;
cell.contexts ??= {};
cell.documents ??= {};
cell.realms ??= [];
cell.documents[me] = ownDocument;
knowRealm(cell.realms, me, window);
