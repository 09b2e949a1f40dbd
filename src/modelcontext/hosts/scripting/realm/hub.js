// What the API's own interfaces need, which are made of their IDL as for product page (page/realm).
import { idOf, interfaces } from "./interfaces.js";
/** @import { API } from "../protocol.d.ts" */
import { attributes, brandOf, decode, encode, isObject, python, realm } from "./intrinsics.js";

/** As `Hub` in page/protocol.d.ts, as far as a realm uses it here. A handle is data. @type {API["hub"]} */
const hub = {
  attributes,
  hold: (value) => (value === null ? ["null"] : encode(value)),
  take: (handle) => ({ promise: engine.held(handle) }),
  brandOf: (object) => brandOf(object) ?? undefined,
  realmOfWindow: (view) => encode(view),
  documentId: (document) => idOf(document, "Document"),
  navigatorId: (navigator) => idOf(navigator, "Navigator"),
  get: (owner, name) => decode(python("get", owner, name)),
  call: (_, id, operation, data) => python("call", /** @type {number} */ (id), operation, data),
};

realm.api = { hub, service: realm, interfaces, isObject };
