// The engine's process: realms, values and promises. All else is Python's, which drives it over pipes.
//
// Each line is a list as JSON. ["c", name, arguments] calls the other side, which answers ["r", value] or ["t", exception]; calls
// nest. ["a", {navigable: [document, agent]}] tells which documents are active. Values cross as protocol.d.ts in page/ has them, with the additions that encode() shows.
"use strict";

const fs = require("node:fs");
const vm = require("node:vm");
const { StringDecoder } = require("node:string_decoder");
const { types } = require("node:util");
const { internalBinding } = require("internal/test/binding");

const { makeWindowProxy } = require("./window_proxy.cjs");

const performCheckpoint = new Function("%PerformMicrotaskCheckpoint()");
const { promiseRejectEvents, setPromiseRejectCallback } = internalBinding("task_queue");

/** @type {any} The tables of the run. */
let run;
/** @type {vm.Script} */
let prelude;
/** @type {any} */
let description;
/** @type {Map<string, vm.Script>} */
const installed = new Map();

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// Lines

const buffer = Buffer.alloc(1 << 16);
const decoder = new StringDecoder("utf8");
let pending = "";

function receive() {
  let end = pending.indexOf("\n");
  while (end < 0) {
    const count = fs.readSync(0, buffer);
    if (count === 0) process.exit(0);
    const start = pending.length;
    pending += decoder.write(buffer.subarray(0, count));
    end = pending.indexOf("\n", start);
  }
  const line = pending.slice(0, end);
  pending = pending.slice(end + 1);
  return JSON.parse(line);
}

function send(message) {
  const data = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < data.length; ) {
    try {
      sent += fs.writeSync(1, data, sent);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Answers calls until Python answers ours. */
function serve(realm) {
  for (;;) {
    const [kind, first, second] = receive();
    if (kind === "a") {
      run.active = first;
    } else if (kind === "r") {
      return first;
    } else if (kind === "t") {
      throw decode(first, realm);
    } else {
      let answer;
      try {
        answer = ["r", commands[first](...second) ?? null];
      } catch (error) {
        answer = ["t", encode(error)];
      }
      send(answer);
    }
  }
}

/** Calls a function of Python with data; the result is data. An exception becomes one of the realm. */
function python(realm, name, ...values) {
  if (run.at !== null) tellPlace();
  send(["c", name, values]);
  return serve(realm);
}

// Values

function hold(value) {
  let handle = run.handles.get(value);
  if (handle === undefined) {
    handle = ++run.last;
    run.handles.set(value, handle);
    run.values.set(handle, value);
  }
  return handle;
}

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
      return run.objects.get(data[1]) ?? wrap(data, realm);
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

function wrap([, id, name, realmId, attributes], realm) {
  const home = realmOf(realmId) ?? realm;
  const object = home.wrap(name);
  identify(object, id, name);
  if (attributes !== undefined) {
    const own = { __proto__: null };
    for (const [key, value] of Object.entries(attributes)) own[key] = decode(value, home);
    run.attributes.set(object, own);
  }
  return object;
}

function identify(object, id, name) {
  run.objects.set(id, object);
  run.brands.set(object, { id, interface: name, handlers: { __proto__: null } });
}

function realmOf(id) {
  if (!run.realms.has(id)) python(null, "need_realm", id);
  return run.realms.get(id);
}

function realmOfFunction(value) {
  return realmOfPrototype(value, run.functions);
}

function realmOfPrototype(value, realms) {
  for (let prototype = value; prototype !== null; prototype = Reflect.getPrototypeOf(prototype)) {
    const realm = realms.get(prototype);
    if (realm !== undefined) return realm;
  }
  return 0;
}

/** The place in a script from which the platform is called, or undefined. Only names of scripts tell it. */
function callSite() {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack;
  Error.prepareStackTrace = prepareStackTrace;
  for (const site of sites) {
    const name = site.getFileName() ?? /\((.*):\d+:\d+\)$/.exec(site.getEvalOrigin() ?? "")?.[1] ?? "";
    if (name === __filename || name === "modelcontext:realm" || name.startsWith("node:")) continue;
    return { name, line: site.getLineNumber() ?? 0 };
  }
  return undefined;
}

/** The number of the realm whose script calls a function of the platform: HTML's incumbent. */
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
  send(["c", "at", [site.name.replace(/#realm-\d+$/, ""), site.line]]);
  serve(null);
}

// Windows

/** The WindowProxy of a navigable, as the documents of one agent see it. */
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

/** The realm of the navigable's active document if the agent can reach it, else null. */
function reachable(agent, navigable) {
  const [document, owner] = run.active[navigable] ?? [];
  return owner === agent ? realmOf(document) : null;
}

// Promises that are rejected and not handled

setPromiseRejectCallback((type, promise, reason) => {
  if (run === undefined) return;
  if (type === promiseRejectEvents.kPromiseRejectWithNoHandler) {
    run.rejected.set(promise, reason);
  } else if (type === promiseRejectEvents.kPromiseHandlerAddedAfterReject) {
    if (!run.rejected.delete(promise) && run.outstanding.delete(promise)) {
      python(null, "rejection_handled", realmOfPromise(promise), encode(promise), encode(run.reasons.get(promise)));
    }
  }
});

/** The realm of a promise: that of the nearest of its prototypes, since its class may be a script's. */
function realmOfPromise(promise) {
  return realmOfPrototype(promise, run.promises);
}

/** Takes the promises to tell of, as lists of realm, promise and reason. */
function takeRejected() {
  const taken = [];
  for (const [promise, reason] of run.rejected) {
    run.outstanding.add(promise);
    run.reasons.set(promise, reason);
    taken.push([realmOfPromise(promise), encode(promise), encode(reason)]);
  }
  run.rejected.clear();
  return taken;
}

// Structured clones that are under way

function keepClone(record) {
  const handle = ++run.last;
  run.clones.set(handle, record);
  return handle;
}

// The functions that Python calls

const commands = {
  setup(source, given) {
    prelude = new vm.Script(source, { filename: "modelcontext:realm" });
    description = given;
    return `V8 ${process.versions.v8}`;
  },
  reset() {
    run = {
      active: {},
      // The place of a script of which Python was told last; null if it is not told.
      at: null,
      attributes: new WeakMap(),
      brands: new Map(),
      cells: new Map(),
      clones: new Map(),
      errors: new Map(),
      exceptions: new WeakMap(),
      functions: new Map(),
      handles: new Map(),
      last: 0,
      lastRealm: {},
      objects: new Map(),
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
  new_realm(id, agent, navigable, windowId, facts) {
    const global = vm.createContext(vm.constants.DONT_CONTEXTIFY);
    const realm = { id, agent, global };
    run.realms.set(id, realm);
    run.lastRealm[agent] = realm;
    run.objects.set(windowId, global);
    run.brands.set(global, { id: windowId, interface: "Window", navigable, agent, handlers: { __proto__: null } });
    if (!run.cells.has(agent)) run.cells.set(agent, {});
    realm.given = {
      id,
      cell: run.cells.get(agent),
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
      cloneOf: (handle) => run.clones.get(handle),
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
      own: (value) => JSON.parse(JSON.stringify(value)),
      urlOf: (url, base) => new URL(url, base),
      parametersOf: (init) => new URLSearchParams(init),
      types,
    };
    prelude.runInContext(global)(realm.given);
  },
  install(id, source, data) {
    const { global, given } = realmOf(id);
    if (!installed.has(source)) installed.set(source, new vm.Script(source, { filename: "modelcontext:realm" }));
    installed.get(source).runInContext(global)(given, data);
  },
  evaluate(id, source, filename, line, column) {
    const realm = realmOf(id);
    run.lastRealm[realm.agent] = realm;
    // Compiled apart, so that a syntax error can be told from an exception.
    const isKnown = (run.scripts.get(filename) ?? id) !== id;
    const name = isKnown ? `${filename}#realm-${id}` : filename;
    run.scripts.set(name, id);
    const script = new vm.Script(source, { filename: name, lineOffset: line, columnOffset: column });
    const value = script.runInContext(realm.global);
    return encode(value);
  },
  trace() {
    run.at = "";
  },
  // A window is decoded for a realm; any will do.
  where: (data) => placeOf(decode(data, run.realms.values().next().value)),
  call(id, name, ...values) {
    const realm = realmOf(id);
    run.lastRealm[realm.agent] = realm;
    return realm[name](...values);
  },
  checkpoint() {
    performCheckpoint();
    return takeRejected();
  },
  still_rejected: (data) => run.outstanding.has(decode(data, null)),
};

/** The brand of an object; that of a WindowProxy is the one of its present window, or null if it cannot be reached. */
function brandOf(value) {
  const brand = run.brands.get(value);
  if (brand === undefined || brand.navigable === undefined || brand.id !== undefined) return brand;
  const realm = reachable(brand.agent, brand.navigable);
  return realm === null ? null : run.brands.get(realm.global);
}

/** The message of an exception, and the place in a script where it was thrown. */
function placeOf(value) {
  let text;
  try {
    text = isObject(value) && "message" in value ? `${value.name}: ${value.message}` : String(value);
  } catch {
    text = "an exception without a text";
  }
  let stack = "";
  try {
    stack = typeof value?.stack === "string" ? value.stack : "";
  } catch {
    // The script's own getter.
  }
  const frames = stack.split("\n").filter((line) => !line.includes("modelcontext:realm") && !line.includes("main.cjs"));
  const match = frames
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

Error.stackTraceLimit = 30;
for (;;) {
  const [kind, first, second] = receive();
  if (kind === "a") {
    run.active = first;
    continue;
  }
  let answer;
  try {
    answer = ["r", commands[first](...second) ?? null];
  } catch (error) {
    if (run === undefined) throw error;
    answer = ["t", encode(error)];
  }
  send(answer);
}
