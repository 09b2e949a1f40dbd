// The interfaces of the IDL, for the code that webidl/javascript.py writes.
import { isObject, list, setNull } from "../wire.js";
import { hub } from "./hub.js";
import {
  addListener,
  apply,
  construct,
  defineProperty,
  getOwnPropertyDescriptor,
  hostWindow,
  mapGet,
  mapSet,
  NativeEvent,
  NativePromise,
  NativeTypeError,
  removeListener,
  stringify,
  toStringTag,
  uncurriedGetter,
} from "./pristine.js";
import { interfaces, service } from "./service.js";

// Each throws for any other object. The simulated browser reads their values once, as they never change.
const contentType = uncurriedGetter(Document.prototype, "contentType");
const userAgent = uncurriedGetter(Navigator.prototype, "userAgent");

/** @type {(prototype: object, members: object) => void} */
export function extend(prototype, members) {
  for (const name of Object.keys(members)) {
    const descriptor = setNull(/** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(members, name)));
    descriptor.enumerable = true;
    defineProperty(prototype, name, descriptor);
  }
}

/** @type {(interfaceObject: any, name: string) => void} */
export function expose(interfaceObject, name) {
  interfaces[name] = interfaceObject;
  defineProperty(interfaceObject.prototype, toStringTag, { value: name, configurable: true });
  defineProperty(hostWindow, name, { value: interfaceObject, writable: true, configurable: true });
}

export function illegal(/** @type {string} */ name) {
  throw new NativeTypeError(`${name} cannot be constructed`);
}

/** @type {(V: unknown, name: string) => import("../protocol.d.ts").Brand} */
function brandOf(V, name) {
  const known = isObject(V) ? hub.brandOf(V) : undefined;
  if (known === undefined || known.interface !== name) throw new NativeTypeError(`this is not a ${name}`);
  return known;
}

/** @type {(V: unknown, name: string) => number | string} */
export const brand = (V, name) => brandOf(V, name).id;

/** @type {(V: unknown, name: string) => import("../protocol.d.ts").Converted} */
export function toPlatformObject(V, name) {
  const data = list();
  data[0] = "object";
  data[1] = brand(V, name);
  return data;
}

export function identifyDocument(/** @type {Document} */ V) {
  contentType(V);
  return hub.documentId(V);
}

export function identifyNavigator(/** @type {Navigator} */ V) {
  userAgent(V);
  return hub.navigatorId(V);
}

/** @type {(owner: number, interfaceName: string, name: string, type: string) => object} */
export const getObject = (owner, interfaceName, name, type) => hub.get(owner, `${interfaceName}.${name}`, type);

/** @type {(target: Function, type: string, data: any[], members: string[]) => Event} */
export function newEvent(target, type, data, members) {
  const init = { __proto__: null, bubbles: data[0], cancelable: data[1], composed: data[2] };
  const event = construct(NativeEvent, [type, init], target);
  const own = /** @type {any} */ ({ __proto__: null });
  for (let index = 3; index < members.length; index++) own[members[index]] = data[index];
  mapSet(hub.attributes, event, own);
  return event;
}

/** @type {(V: unknown, interfaceName: string, name: string) => unknown} */
export function eventAttribute(V, interfaceName, name) {
  const own = isObject(V) ? mapGet(hub.attributes, V) : undefined;
  if (own === undefined || !(name in own)) throw new NativeTypeError(`this is not a ${interfaceName}`);
  return own[name];
}

// Event handler IDL attributes (https://html.spec.whatwg.org/#event-handler-idl-attributes)

/** @type {(V: unknown, interfaceName: string, type: string) => unknown} */
export const getHandler = (V, interfaceName, type) => brandOf(V, interfaceName).handlers[type]?.callback ?? null;

/** @type {(V: any, interfaceName: string, type: string, callback: unknown) => void} */
export function setHandler(V, interfaceName, type, callback) {
  const { handlers } = brandOf(V, interfaceName);
  const known = handlers[type];
  if (!isObject(callback)) {
    if (known !== undefined) {
      removeListener(V, type, known.listener);
      delete handlers[type];
    }
  } else if (known !== undefined) {
    known.callback = callback;
  } else {
    const handler = /** @type {any} */ ({ __proto__: null, callback });
    handler.listener = function (/** @type {Event} */ event) {
      const { callback } = handler;
      if (typeof callback === "function" && apply(callback, this, [event]) === false) event.preventDefault();
    };
    handlers[type] = handler;
    addListener(V, type, handler.listener);
  }
}

// Calls

/** @type {(id: number | string, operation: string, data: unknown[]) => unknown} */
export function call(id, operation, data) {
  const result = hub.call(service, id, operation, stringify(data));
  if (result === 0) return undefined;
  const value = hub.take(result > 0 ? result : -result);
  if (result < 0) throw value;
  return value.promise;
}

export function rejectedWith(/** @type {unknown} */ error) {
  return new NativePromise((_, reject) => reject(error));
}
