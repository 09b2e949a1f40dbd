// The one connection between the realms of a page and Python: handles for values, documents, and real tasks.
//
// It lives in a window of its own, which has opened those of the page (see bootstrap.js). Python holds numbers for all objects
// of the page, so that it never touches them through a proxy. JSON strings cross in both directions.
/** @import { Hub } from "../protocol.d.ts" */
/** @import { LocalRealm } from "./types.d.ts" */
import { setNull } from "../wire.js";
import { documentId, enterRealm, navigatorId, realmOfWindow } from "./documents.js";
import { formHub } from "./forms.js";
import { enter, python } from "./python.js";
import { hide, show } from "./tasks.js";
import { held, hold } from "./values.js";
import { brands, wrappers } from "./verbs.js";

/** The functions for realms of the same origin. @type {Hub} */
export const hub = setNull({
  attributes: new WeakMap(),
  fired: new WeakSet(),
  forms: formHub,
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
