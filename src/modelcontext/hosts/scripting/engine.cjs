// The engine's core: realms, values and promises of one run after the other. All else is Python's, which drives it.
//
// It runs in Node.js (main.cjs), or in an engine in a page, which give it what depends on them as a platform. Values cross as
// protocol.d.ts has them.
/** @import { Answer, CloneRecord, Data, Description, Engine, EnginePlatform, Facts, Handle, News } from "./protocol.d.ts" */
/** @import { Answers, PlatformObject, Realm, Run, WindowBrand } from "./protocol.d.ts" */
"use strict";

const { makeModules } = require("./modules.cjs");
const { makeWindowProxy } = require("./window_proxy.cjs");

/** The names of scripts of ours, whose lines are no places in a page. */
const OURS = /^$|^modelcontext:|^node:|[/\\](engine|main|modules|window_proxy)\.cjs$/;

/** @type {EnginePlatform} */
let platform;

/** The tables of the run; undefined before the first one. */
let run = /** @type {Run} */ (/** @type {unknown} */ (undefined));
/** @type {(global: any) => any} */
let prelude;
/** @type {Description} */
let description;
/** @type {Map<string, (global: any) => any>} */
const installed = new Map();

/** @type {Engine["isObject"]} */
const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/**
 * Calls a function of Python with data; the result is data. An exception becomes one of the realm.
 * @template {keyof Answers} Name
 * @param {Realm | null} realm
 * @param {Name} name
 * @param {Parameters<Answers[Name]>} values
 * @returns {ReturnType<Answers[Name]>}
 */
function python(realm, name, ...values) {
  if (run.at !== null) tellPlace();
  return take(platform.call(name, values), realm);
}

/** @type {(answer: Answer, realm: Realm | null) => any} */
function take([kind, value], realm) {
  if (kind === "t") throw decode(value, realm ?? anyRealm());
  return value;
}

// Values

/** @type {(value: unknown) => Handle} */
function hold(value) {
  let handle = run.handles.get(value);
  if (handle === undefined) {
    handle = ++run.last;
    run.handles.set(value, handle);
    run.values.set(handle, value);
  }
  return handle;
}

/** @type {(value: any) => Data} */
function encode(value) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "undefined":
      return ["undefined"];
    case "number":
      // String() knows no -0.
      if (Object.is(value, -0)) return ["number", "-0"];
      return Number.isFinite(value) ? value : ["number", String(value)];
  }
  if (value === null) return null;
  const brand = run.brands.get(value);
  if (brand !== undefined) return brand.navigable === undefined ? ["object", brand.id] : ["window", brand.navigable];
  if (typeof value === "function") return ["function", hold(value), realmOfFunction(value)];
  return ["held", hold(value)];
}

/** Objects without a realm of their own are made in the one that is given. @type {(data: Data, realm: Realm) => any} */
function decode(data, realm) {
  if (typeof data !== "object" || data === null) return data;
  switch (data[0]) {
    case "undefined":
      return undefined;
    case "number":
      return data[1] === "-0" ? -0 : Number(data[1]);
    case "held":
    case "function":
      return run.values.get(data[1]);
    case "object":
      return run.objects.get(data[1]) ?? wrap(/** @type {PlatformObject} */ (data), realm);
    case "window":
      return windowProxy(realm.agent, data[1]);
    case "error": {
      const [, key, kind, name, message, id] = data;
      if (!run.errors.has(key)) run.errors.set(key, (run.realms.get(id) ?? realm).error(kind, name, message));
      return run.errors.get(key);
    }
    case "list":
      return realm.array(data[1].map((item) => decode(item, realm)));
    case "dictionary":
      return realm.object(data[1].map(([name, value]) => [name, decode(value, realm)]));
    case "clone":
      return run.clones.get(data[1]);
  }
  throw new TypeError(`no value is written as ${data[0]}`);
}

/** @type {(data: PlatformObject, realm: Realm) => object} */
function wrap([, id, name, realmId, attributes], realm) {
  const home = realmOf(realmId) ?? realm;
  const object = home.wrap(name);
  identify(object, id, name);
  if (attributes !== undefined) {
    const own = Object.create(null);
    for (const [key, value] of Object.entries(attributes)) own[key] = decode(value, home);
    run.attributes.set(object, own);
  }
  return object;
}

/** @type {Engine["identify"]} */
function identify(object, id, name) {
  run.objects.set(id, object);
  run.brands.set(object, { id, interface: name, handlers: Object.create(null) });
}

/** @type {(id: number) => Realm} */
function realmOf(id) {
  if (!run.realms.has(id)) python(null, "need_realm", id);
  return /** @type {Realm} */ (run.realms.get(id));
}

/** A realm for what belongs to none. */
const anyRealm = () => /** @type {Realm} */ (run.realms.values().next().value);

function realmOfFunction(/** @type {object} */ value) {
  return realmOfPrototype(value, run.functions);
}

/** @type {(value: object, realms: Map<object, number>) => number} */
function realmOfPrototype(value, realms) {
  for (
    let prototype = /** @type {object | null} */ (value);
    prototype !== null;
    prototype = Reflect.getPrototypeOf(prototype)
  ) {
    const realm = realms.get(prototype);
    if (realm !== undefined) return realm;
  }
  return 0;
}

/**
 * The place in a script from which the platform is called, or undefined. Only names of scripts tell it.
 * @returns {{ name: string, line: number } | undefined}
 */
function callSite() {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = /** @type {NodeJS.CallSite[]} */ (/** @type {unknown} */ (new Error().stack));
  Error.prepareStackTrace = prepareStackTrace;
  for (const site of sites) {
    const name = site.getFileName() ?? /\((.*):\d+:\d+\)$/.exec(site.getEvalOrigin?.() ?? "")?.[1] ?? "";
    if (OURS.test(name)) continue;
    return { name, line: site.getLineNumber() ?? 0 };
  }
  return undefined;
}

/**
 * The number of the realm whose script calls a function of the platform: HTML's incumbent.
 * @type {(otherwise: number) => number}
 */
function incumbent(otherwise) {
  const site = callSite();
  return site === undefined ? otherwise : (run.scripts.get(site.name) ?? otherwise);
}

/** Tells Python from where a script calls, unless it was told of that line last. */
function tellPlace() {
  const site = callSite();
  if (site === undefined || !run.scripts.has(site.name)) return;
  const place = `${site.name}:${site.line}`;
  if (place === run.at) return;
  run.at = place;
  take(platform.call("at", [site.name.replace(/#realm-\d+$/, ""), site.line]), null);
}

/** The name of a script of a realm: its URL, unless that is the name of one of another realm. @type {(id: number, url: string) => string} */
function nameOf(id, url) {
  const name = (run.scripts.get(url) ?? id) !== id ? `${url}#realm-${id}` : url;
  run.scripts.set(name, id);
  return name;
}

/** @type {(realm: Realm, windowId: number) => Realm["modules"]} */
function modulesOf(realm, windowId) {
  const { id } = realm;
  return makeModules(realm, {
    modules: /** @type {NonNullable<EnginePlatform["modules"]>} */ (platform.modules),
    urlOf: platform.urlOf,
    nameOf: (url) => nameOf(id, url),
    fetch: (url, arrive) => python(realm, "fetch", id, url, "GET", "", ["function", hold(arrive), id]),
    report: (error) => python(realm, "operation", windowId, "Window.reportError", [encode(error)]),
    missing: (name) => python(realm, "missing", id, name),
    place: (error, at) => run.places.set(error, at),
  });
}

// Windows

/**
 * The WindowProxy of a navigable, as the documents of one agent see it.
 * @type {(agent: number, navigable: number) => any}
 */
function windowProxy(agent, navigable) {
  let proxies = run.proxies.get(agent);
  if (proxies === undefined) run.proxies.set(agent, (proxies = new Map()));
  let proxy = proxies.get(navigable);
  if (proxy === undefined) {
    const accessor = () => run.lastRealm[agent];
    proxy = makeWindowProxy({
      accessor,
      reachable: () => reachable(agent, navigable),
      child: (key) => decode(python(accessor(), "child_window", navigable, key), accessor()) ?? undefined,
      crossOriginMember: (key) => accessor().crossOriginMember(navigable, key),
    });
    proxies.set(navigable, proxy);
    run.brands.set(proxy, { navigable, agent });
  }
  return proxy;
}

/**
 * The realm of the navigable's active document if the agent can reach it, else null.
 * @type {(agent: number, navigable: number) => Realm | null}
 */
function reachable(agent, navigable) {
  const [document, owner] = run.active[navigable] ?? [];
  return owner === agent ? realmOf(document) : null;
}

// Promises that are rejected and not handled

function noteRejection(
  /** @type {boolean} */ isHandled,
  /** @type {Promise<unknown>} */ promise,
  /** @type {unknown} */ reason,
) {
  if (run === undefined) return;
  if (!isHandled) {
    run.rejected.set(promise, reason);
  } else if (!run.rejected.delete(promise) && run.outstanding.delete(promise)) {
    python(null, "rejection_handled", realmOfPromise(promise), encode(promise), encode(run.reasons.get(promise)));
  }
}

/** The realm of a promise: that of the nearest of its prototypes, since its class may be a script's. */
function realmOfPromise(/** @type {Promise<unknown>} */ promise) {
  return realmOfPrototype(promise, run.promises);
}

/** Takes the promises to tell of, as lists of realm, promise, reason and the line that got the promise of an operation. */
function takeRejected() {
  /** @type {[realm: number, promise: Data, reason: Data, at: string][]} */
  const taken = [];
  for (const [promise, reason] of run.rejected) {
    run.outstanding.add(promise);
    run.reasons.set(promise, reason);
    taken.push([realmOfPromise(promise), encode(promise), encode(reason), run.callers.get(promise) ?? ""]);
  }
  run.rejected.clear();
  return taken;
}

// Structured clones that are under way

function keepClone(/** @type {CloneRecord} */ record) {
  const handle = ++run.last;
  run.clones.set(handle, record);
  return handle;
}

// The functions that Python calls

/** @type {Record<string, (...values: any[]) => unknown>} */
const commands = {
  setup(/** @type {string} */ source, /** @type {Description} */ given) {
    prelude = platform.compile(source, "modelcontext:realm");
    description = given;
    return platform.version;
  },
  reset() {
    run = {
      active: {},
      // The place of a script of which Python was told last; null if it is not told.
      at: null,
      attributes: new WeakMap(),
      brands: new Map(),
      callers: new WeakMap(),
      cells: new Map(),
      clones: new Map(),
      errors: new Map(),
      exceptions: new WeakMap(),
      functions: new Map(),
      handles: new Map(),
      last: 0,
      lastRealm: {},
      objects: new Map(),
      places: new WeakMap(),
      outstanding: new Set(),
      promises: new Map(),
      proxies: new Map(),
      realms: new Map(),
      scripts: new Map(),
      reasons: new WeakMap(),
      rejected: new Map(),
      values: new Map(),
    };
  },
  /** @type {(id: number, agent: number, navigable: number, windowId: number, facts: Facts) => void} */
  new_realm(id, agent, navigable, windowId, facts) {
    const global = platform.newGlobal();
    const realm = /** @type {Realm} */ ({ id, agent, global });
    run.realms.set(id, realm);
    run.lastRealm[agent] = realm;
    run.objects.set(windowId, global);
    run.brands.set(global, { id: windowId, interface: "Window", navigable, agent, handlers: Object.create(null) });
    const cell = run.cells.get(agent) ?? {};
    run.cells.set(agent, cell);
    realm.engine = {
      cell,
      realm,
      navigable,
      facts,
      description,
      isObject,
      hold,
      held: (handle) => run.values.get(handle),
      attributes: run.attributes,
      exceptions: run.exceptions,
      brandOf,
      identify,
      keepClone,
      cloneOf: (handle) => /** @type {CloneRecord} */ (run.clones.get(handle)),
      proxyOf: (other) => windowProxy(agent, other),
      register: (functions, promise) => {
        for (const prototype of functions) run.functions.set(prototype, id);
        run.promises.set(promise, id);
      },
      python: (name, ...values) => {
        run.lastRealm[agent] = realm;
        const data = python(realm, name, ...values);
        run.lastRealm[agent] = realm;
        return data;
      },
      incumbent: () => incumbent(id),
      encode,
      decode: (data) => decode(data, realm),
      urlOf: platform.urlOf,
      parametersOf: platform.parametersOf,
      types: platform.types,
    };
    if (platform.modules !== undefined) realm.modules = modulesOf(realm, windowId);
    prelude(global)(realm.engine);
  },
  install(/** @type {number} */ id, /** @type {string} */ source, /** @type {string} */ data) {
    const { global, engine } = realmOf(id);
    const script = installed.get(source) ?? platform.compile(source, "modelcontext:realm");
    installed.set(source, script);
    script(global)(engine, data);
  },
  /** @type {(id: number, source: string, filename: string, line: number, column: number) => Data} */
  evaluate(id, source, filename, line, column) {
    const realm = realmOf(id);
    run.lastRealm[realm.agent] = realm;
    // Compiled apart, so that a syntax error can be told from an exception.
    const script = platform.compile(source, nameOf(id, filename), line, column, realm.modules?.importing(filename));
    return encode(script(realm.global));
  },
  /** @type {(id: number, text: string, base: string) => void} */
  register_import_map: (id, text, base) => realmOf(id).modules?.registerAnImportMap(text, base),
  /** @type {(id: number, number: number, url: string, source: string | null, line: number, column: number) => void} */
  load_module(id, number, url, source, line, column) {
    const realm = realmOf(id);
    realm.modules?.load(number, url, source, line, column, (problem) => {
      python(realm, "module_is_ready", number, problem);
    });
  },
  run_module(/** @type {number} */ id, /** @type {number} */ number) {
    const realm = realmOf(id);
    run.lastRealm[realm.agent] = realm;
    realm.modules?.run(number);
  },
  trace() {
    run.at = "";
  },
  where: (/** @type {Data} */ data) => placeOf(decode(data, anyRealm())),
  call(/** @type {number} */ id, /** @type {string} */ name, /** @type {any[]} */ ...values) {
    /** @type {Realm & Record<string, any>} */
    const realm = realmOf(id);
    run.lastRealm[realm.agent] = realm;
    const returned = realm[name](...values);
    if (name === "new_promise") {
      const site = callSite();
      if (site !== undefined)
        run.callers.set(decode(returned, realm), `${site.name.replace(/#realm-\d+$/, "")}:${site.line}`);
    }
    return returned;
  },
  checkpoint() {
    platform.performCheckpoint();
    return takeRejected();
  },
  still_rejected: (/** @type {Data} */ data) => run.outstanding.has(decode(data, anyRealm())),
};

/**
 * The brand of an object; that of a WindowProxy is the one of its present window, or null if it cannot be reached.
 * @type {Engine["brandOf"]}
 */
function brandOf(value) {
  const brand = run.brands.get(value);
  if (brand === undefined || brand.navigable === undefined || brand.id !== undefined) return brand;
  const realm = reachable(brand.agent, brand.navigable);
  return realm === null ? null : /** @type {WindowBrand} */ (run.brands.get(realm.global));
}

/** The message of an exception, and the place in a script where it was thrown. */
function placeOf(/** @type {any} */ value) {
  let text;
  try {
    const isError = isObject(value) && "message" in value;
    text = !isError ? String(value) : value.message === "" ? String(value.name) : `${value.name}: ${value.message}`;
  } catch {
    text = "an exception without a text";
  }
  let stack = "";
  try {
    stack = typeof value?.stack === "string" ? value.stack : "";
  } catch {
    // The script's own getter.
  }
  const frames = stack.split("\n").filter((line) => !/modelcontext:|engine\.cjs/.test(line));
  const match = [(isObject(value) && run.places.get(value)) || "", ...frames]
    .map((line) => /((?:https?|file|about|data|blob|script):[^\s()]*?):(\d+)(?::(\d+))?\)?$/.exec(line))
    .find(Boolean);
  return {
    text,
    url: (match?.[1] ?? "").replace(/#realm-\d+$/, ""),
    line: Number(match?.[2] ?? 0),
    column: Number(match?.[3] ?? 0),
    stack,
  };
}

/** Performs a call of Python. @type {(name: string, values: any[]) => Answer} */
function perform(name, values) {
  try {
    return ["r", commands[name](...values) ?? null];
  } catch (error) {
    if (run === undefined) throw error;
    return ["t", encode(error)];
  }
}

function setActive(/** @type {News[1]} */ active) {
  run.active = active;
}

/** Begins, once, with a platform. @type {(given: EnginePlatform) => void} */
function start(given) {
  platform = given;
  platform.onRejection(noteRejection);
  Error.stackTraceLimit = 30;
}

module.exports = { perform, setActive, start };
