// The page side of the program language: runs one document's script and records what it sees.
//
// Every document of a program loads this file, followed by a call of it with its configuration (see render.py). The
// documents of one event loop share a "cell", found by walking same-origin windows, so that their entries have one
// order. The program's top document is the coordinator as well: it starts the scripts, collects every entry at once
// (a frame may be removed right after recording one) and decides when the run is over.
//
// What may not change without the interpreter in Python changing too: a promise gets exactly one reaction, registered
// directly after the call that returned it, and the script goes on inside that reaction.
(function (config) {
  "use strict";

  // Pristine built-ins: programs may reassign members of anything they can reach.
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { isArray } = Array;
  const { hasOwn, is } = Object;
  const { parse, stringify } = JSON;
  const { fromCharCode } = String;
  const [NativePromise, NativeAbortController, NativeAbortSignal] = [Promise, AbortController, AbortSignal];
  const [NativeDOMException, NativeString, NativeBigInt, NativeSymbol] = [DOMException, String, BigInt, Symbol];
  const { then } = Promise.prototype;
  const uncurried = (method) => (self, ...values) => apply(method, self, values);
  const [every, filter, join, map, push, shift, some, sort, splice, position] = [
    "every", "filter", "join", "map", "push", "shift", "some", "sort", "splice", "indexOf",
  ].map((name) => uncurried(Array.prototype[name]));
  const [split, isWellFormed, charCodeAt, find, part, repeat] = [
    "split", "isWellFormed", "charCodeAt", "indexOf", "slice", "repeat",
  ].map((name) => uncurried(String.prototype[name]));
  const [numberToString, mapGet] = [uncurried(Number.prototype.toString), uncurried(Map.prototype.get)];
  const includes = (string, text) => find(string, text) >= 0;
  const replaced = (string, text, by) => join(split(string, text), by);
  const { toStringTag } = Symbol;
  const { anySignal, abortedSignal } = { anySignal: AbortSignal.any, abortedSignal: AbortSignal.abort };
  const getter = (prototype, name) => getOwnPropertyDescriptor(prototype, name).get;
  const signalAborted = getter(AbortSignal.prototype, "aborted");
  const exceptionName = getter(DOMException.prototype, "name");
  const symbolDescription = getter(Symbol.prototype, "description");
  const { addEventListener } = EventTarget.prototype;
  const { remove } = Element.prototype;
  const contentWindow = getter(HTMLIFrameElement.prototype, "contentWindow");
  const viewOf = getter(Document.prototype, "defaultView");
  const isConnected = getter(Node.prototype, "isConnected");
  const [later, forget] = [setTimeout, clearTimeout];
  const [microtask, openWindow, ownWindow, ownDocument] = [queueMicrotask, open, window, document];
  const createElement = (name) => apply(Document.prototype.createElement, ownDocument, [name]);
  const body = () => ownDocument.body;
  const append = Element.prototype.append;
  const { getItem, setItem, removeItem } = Storage.prototype;
  const [ownHistory, ownLocation, { back }] = [history, location, History.prototype];

  // Whoever looks for rare orders takes time where nothing else can come in between, and lets timers wait, each as long.
  const { pause, timeout } = window[Symbol.for("modelcontext.disturbance")] ?? { pause() {}, timeout: 0 };

  // The model in a page (page) can only dispatch what it fires, and tells which events these are.
  const isFired = window[Symbol.for("modelcontext.fired")] ?? (() => false);

  const me = config.id;
  const specs = Object.create(null);
  for (const spec of config.documents) specs[spec.id] = spec;
  const holderOf = (id) => specs[id].holder;

  // The windows of the program

  // The windows of the program's own tops: that of this document, of its opener, and so on. They need not be those of
  // the tab, because a program may run in a frame of somebody else's page.
  const tops = [];
  for (const climb of config.climbs) {
    let outer = tops.length === 0 ? window : tops[tops.length - 1].opener;
    if (!outer || !outer.top) break;
    for (let levels = 0; levels < climb; levels++) outer = outer.parent;
    tops[tops.length] = outer;
  }
  const coordinatorWindow = tops[tops.length - 1];

  function everyWindow() {
    const found = [];
    const visit = (view) => {
      found[found.length] = view;
      for (let index = 0; index < view.length; index++) visit(view[index]);
    };
    for (const view of tops) visit(view);
    return found;
  }

  const windows = Object.create(null); // by holder
  // Shown while the program's top document is in the back/forward cache: out of reach of all others.
  const isAway = Boolean(specs[me].tab);
  const leaves = some(config.documents, (spec) => spec.tab);
  windows[config.top] = coordinatorWindow;
  windows[holderOf(me)] = window;
  if (specs[me].opener) windows[holderOf(specs[me].opener)] = window.opener;

  function windowOf(id) {
    const holder = holderOf(id);
    if (!windows[holder]) {
      const spec = specs[holder];
      if (hasOwn(cell.frames, holder)) windows[holder] = apply(contentWindow, cell.frames[holder], []);
      else if (spec.parent) windows[holder] = windowOf(spec.parent)["modelcontext-" + holder];
      if (!windows[holder]) throw new Broken("the document " + me + " cannot reach the window of " + id);
    }
    return windows[holder];
  }

  class Broken {
    constructor(message) {
      this.message = message;
    }
  }

  // The cell that the documents of one event loop share

  const cellKey = Symbol.for("modelcontext.cell");
  let cell;
  // Only then is there somebody to look for.
  const isAlone = !some(config.documents, (spec) => spec.id !== me && spec.origin === specs[me].origin);
  for (const view of isAlone ? [] : everyWindow()) {
    try {
      cell ??= view[cellKey];
    } catch {
      // Another origin.
    }
  }
  cell ??= { id: me, sequence: 0, contexts: {}, realms: [], frames: {}, posts: [], coordinate: null };
  window[cellKey] = cell;

  const intrinsics = new Map([[Object.prototype, "Object"], [Array.prototype, "Array"], [Function.prototype, "Function"]]);
  for (const error of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
    intrinsics.set(error.prototype, error.name);
  }
  intrinsics.set(DOMException.prototype, "DOMException");
  cell.realms[cell.realms.length] = { id: me, intrinsics };
  cell.posts[cell.posts.length] = {
    alive: () => ownWindow.top !== null && !ownWindow.closed,
    post: (message) => post(config.top, message),
  };
  const myPost = cell.posts[cell.posts.length - 1];

  // What a document that is away has to say is kept for the one that comes back.
  const letters = [];
  const store = leaves && (isAway || me === config.top) ? sessionStorage : null;
  const LETTERS = "modelcontext.letters";

  function send(message) {
    if (isAway) {
      letters[letters.length] = message;
      apply(setItem, store, [LETTERS, stringify(letters)]);
      return;
    }
    if (cell.coordinate) {
      cell.coordinate(message, ownWindow);
      return;
    }
    let via = myPost;
    for (const post of cell.posts) if (!via.alive() && post.alive()) via = post;
    via.post(message);
  }

  function record(entry, settles) {
    pause();
    send({ kind: "entry", id: me, log: config.log, cell: cell.id, sequence: cell.sequence++, text: stringify({ in: me, ...entry }), settles });
  }

  // Messages to other documents arrive in order and surely: Chromium drops those for a window whose event loop stands in
  // window.open while a debugger (Playwright) attaches to the new window, so whatever is not acknowledged is sent again.
  const outbox = Object.create(null); // by addressee: the number of the last message, and those not acknowledged
  const inbox = Object.create(null); // by sender: the number of the last message that was taken
  const owed = Object.create(null); // by sender: the timer until what it sent is acknowledged, all of it at once
  // A frame that goes away with the page before this one can send something that arrives here.
  const run = specs[config.top].url;

  function post(to, message) {
    const box = (outbox[to] ??= { last: 0, waiting: [], timer: null });
    box.waiting[box.waiting.length] = { modelcontext: message, run, from: me, to, number: ++box.last };
    windowOf(to).postMessage(box.waiting[box.waiting.length - 1], "*");
    box.timer ??= later(() => postAgain(to, box), config.resend);
  }

  function postAgain(to, box) {
    box.timer = null;
    if (box.waiting.length === 0 || windowOf(to).closed) return;
    for (const message of box.waiting) windowOf(to).postMessage(message, "*");
    box.timer = later(() => postAgain(to, box), config.resend);
  }

  function acknowledged(from, number) {
    const { waiting } = outbox[from];
    while (waiting.length > 0 && waiting[0].number <= number) shift(waiting);
  }

  // Whether the message is the next one of its sender, and not meant for a document that was in this window before.
  function take({ from, to, number }, source) {
    if (to !== me) return false;
    const next = (inbox[from] ?? 0) + 1;
    if (number > next) return false;
    if (number === next) inbox[from] = number;
    owed[from] ??= later(() => {
      owed[from] = null;
      source?.postMessage({ acknowledged: inbox[from] ?? 0, run, from: me, to: from }, "*");
    }, config.resend / 2);
    return number === next;
  }

  // Writing values down

  function written(value, holders = []) {
    switch (typeof value) {
      case "undefined":
        return { $js: "undefined" };
      case "boolean":
        return value;
      case "string":
        return text(value);
      case "number":
        if (is(value, -0)) return { $js: "-0" };
        return value - value === 0 ? value : { $js: numberToString(value) };
      case "bigint":
        return { $bigint: NativeString(value) };
      case "symbol":
        return { $symbol: apply(symbolDescription, value, []) ?? "" };
      case "function":
        return { $function: true };
    }
    if (value === null) return null;
    for (const holder of ownKeys(windows)) if (windows[holder] === value) return { $window: holder };
    for (let up = 1; up <= holders.length; up++) if (holders[holders.length - up] === value) return { $cycle: up };
    try {
      return { $signal: apply(signalAborted, value, []) };
    } catch {
      // No AbortSignal.
    }

    const { realm, intrinsic } = origin(value);
    const foreign = realm !== undefined && realm !== me ? { $realm: realm } : {};
    if (intrinsic === "DOMException") return { $error: apply(exceptionName, value, []), ...foreign };
    if (intrinsic !== undefined && intrinsic !== "Object" && intrinsic !== "Array") return { $error: intrinsic, ...foreign };
    if (!isArray(value)) {
      const tag = interfaceOf(value);
      if (tag !== undefined) return { $platform: tag };
    }
    holders = [...holders, value];
    if (isArray(value)) {
      const items = [];
      for (let index = 0; index < value.length; index++) items[index] = member(value, index, holders);
      return realm === undefined || realm === me ? items : { $array: items, ...foreign };
    }
    const members = [];
    let plain = true;
    for (const key of ownKeys(value)) {
      if (typeof key !== "string" || !getOwnPropertyDescriptor(value, key).enumerable) continue;
      members[members.length] = [text(key), member(value, key, holders)];
      if (key[0] === "$" || typeof members[members.length - 1][0] !== "string") plain = false;
    }
    if (!plain || realm !== undefined && realm !== me) return { $object: members, ...foreign };
    const result = {};
    for (const [key, item] of members) defineProperty(result, key, { value: item, enumerable: true });
    return result;
  }

  function member(object, key, holders) {
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined) return { $js: "undefined" };
    return hasOwn(descriptor, "value") ? written(descriptor.value, holders) : { $accessor: true };
  }

  // The document whose realm an object comes from, told by the first intrinsic prototype on its chain.
  function origin(object) {
    for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
      for (const { id, intrinsics } of cell.realms) {
        const intrinsic = mapGet(intrinsics, prototype);
        if (intrinsic !== undefined) return { realm: id, intrinsic };
      }
    }
    return {};
  }

  function interfaceOf(object) {
    for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
      const tag = getOwnPropertyDescriptor(prototype, toStringTag);
      if (tag !== undefined && typeof tag.value === "string") return tag.value;
    }
    return undefined;
  }

  function text(string) {
    if (!isWellFormed(string)) {
      const units = [];
      for (let index = 0; index < string.length; index++) units[index] = charCodeAt(string, index);
      return { $string: units };
    }
    for (const letter of ownKeys(config.origins)) {
      string = replaced(string, config.origins[letter], "{" + letter + "}");
    }
    return string;
  }

  // Making values

  const notations = Object.create(null);
  for (const notation of config.notations) notations[notation] = true;
  const isNotation = (key) => notations[key] === true;
  const named = Object.create(null); // values of $let, and of results by label
  const controllers = Object.create(null);
  const pendings = Object.create(null);

  const controller = (name) => (controllers[name] ??= new NativeAbortController());

  function pending(name) {
    return (pendings[name] ??= (() => {
      const made = {};
      made.promise = new NativePromise((resolve, reject) => ((made.resolve = resolve), (made.reject = reject)));
      return made;
    })());
  }

  function substituted(string) {
    if (!includes(string, "{")) return string;
    for (const letter of ownKeys(config.origins)) string = replaced(string, "{" + letter + "}", config.origins[letter]);
    return string;
  }

  function make(data) {
    if (typeof data === "string") return substituted(data);
    if (typeof data !== "object") return data;
    if (isArray(data)) {
      const list = [];
      for (let index = 0; index < data.length; index++) list[index] = make(data[index]);
      return list;
    }
    const keys = ownKeys(data);
    for (const key of keys) if (isNotation(key)) return special(key, data[key], data);
    const object = {};
    for (const key of keys) addMember(object, key, data[key]);
    return object;
  }

  function addMember(object, key, data) {
    key = substituted(key);
    if (typeof data === "object" && hasOwn(data, "$getter")) {
      const get = () => {
        record({ get: data.$getter });
        runNested(data.steps);
        if (hasOwn(data, "throws")) throw make(data.throws);
        return make(data.returns);
      };
      defineProperty(object, key, { get, enumerable: true, configurable: true });
    } else {
      defineProperty(object, key, { value: make(data), enumerable: true, configurable: true, writable: true });
    }
  }

  const constants = { undefined, null: null, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };

  function special(notation, subject, data) {
    switch (notation) {
      case "$js":
        return constants[subject];
      case "$bigint":
        return NativeBigInt(subject);
      case "$symbol":
        return NativeSymbol(subject);
      case "$string":
        return apply(fromCharCode, null, subject);
      case "$repeat":
        return repeat(substituted(subject), data.times);
      case "$object": {
        const object = {};
        for (const [key, item] of subject) addMember(object, key, item);
        return object;
      }
      case "$function":
        return (...values) => {
          record({ function: subject, arguments: written(values) });
          return behave(data);
        };
      case "$callback":
        return (input, options) => {
          record({ callback: subject, input: written(input), aborted: options.signal.aborted });
          if (data.watch) {
            const { signal } = options;
            apply(addEventListener, signal, ["abort", () => record({ abort: subject, reason: written(signal.reason) })]);
          }
          return behave(data);
        };
      case "$toJSON":
        return {
          toJSON() {
            if (subject !== null && typeof subject === "object" && hasOwn(subject, "$throw")) throw make(subject.$throw);
            return make(subject);
          },
        };
      case "$cycle": {
        const object = {};
        object[subject] = object;
        return object;
      }
      case "$error":
        return hasOwn(errors, subject) ? new errors[subject]("of the program") : new NativeDOMException("of the program", subject);
      case "$signal":
        return controller(subject).signal;
      case "$abortedSignal":
        return apply(abortedSignal, NativeAbortSignal, [make(subject)]);
      case "$anySignal": {
        const signals = [];
        for (const name of subject) signals[signals.length] = controller(name).signal;
        return apply(anySignal, NativeAbortSignal, [signals]);
      }
      case "$promise":
        return pending(subject).promise;
      case "$thenable":
        return { then: (resolve) => resolve(make(subject)) };
      case "$window":
        return windowOf(subject);
      case "$origin":
        return specs[subject].origin;
      case "$modelContext":
        return windowOf(subject)[config.accessor].modelContext;
      case "$tool": {
        const owner = data.in ?? me;
        return { name: substituted(subject), description: "", origin: specs[owner].origin, window: windowOf(owner) };
      }
      case "$listed": {
        const list = named[data.from];
        if (isArray(list)) for (const tool of list) if (tool.name === subject) return tool;
        return undefined;
      }
      case "$let":
        return (named[subject] = make(data.be));
      case "$the":
        return follow(named[subject], data.path ?? []);
    }
    throw new Broken("no value is made for the notation " + notation);
  }

  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function follow(object, path) {
    for (const key of path) object = object[key];
    return object;
  }

  function behave(data) {
    runNested(data.steps);
    if (hasOwn(data, "returns")) return make(data.returns);
    if (hasOwn(data, "throws")) throw make(data.throws);
    if (hasOwn(data, "pending")) return pending(data.pending).promise;
    if (hasOwn(data, "rejects")) {
      const reason = make(data.rejects);
      return new NativePromise((_, reject) => reject(reason));
    }
    const value = hasOwn(data, "resolves") ? make(data.resolves) : true;
    return new NativePromise((resolve) => resolve(value));
  }

  // Steps

  const messages = Object.create(null); // message -> true, or what goes on when it comes
  const settled = Object.create(null); // label -> true
  const waiters = Object.create(null); // label -> what goes on when that result settles
  const popups = Object.create(null); // id -> what goes on when that popup has loaded

  function runScript(index) {
    const steps = config.script;
    while (index < steps.length) {
      const step = steps[index++];
      if (perform(step, step.wait ? () => runScript(index) : null)) return;
    }
    send({ kind: "ended", id: me });
  }

  function runNested(steps = []) {
    for (const step of steps) perform(step, null);
  }

  // Returns whether the script goes on later, by calling `next`.
  function perform(step, next) {
    pause();
    try {
      return operations[step.do](step, step.arguments, next) === true;
    } catch (error) {
      if (error instanceof Broken) {
        send({ kind: "broken", id: me, text: step.place + ": " + error.message });
        return true;
      }
      record({ step: step.label, threw: written(error) });
      return false;
    }
  }

  const promises = Object.create(null); // the operations that return one
  for (const operation of config.promises) promises[operation] = true;

  function contextOf(step) {
    const id = step.on ?? me;
    if (!hasOwn(cell.contexts, id)) throw new Broken("the document " + me + " cannot reach the ModelContext of " + id);
    return cell.contexts[id];
  }

  // Calls a method; what it returns is recorded at once, or when it has settled if it is to be a promise.
  function call(step, list, next) {
    const context = contextOf(step);
    const promise = context[step.do](...list);
    if (!promises[step.do]) {
      record({ step: step.label, value: written(promise) });
      return false;
    }
    const settle = (key) => (value) => {
      // HTML runs no jobs of a document that is not fully active, and Chromium does where another realm has the promise.
      if (apply(viewOf, ownDocument, []) === null) return;
      named[step.label] = value;
      record({ promise: step.label, [key]: written(value) }, step.label);
      settled[step.label] = true;
      const waiter = waiters[step.label];
      delete waiters[step.label];
      if (waiter) waiter();
      if (next) next();
    };
    apply(then, promise, [settle("fulfilled"), settle("rejected")]);
    send({ kind: "called", id: me, label: step.label });
    return next !== null;
  }

  // The list of arguments without the trailing ones that a program leaves out.
  function list(data, keys) {
    if (hasOwn(data, "arguments")) return make(data.arguments);
    const result = [];
    for (let index = 0; index < keys.length; index++) {
      if (!hasOwn(data, keys[index])) continue;
      while (result.length < index) result[result.length] = undefined;
      result[index] = make(data[keys[index]]);
    }
    return result;
  }

  function eventAttributes(event) {
    const flags = [];
    if (event.isTrusted || isFired(event)) flags[flags.length] = "trusted";
    for (const flag of ["bubbles", "cancelable", "composed"]) if (event[flag]) flags[flags.length] = flag;
    const toolName = "toolName" in event ? { toolName: written(event.toolName) } : {};
    return { interface: interfaceOf(event), type: text(event.type), ...toolName, flags };
  }

  const listener = (via, steps) => (event) => {
    const { type, ...attributes } = eventAttributes(event);
    record({ event: type, via, ...attributes });
    runNested(steps);
  };

  function makeFrame(id, loaded) {
    const spec = specs[id];
    const frame = createElement("iframe");
    frame.name = "modelcontext-" + id;
    if (spec.allow !== null) frame.allow = spec.allow;
    if (spec.sandbox !== null) frame.setAttribute("sandbox", spec.sandbox);
    frame.src = spec.url;
    cell.frames[id] = frame;
    if (loaded) apply(addEventListener, frame, ["load", loaded, { once: true }]);
    apply(append, body(), [frame]);
  }

  function arrived(id, next) {
    send({ kind: "arrived", id });
    post(id, { kind: "start" });
    next();
  }

  const operations = {
    registerTool: (step, data, next) => call(step, list(data, ["tool", "options"]), next),
    unregisterTool: (step, data, next) => call(step, list(data, ["name"]), next),
    getTools: (step, data, next) => call(step, list(data, ["options"]), next),
    executeTool: (step, data, next) => call(step, list(data, ["tool", "input", "options"]), next),
    abort(step, data) {
      const list = hasOwn(data, "reason") ? [make(data.reason)] : [];
      controller(data.controller).abort(...list);
    },
    resolve: (step, data) => void pending(data.pending).resolve(hasOwn(data, "value") ? make(data.value) : undefined),
    reject: (step, data) => void pending(data.pending).reject(hasOwn(data, "value") ? make(data.value) : undefined),
    listen: (step, data) => void contextOf(step).addEventListener(data.type, listener("listener", data.steps)),
    handler(step, data) {
      contextOf(step)["on" + data.type] = hasOwn(data, "value") ? make(data.value) : listener("handler", data.steps);
    },
    timer(step, data) {
      send({ kind: "scheduled", id: me });
      later(() => {
        record({ timer: step.label });
        runNested(data.steps);
        send({ kind: "ran", id: me });
      }, timeout);
    },
    microtask(step, data) {
      microtask(() => {
        record({ microtask: step.label });
        runNested(data.steps);
      });
    },
    log: (step, data) => record({ log: written(make(data.value)) }),
    set(step, data) {
      const object = follow(named[data.object], splice([...data.path], 0, data.path.length - 1));
      object[data.path[data.path.length - 1]] = make(data.value);
    },
    same(step, data) {
      const [left, right] = make(data.values);
      record({ step: step.label, value: is(left, right) });
    },
    get(step, data) {
      const object = (data.object ?? "modelContext") === "modelContext" ? contextOf(step) : named[data.object];
      record({ step: step.label, value: written(follow(object, data.path)) });
    },
    construct(step, data) {
      const made = construct(window[data.interface], make(data.arguments ?? []));
      record({ step: step.label, value: made instanceof Event ? eventAttributes(made) : written(made) });
    },
    dispatch(step, data) {
      const event = construct(window[data.interface], make(data.arguments ?? []));
      record({ step: step.label, value: written(contextOf(step).dispatchEvent(event)) });
    },
    tell: (step, data) => void post(data.to, { kind: "tell", message: data.message }),
    waitFor(step, data, next) {
      if (hasOwn(data, "result")) {
        if (settled[data.result]) return false;
        waiters[data.result] = next;
      } else {
        if (messages[data.message] === true) return false;
        messages[data.message] = next;
      }
      return true;
    },
    addFrame(step, data, next) {
      send({ kind: "arriving", id: data.document });
      makeFrame(data.document, () => arrived(data.document, next));
      return true;
    },
    removeFrame(step, data) {
      const frame = cell.frames[holderOf(data.document)];
      send({ kind: "gone", id: data.document });
      apply(remove, frame, []);
    },
    navigate(step, data, next) {
      const frame = cell.frames[holderOf(data.document)];
      // A removed iframe shows nothing, so nothing is to come.
      if (!apply(isConnected, frame, [])) return true;
      const loaded = () => {
        send({ kind: "gone", id: data.document });
        arrived(data.to, next);
      };
      apply(addEventListener, frame, ["load", loaded, { once: true }]);
      send({ kind: "arriving", id: data.to });
      frame.src = specs[data.to].url;
      return true;
    },
    open(step, data, next) {
      popups[data.document] = () => arrived(data.document, next);
      send({ kind: "arriving", id: data.document });
      openPopup(data.document);
      return true;
    },
    close(step, data) {
      send({ kind: "gone", id: data.document });
      windowOf(data.document).close();
    },
    leave(step, data, next) {
      send({ kind: "arriving", id: data.document });
      const shown = () => {
        for (const letter of parse(apply(getItem, store, [LETTERS]) ?? "[]")) send(letter);
        apply(removeItem, store, [LETTERS]);
        send({ kind: "arrived", id: data.document });
        send({ kind: "gone", id: data.document });
        next();
      };
      apply(addEventListener, ownWindow, ["pageshow", shown, { once: true }]);
      ownLocation.href = specs[data.document].url;
      return true;
    },
    goBack() {
      apply(back, ownHistory, []);
      return true;
    },
    pageTransition(step, data) {
      const hear = () => {
        record({ pageTransition: data.type });
        runNested(data.steps);
      };
      apply(addEventListener, ownWindow, [data.type, hear]);
    },
  };

  function openPopup(id) {
    const popup = apply(openWindow, ownWindow, [specs[id].url, "_blank"]);
    if (!popup) throw new Broken("the browser opened no window for the document " + id);
    windows[id] = popup;
  }

  // Messages between the documents

  let owedGreetings = 0;
  const received = {
    start() {
      reachable();
      runScript(0);
    },
    tell({ message }) {
      const next = messages[message];
      messages[message] = true;
      if (typeof next === "function") next();
    },
    openPopup: ({ id }) => openPopup(id),
    // A document reaches frames by their names, but a popup only by the message that the popup sends it.
    prepare() {
      knowContext();
      if (specs[me].opener) {
        for (const id of reachable()) {
          if (id === me) continue;
          owedGreetings++;
          post(id, { kind: "greet", id: me });
        }
      }
      if (owedGreetings === 0) prepared();
    },
    greet({ id }, source) {
      windows[holderOf(id)] ??= source;
      post(id, { kind: "greeted" });
    },
    greeted() {
      if (--owedGreetings === 0) prepared();
    },
    popupLoaded: ({ id }) => popups[id]?.(),
    ping({ round }) {
      later(() => {
        let answered = false;
        const answer = () => {
          if (!answered) later(() => send({ kind: "pong", id: me, round }), 0);
          answered = true;
        };
        const context = cell.contexts[me];
        // Chromium's promise may never settle; then the run ends with what there is.
        later(answer, config.quiet);
        if (promises.getTools && context && context.getTools) apply(then, context.getTools(), [answer, answer]);
        else answer();
      }, 0);
    },
  };

  // The documents of the start whose windows this one can reach; looks them up, so that they stay known when removed.
  function reachable() {
    const found = [];
    for (const id of ownKeys(specs)) {
      try {
        if (!specs[id].later && windowOf(id)) found[found.length] = id;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
      }
    }
    return found;
  }

  function prepared() {
    reachable();
    send({ kind: "prepared", id: me });
  }

  apply(addEventListener, window, ["message", ({ data, source }) => {
    try {
      if (data?.run !== run) return;
      // One for a document that was in this window before is of no interest.
      if (data.acknowledged && data.to === me) acknowledged(data.from, data.acknowledged);
      const message = data.modelcontext;
      if (!message || !take(data, source)) return;
      if (hasOwn(received, message.kind)) received[message.kind](message, source);
      else if (coordinator) coordinator(message, source);
    } catch (error) {
      send({ kind: "broken", id: me, text: NativeString(error?.message ?? error) });
    }
  }]);

  // The coordinator

  const coordinator = window === coordinatorWindow && !isAway ? coordinate() : null;
  if (coordinator) cell.coordinate = coordinator;

  function coordinate() {
    const state = Object.create(null); // by document: "awaited", "loaded", "prepared", "started", "ended", "gone"
    const logs = Object.create(null);
    const cells = Object.create(null);
    const unsettled = [];
    const timers = Object.create(null);
    const initial = map(filter(config.documents, (spec) => !spec.later), (spec) => spec.id);
    for (const id of initial) state[id] = "awaited";
    let arriving = [];
    let round = 0; // of questions to all documents whether they are done
    let asked = null; // the documents that have not answered yet
    let lookPlanned = false;
    let patience = null; // the timer until the next look when something is still to come
    let finish;
    const result = new NativePromise((resolve) => (finish = resolve));
    // Its own "then": whoever waits for the result must not meet a member that the program has reassigned.
    defineProperty(result, "then", { value: then });
    defineProperty(ownWindow, NativeSymbol.for("modelcontext.result"), { value: result });
    const [visit] = leaves ? performance.getEntriesByType("navigation") : [];
    if (visit && visit.type === "back_forward") {
      const why = visit.notRestoredReasons ? ": " + stringify(visit.notRestoredReasons) : "";
      finish({ error: "the browser did not keep the page in the back/forward cache" + why });
    }
    if (config.report !== null) {
      const page = ownWindow.opener ?? ownWindow.parent;
      apply(then, result, [(outcome) => page.postMessage({ report: config.report, result: outcome }, "*")]);
    }

    later(() => {
      const unready = filter(initial, (id) => state[id] === "awaited" || state[id] === "loaded");
      if (unready.length > 0) finish({ error: "these documents did not get ready: " + join(map(unready, (id) => id + " (" + state[id] + ")"), ", ") });
      const missing = arriving.length > 0 ? "; never arrived: " + join(arriving, ", ") : "";
      const silent = asked ? "; no answer from: " + join(asked.awaited, ", ") : "";
      finish({ timeout: "the documents do not come to rest" + missing + silent });
    }, config.patience);

    const drop = (list, item) => {
      const index = position(list, item);
      if (index >= 0) splice(list, index, 1);
    };
    // The popups of the start open one after the other, each when everything before it has loaded: opened at once, some
    // never load (a debugger has to let each of them go).
    const popups = filter(initial, (id) => specs[id].opener);
    const rootOf = (id) => (specs[id].parent ? rootOf(specs[id].parent) : id);
    const opened = [config.top];

    function openNext() {
      if (some(initial, (id) => position(opened, rootOf(id)) >= 0 && state[id] === "awaited")) return;
      const next = shift(popups);
      push(opened, next);
      post(specs[next].opener, { kind: "openPopup", id: next });
    }

    const all = (wanted) => every(initial, (id) => state[id] === wanted);
    const isGone = (id) => state[id] === "gone" || (specs[id].parent ? isGone(specs[id].parent) : false);
    const isLive = (id) => state[id] !== undefined && !isGone(id);

    const kinds = {
      loaded({ id }, source) {
        windows[holderOf(id)] ??= source;
        if (state[id] !== "awaited") return;
        state[id] = "loaded";
        if (all("loaded")) for (const id of initial) post(id, { kind: "prepare" });
        else openNext();
      },
      prepared({ id }) {
        if (state[id] === "loaded") state[id] = "prepared";
        if (!all("prepared")) return;
        for (const id of initial) state[id] = "started";
        for (const id of initial) post(id, { kind: "start" });
      },
      arriving: ({ id }) => void push(arriving, id),
      arrived({ id }) {
        drop(arriving, id);
        state[id] ??= "started";
      },
      ended: ({ id }) => void (state[id] = isGone(id) ? "gone" : "ended"),
      gone({ id }) {
        state[id] = "gone";
        arriving = filter(arriving, (other) => holderOf(other) !== id && !isGone(other));
      },
      entry({ id, log, cell, sequence, text, settles }) {
        push((logs[log] ??= []), { sequence, text });
        cells[log] ??= cell;
        if (cells[log] !== cell) finish({ error: "the documents of the event loop " + log + " did not find each other" });
        if (settles !== undefined) drop(unsettled, id + ": " + settles);
      },
      called: ({ id, label }) => void push(unsettled, id + ": " + label),
      scheduled: ({ id }) => void (timers[id] = (timers[id] ?? 0) + 1),
      ran: ({ id }) => void timers[id]--,
      broken: ({ id, text }) => finish({ error: id + ": " + text }),
    };

    // Over when nothing is left to come (or nothing has come for a while), and then round trips through every live
    // document, its timers and the browser's registry of tools have brought nothing new.
    function isIdle() {
      if (some(unsettled, (label) => isLive(part(label, 0, find(label, ": "))))) return false;
      return every(ownKeys(state), (id) => isGone(id) || (state[id] === "ended" && !timers[id]));
    }

    function look() {
      lookPlanned = false;
      if (some(initial, (id) => state[id] === "awaited" || state[id] === "loaded" || state[id] === "prepared")) return;
      if (isIdle()) ask(config.rounds);
      else if (arriving.length === 0) patience = later(() => ask(config.rounds), config.quiet);
    }

    function ask(rounds) {
      const mine = ++round;
      asked = { awaited: filter(ownKeys(state), isLive), rounds };
      for (const id of asked.awaited) post(id, { kind: "ping", round });
      patience = later(() => {
        if (round === mine && asked) finish({ timeout: "no answer from " + join(asked.awaited, ", ") });
      }, config.silence);
    }

    function pong({ id, round: answered }) {
      if (asked === null || answered !== round) return;
      drop(asked.awaited, id);
      if (asked.awaited.length > 0) return;
      const { rounds } = asked;
      asked = null;
      forget(patience);
      if (rounds > 1) ask(rounds - 1);
      else over();
    }

    function over() {
      const written = {};
      for (const log of ownKeys(logs)) {
        written[log] = map(sort(logs[log], (left, right) => left.sequence - right.sequence), ({ text }) => parse(text));
      }
      finish({ outcome: stringify({ logs: written, pending: sort(unsettled) }) });
    }

    return (message, source) => {
      if (message.kind === "pong") return pong(message);
      kinds[message.kind](message, source);
      // Whatever was asked before this is out of date.
      asked = null;
      forget(patience);
      if (!lookPlanned) {
        lookPlanned = true;
        later(look, 0);
      }
    };
  }

  // Loading

  // Not as soon as a document has loaded, if that can wait: Chromium never answers a frame that is so quick now and then.
  function knowContext() {
    cell.contexts[me] = window[config.accessor].modelContext;
  }

  apply(addEventListener, window, ["load", () => {
    if (isAway || specs[me].later) knowContext();
    if (isAway) {
      later(() => runScript(0), 0);
      return;
    }
    send({ kind: "loaded", id: me });
    if (specs[me].opener) post(specs[me].opener, { kind: "popupLoaded", id: me });
  }]);

  for (const spec of config.documents) if (spec.parent === me && !spec.later) makeFrame(spec.id);
})
