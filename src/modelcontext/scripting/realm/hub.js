// What the API's own interfaces need, which are made of their IDL as for product page (page/realm).
import { interfaces } from "./interfaces.js";
import { attributes, brandOf, decode, encode, isObject, python, realm } from "./intrinsics.js";

/** As `Hub` in page/protocol.d.ts, as far as a realm uses it here. A handle is data. */
const hub = {
  attributes,
  hold: (value) => (value === null ? ["null"] : encode(value)),
  take: (handle) => ({ promise: given.held(handle) }),
  brandOf: (object) => brandOf(object) ?? undefined,
  realmOfWindow: (view) => encode(view),
  documentId: (document) => brandOf(document).id,
  navigatorId: (navigator) => brandOf(navigator).id,
  get: (owner, name) => decode(python("get", owner, name)),
  call: (_, id, operation, data) => python("call", id, operation, data),
};

realm.api = { hub, service: realm, interfaces, isObject };
