// The API in one realm of a page. Web IDL's part is done here, in JavaScript; the algorithms run in Python, in the hub in
// another window of the same origin.
//
// A browser runs these modules once in every Window, as the body of one function, before any script of the page; after them the
// interfaces of the IDL (see products/page.py). Scripts of the page must not be able to observe this code: it takes every
// built-in before the page can replace it, and touches no value of the page except as Web IDL says.
import "./conversions.js";
import { watchTrees } from "./forms.js";
import { hub } from "./hub.js";
import "./interfaces.js";
import { addListener, defineProperty, hostWindow, isIn } from "./pristine.js";
import { service } from "./service.js";

if (hub !== null) {
  const isFired = (/** @type {Event} */ event) => isIn(hub.fired, event);
  const capture = { __proto__: null, capture: true };
  hub.enter(service);
  if (given.forms && hub.forms) watchTrees(hub.forms);
  defineProperty(
    hostWindow,
    Symbol.for("modelcontext.fired"),
    /** @type {any} */ ({ __proto__: null, value: isFired }),
  );
  addListener(hostWindow, "pagehide", (event) => hub.hide(service, event.persisted), capture);
  addListener(hostWindow, "pageshow", (event) => hub.show(service, event.persisted), capture);
}
