// The interfaces of the platform, made of their description in IDL (see interfaces.py). What a member does is Python's.
/** @import { Attribute, Data, Interface, Operation, Parameter, Type } from "../protocol.d.ts" */
import {
  accessor,
  attributes,
  brandOf,
  createMember,
  decode,
  defineProperty,
  description,
  encode,
  hide,
  identify,
  isObject,
  iterator,
  NativePromise,
  NativeTypeError,
  python,
  realm,
  scope,
  setPrototypeOf,
  toStringTag,
} from "./intrinsics.js";
import { lacking } from "./lacking.js";

/** The interface objects, by name. @type {Record<string, any>} */
export const interfaces = /** @type {any} */ ({ __proto__: null });
/** The names of an interface and of all that it inherits from, by name. @type {Record<string, string[]>} */
const lineages = /** @type {any} */ ({ __proto__: null });
/** @type {string[]} */
const own = [];
/** The values of constant attributes that have been read, by object and attribute. @type {WeakMap<object, Record<string, any>>} */
const constants = new WeakMap();

/** The number of a platform object that implements an interface. @type {(value: unknown, name: string) => number} */
export function idOf(value, name) {
  const brand = isObject(value) ? brandOf(value) : undefined;
  if (brand === null) throw realm.error("DOMException", "SecurityError", "the window belongs to another origin");
  if (brand === undefined || !implementsInterface(brand.interface, name)) {
    throw new NativeTypeError(`this is not a ${name}`);
  }
  return brand.id;
}

/** Whether a value is a platform object, of any realm, that implements an interface. @type {(value: unknown, name: string) => boolean} */
export function isPlatformObject(value, name) {
  const brand = isObject(value) ? brandOf(value) : undefined;
  return brand !== undefined && brand !== null && implementsInterface(brand.interface, name);
}

/** @type {(name: string, wanted: string) => boolean} */
function implementsInterface(name, wanted) {
  const lineage = lineages[name];
  if (lineage !== undefined) return lineage.includes(wanted);
  // Those of the API itself have no description here.
  const known = interfaces[name];
  return known !== undefined && (name === wanted || known.prototype instanceof interfaces[wanted]);
}

/** @type {(number: number, bits: number, signed: boolean) => number} */
const unit = (number, bits, signed) => {
  const modulus = 2 ** bits;
  const integer = Number.isFinite(number) ? Math.trunc(number) % modulus : 0;
  const positive = integer < 0 ? integer + modulus : integer;
  return signed && positive >= modulus / 2 ? positive - modulus : positive + 0;
};

/** @type {(values: ArrayLike<unknown>, count: number, name: string) => void} */
export const need = (values, count, name) => {
  if (values.length < count)
    throw new NativeTypeError(`${name} needs ${count} arguments, and ${values.length} were given`);
};

/** Converts to an IDL type, and writes the result as data. @type {(type: Type, value: any) => Data} */
export function convert(type, value) {
  if (typeof type === "string") {
    switch (type) {
      case "DOMString":
        return typeof value === "string" ? value : `${value}`;
      case "LegacyString":
        return value === null ? "" : `${value}`;
      case "USVString":
        return `${value}`.toWellFormed();
      case "boolean":
        return !!value;
      case "long":
        return unit(+value, 32, true);
      case "unsigned long":
        return unit(+value, 32, false);
      case "unsigned short":
        return unit(+value, 16, false);
      case "unsigned long long": {
        // Each is [EnforceRange] here.
        const number = Math.trunc(+value);
        if (!(number >= 0 && number <= Number.MAX_SAFE_INTEGER))
          throw new NativeTypeError("the number is out of range");
        return number;
      }
      case "double": {
        const number = +value;
        if (!Number.isFinite(number)) throw new NativeTypeError("the value must be a finite number");
        return encode(number);
      }
      case "any":
        return encode(value);
      case "object":
      case "EventListener":
        if (type === "EventListener" && (value === null || value === undefined)) return null;
        if (!isObject(value)) throw new NativeTypeError("the value must be an object");
        return encode(value);
      case "EventHandler":
        return isObject(value) ? encode(value) : null;
      case "callback":
        if (typeof value !== "function") throw new NativeTypeError("the value must be a function");
        return encode(value);
      case "Window":
        if (!isObject(value) || brandOf(value) === undefined) throw new NativeTypeError("the value must be a Window");
        return encode(value);
    }
    throw new NativeTypeError(`there is no conversion to ${type} here`);
  }
  const [kind, inner] = type;
  switch (kind) {
    case "nullable":
      return value === null || value === undefined ? null : convert(inner, value);
    case "sequence":
      if (!isObject(value) || value[iterator] === undefined) throw new NativeTypeError("the value must be iterable");
      return ["list", Array.from(value, (item) => convert(inner, item))];
    case "dictionary":
      return ["dictionary", dictionary(inner, value)];
    case "Promise":
      return ["promise", engine.hold(NativePromise.resolve(value)), realm.id];
    case "interface":
      idOf(value, inner);
      return encode(value);
    case "node or string":
      return isPlatformObject(value, "Node") ? encode(value) : `${value}`;
  }
  throw new NativeTypeError(`there is no conversion to ${kind} here`);
}

/** The members of a dictionary, as pairs, in the order of reading. @type {(name: string, value: any) => [string, Data][]} */
function dictionary(name, value) {
  if (value !== undefined && value !== null && !isObject(value)) {
    throw new NativeTypeError(`a ${name} must be an object`);
  }
  /** @type {[string, Data][]} */
  const members = [];
  for (const member of description.dictionaries[name]) {
    const read = value === undefined || value === null ? undefined : value[member.name];
    if (read !== undefined) members.push([member.name, convert(member.type, read)]);
    else if (member.required) throw new NativeTypeError(`a ${name} needs the member ${member.name}`);
    else if ("default" in member) members.push([member.name, /** @type {Data} */ (member.default)]);
  }
  return members;
}

/** @type {(name: string, parameters: Parameter[], values: unknown[]) => Data[]} */
export function convertAll(name, parameters, values) {
  const required = parameters.filter((parameter) => !parameter.optional && !parameter.variadic).length;
  if (values.length < required) {
    throw new NativeTypeError(`${name} needs ${required} arguments, and ${values.length} were given`);
  }
  /** @type {Data[]} */
  const data = [];
  for (let index = 0; index < parameters.length; index++) {
    const { type, optional, variadic } = parameters[index];
    if (variadic) {
      for (let at = index; at < values.length; at++) data.push(convert(type, values[at]));
    } else if (optional && values[index] === undefined) {
      data.push(type[0] === "dictionary" ? convert(type, undefined) : ["undefined"]);
    } else {
      data.push(convert(type, values[index]));
    }
  }
  return data;
}

/** Makes a platform object in Python, where the `made` interface has the constructor, and the object for it here.
 * @type {(target: Function, name: string, data: Data[], made?: string) => object}
 */
function constructObject(target, name, data, made = name) {
  const object = { __proto__: target.prototype };
  identify(object, python("construct", realm.id, made, data), name);
  return object;
}

/** @type {(name: string) => boolean} */
function isEvent(name) {
  return lineages[name].includes("Event");
}

for (const given of description.interfaces) {
  const { name, inherits } = given;
  const parent = inherits === null ? null : interfaces[inherits];
  lineages[name] = inherits === null ? [name] : [name, ...lineages[inherits]];
  const make = given.constructor_;
  const interfaceObject = {
    [name]: function (/** @type {any[]} */ ...values) {
      if (new.target === undefined) throw new NativeTypeError(`${name} must be called with new`);
      if (make === null) {
        const element = name === "HTMLElement" ? realm.constructHTMLElement(new.target) : undefined;
        if (element !== undefined) return element;
        throw new NativeTypeError(`${name} cannot be constructed`);
      }
      const data = convertAll(name, make, values);
      const target = isObject(new.target.prototype) ? new.target : interfaceObject;
      if (name === "Event" || !isEvent(name)) return constructObject(target, name, data);
      const object = constructObject(target, name, data, name === "SubmitEvent" ? name : "Event");
      /** @type {Record<string, any>} */
      const members = { __proto__: null };
      const [, init] = /** @type {["dictionary", [string, Data][]]} */ (data[1]);
      for (const [key, member] of init) members[key] = decode(member);
      attributes.set(object, members);
      return object;
    },
  }[name];
  interfaces[name] = interfaceObject;
  const required = (make ?? []).filter((parameter) => !parameter.optional && !parameter.variadic).length;
  defineProperty(interfaceObject, "length", { value: required, configurable: true });
  if (parent !== null) setPrototypeOf(interfaceObject, parent);
  const prototype = { __proto__: parent === null ? lacking : parent.prototype };
  defineProperty(interfaceObject, "prototype", { value: prototype, writable: false, enumerable: false });
  hide(prototype, "constructor", interfaceObject);
  defineProperty(prototype, toStringTag, { value: name, configurable: true });
  const isGlobal = name === "Window";
  const members = isGlobal ? scope : prototype;
  for (const [key, value] of Object.entries(given.constants)) {
    for (const object of [interfaceObject, prototype]) defineProperty(object, key, { value, enumerable: true });
  }
  for (const attribute of given.attributes) defineAttribute(members, given, attribute, isGlobal);
  for (const operation of given.operations) defineOperation(members, interfaceObject, given, operation);
  if (given.stringifies) {
    const { toString: stringifier } = {
      /** @this {any} */
      toString() {
        return this.href;
      },
    };
    createMember(prototype, "toString", stringifier);
  }
  own.push(name);
}

/** @type {(target: object, owner: Interface, attribute: Attribute, isGlobal: boolean) => void} */
function defineAttribute(target, { name: interfaceName, isEventData }, attribute, isGlobal) {
  const { name, type, readonly, constant, replaceable, forwards } = attribute;
  const key = `${interfaceName}.${name}`;
  const inThis = (/** @type {any} */ self) => (isGlobal ? (self ?? scope) : self);
  const functions = {
    get [name]() {
      const self = inThis(this);
      const id = idOf(self, interfaceName);
      if (isEventData) {
        const data = attributes.get(self);
        return data !== undefined && name in data ? data[name] : decode(isEventData[name] ?? null);
      }
      if (!constant) return decode(python("get", id, key));
      const read = constants.get(self) ?? /** @type {any} */ ({ __proto__: null });
      constants.set(self, read);
      if (!(name in read)) read[name] = decode(python("get", id, key));
      return read[name];
    },
    set [name](/** @type {any} */ value) {
      if (replaceable) {
        createMember(inThis(this), name, value);
        return;
      }
      if (forwards !== null) {
        inThis(this)[name][forwards] = value;
        return;
      }
      python("set", idOf(inThis(this), interfaceName), key, convert(type, value));
    },
  };
  const { get, set } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(functions, name));
  accessor(target, name, get, readonly && !replaceable && forwards === null ? undefined : set);
}

/** @type {(target: object, interfaceObject: object, owner: Interface, operation: Operation) => void} */
function defineOperation(target, interfaceObject, { name: interfaceName }, operation) {
  const { name, parameters, promises, isStatic, isVoid } = operation;
  const key = `${interfaceName}.${name}`;
  const isGlobal = interfaceName === "Window" || interfaceName === "EventTarget";
  const perform = (/** @type {any} */ self, /** @type {any[]} */ values) => {
    const id = isStatic ? realm.id : idOf(isGlobal ? (self ?? scope) : self, interfaceName);
    const data = python(isStatic ? "static" : "operation", id, key, convertAll(name, parameters, values));
    return isVoid ? undefined : decode(data);
  };
  const functions = {
    [name](/** @type {any[]} */ ...values) {
      if (!promises) return perform(this, values);
      try {
        return perform(this, values);
      } catch (error) {
        return NativePromise.reject(error);
      }
    },
  };
  const length = parameters.filter((parameter) => !parameter.optional && !parameter.variadic).length;
  defineProperty(functions[name], "length", { value: length, configurable: true });
  createMember(isStatic ? interfaceObject : target, name, functions[name]);
}

for (const name of own) hide(scope, name, interfaces[name]);
for (const [alias, name] of Object.entries(description.aliases)) hide(scope, alias, interfaces[name]);

setPrototypeOf(scope, interfaces.Window.prototype);

/** Reads everything of the Window anew, whose document a script may have read. */
realm.has_another_document = () => {
  constants.delete(scope);
};

/** Makes the object for one of Python's. */
realm.wrap = (name) => ({ __proto__: (interfaces[name] ?? interfaces.EventTarget).prototype });
