// The one place where the realms of a page meet Python: handles for values, documents, and real tasks.
//
// It lives in a window of its own, which has opened those of the page (see bootstrap.js). Python holds numbers for whatever
// belongs to the page, so that nothing of the page is ever touched by way of a proxy; strings of JSON cross in both directions.
/** @import { Hub } from "../protocol.d.ts" */
/** @import { LocalRealm } from "./types.d.ts" */
import { setNull } from "../wire.js";
import { documentId, enterRealm, navigatorId, realmOfWindow } from "./documents.js";
import { enter, python } from "./python.js";
import { hide, show } from "./tasks.js";
import { held, hold } from "./values.js";
import { brands, wrappers } from "./verbs.js";

/** What a realm of the same origin asks for. @type {Hub} */
export const hub = setNull({
  attributes: new WeakMap(),
  fired: new WeakSet(),
  hold,
  take: held,
  brandOf: (object) => brands.get(object),
  enter: enterRealm,
  hide,
  show,
  documentId,
  navigatorId,
  realmOfWindow,
  get: (owner, name) => /** @type {object} */ (wrappers.get(enter(null, () => python.get(owner, name)))),
  call: (service, id, operation, data) =>
    enter(/** @type {LocalRealm} */ (service), () => python.call(/** @type {number} */ (id), operation, data)),
});
