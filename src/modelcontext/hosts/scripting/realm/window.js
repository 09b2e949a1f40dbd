// The members of Window and its objects whose arguments have more than one type, and what needs no Python.
import { deserialize, message, serialize, transferables } from "./clones.js";
/** @import { Data, Value } from "../protocol.d.ts" */
import { DOMException } from "./exceptions.js";
import { convert, idOf, interfaces, need } from "./interfaces.js";
import {
  accessor,
  apply,
  attributes,
  brandOf,
  createMember,
  decode,
  defineProperty,
  encode,
  extend,
  facts,
  hide,
  isObject,
  iterator,
  NativeTypeError,
  ownProxy,
  python,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";

// Events

const flatten = (/** @type {unknown} */ options) => (isObject(options) ? !!options.capture : !!options);

extend(interfaces.EventTarget.prototype, {
  addEventListener(type, callback, options) {
    need(arguments, 2, "addEventListener");
    const id = idOf(this ?? scope, "EventTarget");
    const name = `${type}`;
    const listener = convert("EventListener", callback);
    const capture = flatten(options);
    const { once, passive, signal } = isObject(options) ? options : {};
    const flags = [
      capture,
      !!once,
      !!passive,
      signal === undefined ? null : convert(["interface", "AbortSignal"], signal),
    ];
    python("add_listener", id, name, listener, flags);
  },
  removeEventListener(type, callback, options) {
    need(arguments, 2, "removeEventListener");
    const id = idOf(this ?? scope, "EventTarget");
    python("remove_listener", id, `${type}`, convert("EventListener", callback), flatten(options));
  },
});
for (const name of ["addEventListener", "removeEventListener"]) {
  defineProperty(interfaces.EventTarget.prototype[name], "length", { value: 2, configurable: true });
}
accessor(
  interfaces.Event.prototype,
  "returnValue",
  function () {
    return !this.defaultPrevented;
  },
  function (value) {
    if (!value) this.preventDefault();
  },
);
accessor(
  interfaces.Event.prototype,
  "cancelBubble",
  function () {
    return python("get", idOf(this, "Event"), "Event.cancelBubble");
  },
  function (value) {
    if (value) this.stopPropagation();
  },
);
accessor(
  interfaces.Event.prototype,
  "srcElement",
  function () {
    return this.target;
  },
  undefined,
);
extend(interfaces.CustomEvent.prototype, {
  initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
    this.initEvent(type, bubbles, cancelable);
    /** @type {Record<string, any>} */ (attributes.get(this)).detail = detail;
  },
});

// Other collections are arrays of now

// https://html.spec.whatwg.org/#the-htmlformcontrolscollection-interface
class HTMLFormControlsCollection {
  #items;
  #namedItem;
  constructor(/** @type {any[]} */ items, /** @type {(name: unknown) => any} */ namedItem) {
    this.#items = items;
    this.#namedItem = namedItem;
    Object.assign(this, items);
  }
  get length() {
    return this.#items.length;
  }
  item(/** @type {number} */ index) {
    return this.#items[index] ?? null;
  }
  namedItem(/** @type {unknown} */ name) {
    return this.#namedItem(name);
  }
  [iterator]() {
    return this.#items.values();
  }
}
defineProperty(HTMLFormControlsCollection.prototype, toStringTag, {
  value: "HTMLFormControlsCollection",
  configurable: true,
});
hide(scope, "HTMLFormControlsCollection", HTMLFormControlsCollection);
const { get: readElements } = /** @type {{ get: () => any }} */ (
  Object.getOwnPropertyDescriptor(interfaces.HTMLFormElement.prototype, "elements")
);
accessor(
  interfaces.HTMLFormElement.prototype,
  "elements",
  function () {
    const items = apply(readElements, this, []);
    const names = new Map();
    for (const item of items) {
      for (const name of new Set([item.id, item.getAttribute("name")]))
        if (name) names.set(name, [...(names.get(name) ?? []), item]);
    }
    const namedItem = (/** @type {unknown} */ name) => {
      const found = names.get(`${name}`) ?? [null];
      if (found.length === 1) return found[0];
      const value = () => found.find((/** @type {any} */ one) => one.checked)?.value ?? "";
      const set = (/** @type {unknown} */ text) => {
        for (const one of found) if (one.type === "radio" && one.value === text) one.checked = true;
      };
      defineProperty(found, "value", { get: value, set, configurable: true });
      return found;
    };
    const controls = new HTMLFormControlsCollection(items, namedItem);
    for (const name of names.keys()) {
      if (!(name in controls) && !/^\d+$/.test(name)) hide(controls, name, namedItem(name));
    }
    return controls;
  },
  undefined,
);

// Messages

extend(interfaces.MessagePort.prototype, {
  postMessage(value, options = []) {
    need(arguments, 1, "postMessage");
    const id = idOf(this, "MessagePort");
    const transfer =
      isObject(options) && options[iterator] !== undefined ? [...options] : [...(options?.transfer ?? [])];
    if (transfer.includes(this)) throw new DOMException("a port cannot move through itself", "DataCloneError");
    python("post_to_port", id, ...message(value, transfer));
  },
});

extend(interfaces.BroadcastChannel.prototype, {
  postMessage(value) {
    need(arguments, 1, "postMessage");
    python("post_to_channel", idOf(this, "BroadcastChannel"), message(value, [])[0]);
  },
});

for (const name of ["pushState", "replaceState"]) {
  extend(interfaces.History.prototype, {
    [name](/** @type {unknown} */ data, /** @type {unknown} */ _unused, /** @type {unknown} */ url) {
      need(arguments, 2, name);
      const [clone] = message(data, []);
      python("operation", idOf(this, "History"), `History.${name}`, [clone, convert(["nullable", "USVString"], url)]);
    },
  });
}

/** The members of a window that other origins may use, and the same for all. @type {(navigable: number) => Value} */
const postMessage = (navigable) =>
  function postMessage(/** @type {unknown} */ value, /** @type {any[]} */ ...[options, transfer]) {
    need(arguments, 1, "postMessage");
    const isInit = isObject(options) || options === undefined;
    const target = isInit ? (options?.targetOrigin ?? "/") : options;
    const list = isInit ? (options?.transfer ?? []) : (transfer ?? []);
    python("post_to_window", engine.incumbent(), navigable, `${target}`, ...message(value, [...list]));
  };
createMember(scope, "postMessage", postMessage(engine.navigable));

realm.crossOriginMember = (navigable, key) => {
  switch (key) {
    case "window":
    case "self":
    case "frames":
      return engine.proxyOf(navigable);
    case "postMessage":
      return postMessage(navigable);
    case "location":
      return {
        set href(/** @type {unknown} */ url) {
          python("navigate_window", realm.id, navigable, `${url}`);
        },
        replace(/** @type {unknown} */ url) {
          python("navigate_window", realm.id, navigable, `${url}`);
        },
      };
    case "close":
      return () => {
        python("operation", idOf(scope, "Window"), "Window.close_other", [navigable]);
      };
    case "focus":
    case "blur":
      return () => {};
  }
  return decode(python("window_member", realm.id, navigable, key));
};

createMember(scope, "structuredClone", function structuredClone(value, options = {}) {
  need(arguments, 1, "structuredClone");
  const moving = transferables([...(options?.transfer ?? [])]);
  const record = serialize(value, moving);
  /** @type {Data} */
  const ports = ["list", moving.ports.map((port) => encode(port))];
  return deserialize(record, decode(python("move_ports", realm.id, ports)));
});

// Timers

const toLong = (/** @type {unknown} */ value) => /** @type {number} */ (convert("long", value));
for (const [name, repeats] of /** @type {const} */ ([
  ["setTimeout", false],
  ["setInterval", true],
])) {
  createMember(
    scope,
    name,
    {
      [name](/** @type {unknown} */ handler, /** @type {unknown} */ timeout = 0, /** @type {unknown[]} */ ...values) {
        need(arguments, 1, name);
        const callback = typeof handler === "function" ? handler : `${handler}`;
        return python(
          "set_timer",
          realm.id,
          encode(callback),
          values.map((value) => encode(value)),
          toLong(timeout),
          repeats,
        );
      },
    }[name],
  );
}
for (const name of ["clearTimeout", "clearInterval"]) {
  createMember(
    scope,
    name,
    {
      [name](id = 0) {
        python("clear_timer", realm.id, toLong(id));
      },
    }[name],
  );
}
createMember(scope, "requestAnimationFrame", function requestAnimationFrame(callback) {
  return python("set_timer", realm.id, convert("callback", callback), [0], 16, false);
});
createMember(scope, "cancelAnimationFrame", scope.clearTimeout);
const resolved = Promise.resolve();
createMember(scope, "queueMicrotask", function queueMicrotask(callback) {
  const steps = convert("callback", callback);
  apply(Promise.prototype.then, resolved, [() => python("microtask", realm.id, steps)]);
});

// Time and chance

const NativeDate = Date;
const now = () => facts.start + python("now");
function VirtualDate(/** @type {unknown[]} */ ...values) {
  if (new.target === undefined) return new NativeDate(now()).toString();
  return Reflect.construct(NativeDate, values.length === 0 ? [now()] : values, new.target);
}
Object.defineProperties(VirtualDate, Object.getOwnPropertyDescriptors(NativeDate));
hide(VirtualDate, "now", () => Math.floor(now()));
hide(NativeDate.prototype, "constructor", VirtualDate);
Object.defineProperty(VirtualDate, "name", { value: "Date", configurable: true });
hide(scope, "Date", VirtualDate);
let chance = 0x9e3779b9 ^ realm.id;
hide(Math, "random", function random() {
  chance = (Math.imul(chance, 1664525) + 1013904223) | 0;
  return (chance >>> 0) / 2 ** 32;
});
// https://w3c.github.io/hr-time/#sec-performance, without entries
class Performance extends interfaces.EventTarget {
  get timeOrigin() {
    return 0;
  }
  now() {
    return python("now");
  }
  getEntriesByType() {
    return [];
  }
}
/** @type {Performance | undefined} */
let ownPerformance;
const readPerformance = () => {
  ownPerformance ??= new Performance();
  return ownPerformance;
};
accessor(scope, "performance", readPerformance, undefined);
defineProperty(Performance.prototype, toStringTag, { value: "Performance", configurable: true });
hide(scope, "Performance", Performance);
// What a garbage collector does must not be seen.
for (const name of ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics"]) delete scope[name];

// Chance that must be unique rather than secret

let uuids = 0;
createMember(scope, "crypto", {
  randomUUID() {
    const text = `${realm.id.toString(16)}${(++uuids).toString(16).padStart(8, "0")}`.padStart(32, "0");
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20)}`;
  },
  getRandomValues(/** @type {number[]} */ array) {
    for (let index = 0; index < array.length; index++) array[index] = Math.floor(Math.random() * 2 ** 32);
    return array;
  },
});

// Dialogs, which nobody answers: a line says so

for (const [name, answer] of /** @type {const} */ ([
  ["alert", undefined],
  ["confirm", false],
  ["prompt", null],
])) {
  const functions = {
    [name](message = "") {
      python("console", realm.id, name, answer === undefined ? `${message}` : `${message} (answered with ${answer})`);
      return answer;
    },
  };
  createMember(scope, name, functions[name]);
}

// The window itself

for (const name of ["self", "frames", "globalThis"]) {
  defineProperty(scope, name, {
    value: ownProxy,
    writable: true,
    enumerable: name !== "globalThis",
    configurable: true,
  });
}
const { get: getWindow } = /** @type {PropertyDescriptor} */ (
  Object.getOwnPropertyDescriptor(
    {
      get window() {
        const brand = this === undefined ? null : isObject(this) ? brandOf(this) : undefined;
        if (brand === undefined || (brand !== null && brand.interface !== "Window")) {
          throw new NativeTypeError("this is not a Window");
        }
        return ownProxy;
      },
    },
    "window",
  )
);
accessor(scope, "window", getWindow, undefined);

if (facts.reports) {
  hide(scope, "modelcontextReport", (report) => python("report", JSON.stringify(report)));
  if (facts.notes) hide(scope, "modelcontextNote", (text) => python("note", `${text}`));
}
