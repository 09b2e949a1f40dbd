// Members of the platform's interfaces that are not here: they read as undefined, keep what a script assigns to them, and the
// report of the run names them. Accessors on every prototype would cost each realm a quarter of its time.
import { brandOf, decode, description, getPrototypeOf, isObject, python, realm } from "./intrinsics.js";

/** The interfaces by name. @type {Record<string, string | null>} */
const parents = /** @type {any} */ ({ __proto__: null });
for (const { name, inherits } of description.interfaces) parents[name] = inherits;

/** Reports a member if the published IDL gives it to the interface of an object. @type {(value: object, key: string) => void} */
function reportIfLacking(value, key) {
  let name = brandOf(value)?.interface ?? null;
  while (name !== null && name in parents) {
    if (description.unimplemented[name]?.includes(key)) {
      python("missing", realm.id, name === "Window" ? key : `${name}.${key}`);
      return;
    }
    name = parents[name];
  }
}

/**
 * A control of a form, or a form or an image of the document, by its name. (In HTML these names go before members.)
 * @type {(object: any, key: string) => object | undefined}
 */
function namedOf(object, key) {
  const name = brandOf(object)?.interface;
  if (name === "HTMLFormElement") return Object.hasOwn(object.elements, key) ? object.elements[key] : undefined;
  if (name !== "HTMLDocument") return undefined;
  const found = decode(python("named_on_window", realm.id, key));
  return isObject(found) && brandOf(found)?.interface.startsWith("HTML") && found.getAttribute("name") === key
    ? found
    : undefined;
}

/**
 * The prototype of all prototypes without an inherited interface, before Object.prototype. A property that no object has
 * ends here, whether it is read or assigned.
 */
export const lacking = new Proxy(
  {},
  {
    get(target, key, receiver) {
      const named =
        typeof key === "string" && !(key in target) && isObject(receiver) ? namedOf(receiver, key) : undefined;
      if (named !== undefined) return named;
      if (typeof key === "string" && !(key in target) && isObject(receiver)) reportIfLacking(receiver, key);
      return Reflect.get(target, key, receiver);
    },
    set(target, key, value, receiver) {
      if (typeof key === "string" && !(key in target) && isObject(receiver)) reportIfLacking(receiver, key);
      return Reflect.set(target, key, value, receiver);
    },
    // What scripts put on it would be seen by objects of all interfaces.
    defineProperty: () => false,
    setPrototypeOf: (target, prototype) => prototype === getPrototypeOf(target),
  },
);
