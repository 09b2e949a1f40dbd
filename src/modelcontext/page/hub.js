// The one place where the realms of a page meet Python: handles for values, documents, and real tasks.
//
// It lives in a window of its own, which has opened those of the page (see bootstrap.js). Python holds numbers for whatever
// belongs to the page, so that nothing of the page is ever touched by way of a proxy; strings of JSON cross in both directions.
function makeHub(onFault) {
  "use strict";

  const { getPrototypeOf } = Reflect;
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const viewGetter = getter(Document.prototype, "defaultView");
  const policyGetter = getter(Document.prototype, "featurePolicy");
  const defaultView = (document) => viewGetter.call(document);
  const frameElement = getter(window, "frameElement");
  const query = (document, selectors) => Document.prototype.querySelectorAll.call(document, selectors);
  const rootOf = (node) => Node.prototype.getRootNode.call(node);
  const contentWindows = {
    __proto__: null,
    iframe: getter(HTMLIFrameElement.prototype, "contentWindow"),
    frame: getter(HTMLFrameElement.prototype, "contentWindow"),
    object: getter(HTMLObjectElement.prototype, "contentWindow"),
  };

  const hub = { __proto__: null };
  let python = null;

  // Values, by handle

  const values = new Map();
  let lastHandle = 0;
  hub.hold = (value) => {
    values.set(++lastHandle, value);
    return lastHandle;
  };
  hub.take = (handle) => values.get(handle);

  // Realms, documents and windows

  const realms = [null];
  const realmOfPrototype = new WeakMap();
  const realmOfFunctions = new WeakMap();
  const realmOfNavigator = new WeakMap();
  const bareRealms = new Map();
  const locals = new Map();
  const documents = [null];
  const documentIds = new WeakMap();
  const windows = [null];
  const windowIds = new Map();
  let current = null;

  hub.enter = (service) => {
    service.id = realms.push(service) - 1;
    for (const prototype of service.prototypes) realmOfPrototype.set(prototype, service);
    for (const prototype of service.functions) realmOfFunctions.set(prototype, service);
    realmOfNavigator.set(service.navigator, service);
    locals.set(service.window, service);
  };

  function onChain(object, known) {
    for (let prototype = getPrototypeOf(object); prototype !== null; prototype = getPrototypeOf(prototype)) {
      const found = known.get(prototype);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  // The realm of a window that has no front end: of another origin, or no secure context.
  function bareRealm(view) {
    if (!bareRealms.has(view)) {
      const service = { __proto__: null, window: view, bare: true, document: () => null };
      service.id = realms.push(service) - 1;
      bareRealms.set(view, service);
    }
    return bareRealms.get(view);
  }

  function newDocument(document, service) {
    const id = documents.length;
    documents.push({ __proto__: null, id, document, service, cached: false, waiting: [] });
    return id;
  }

  hub.documentId = (document) => {
    let id = documentIds.get(document);
    // Others can see one before the script has run that makes its realm known. So far nothing has happened to it.
    if (id === undefined || documents[id].service.bare) {
      const service = onChain(document, realmOfPrototype);
      if (id === undefined || service !== undefined) {
        id = newDocument(document, service ?? bareRealm(defaultView(document)));
        documentIds.set(document, id);
      }
    }
    return id;
  };

  hub.navigatorId = (navigator) => realmOfNavigator.get(navigator).id;

  function documentIn(view) {
    try {
      return view.document ?? null;
    } catch {
      // Another origin; or document.domain was set there after it was found that this is the same.
      const service = locals.get(view);
      return service === undefined || service.gone ? null : service.document();
    }
  }

  function serviceOf(view) {
    const document = documentIn(view);
    return document === null ? (remotes.get(view) ?? bareRealm(view)) : documents[hub.documentId(document)].service;
  }

  hub.realmOfWindow = (view) => serviceOf(view).id;

  // A Window can go on from the initial about:blank document to the one that is loaded.
  function documentIdOf(service) {
    if (service.bare || service.port) return (service.documentId ??= newDocument(null, service));
    const document = documentIn(service.window);
    if (document !== null && onChain(document, realmOfPrototype) === service) service.last = document;
    return hub.documentId(service.last ?? service.document());
  }

  function windowId(view) {
    let id = windowIds.get(view);
    if (id === undefined) {
      id = windows.push(view) - 1;
      windowIds.set(view, id);
    }
    return id;
  }

  // The window that a document is active in, or null.
  function viewOf({ document, service, cached }) {
    if (cached) return null;
    if (document !== null) return defaultView(document);
    return service.port && !service.gone && (service.leaving || !service.window.closed) ? service.window : null;
  }

  const isFullyActive = (record) => viewOf(record) !== null;

  // The frames of a document in shadow-including tree order. What is in a shadow tree, which may be closed, is found by way
  // of its window.
  function childViews(document) {
    const elements = [...query(document, "iframe, frame, object")];
    const inShadows = [];
    for (const service of realms) {
      const element = service === null || service.bare ? null : elementOf(service.window);
      if (element !== null && rootOf(element) !== document && rootOf(hostsOf(element)[0]) === document) {
        inShadows.push(element);
      }
    }
    if (inShadows.length > 0) {
      elements.push(...new Set(inShadows));
      elements.sort(byTreeOrder);
    }
    return elements.map((element) => contentWindows[element.localName].call(element)).filter((view) => view !== null);
  }

  function elementOf(view) {
    try {
      return frameElement.call(view);
    } catch {
      return null; // The parent is of another origin.
    }
  }

  // An element, after the hosts of the shadow trees around it.
  function hostsOf(element) {
    const hosts = [element];
    for (
      let root = rootOf(element);
      root.nodeType === Node.DOCUMENT_FRAGMENT_NODE && root.host;
      root = rootOf(hosts[0])
    ) {
      hosts.unshift(root.host);
    }
    return hosts;
  }

  function byTreeOrder(a, b) {
    const [left, right] = [hostsOf(a), hostsOf(b)];
    for (let index = 0; index < left.length && index < right.length; index++) {
      if (left[index] === right[index]) continue;
      return left[index].compareDocumentPosition(right[index]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
    }
    return left.length - right.length;
  }

  function inclusiveDescendants(view, found) {
    found.push(windowId(view));
    const document = documentIn(view);
    if (document !== null) {
      for (const child of childViews(document)) inclusiveDescendants(child, found);
    } else {
      for (let index = 0; index < view.length; index++) inclusiveDescendants(view[index], found);
    }
    return found;
  }

  hub.hide = (service, persisted) => {
    const id = documentIdOf(service);
    guard(() => python.unload(id));
    documents[id].cached = persisted;
    service.gone = !persisted;
  };

  hub.show = (service, persisted) => {
    if (!persisted) return;
    const record = documents[documentIdOf(service)];
    record.cached = false;
    const waiting = record.waiting;
    record.waiting = [];
    for (const task of waiting) channel.port2.postMessage(task);
  };

  // Objects of the API

  const wrappers = new Map();
  const brands = new WeakMap();
  hub.attributes = new WeakMap();
  hub.fired = new WeakSet();
  hub.brandOf = (object) => brands.get(object);
  hub.get = (owner, name) => wrappers.get(guard(() => python.get(owner, name)));

  // Entering Python. An exception of Python itself is a fault of the host, and ends whatever runs here.

  function guard(steps) {
    depth++;
    try {
      return steps();
    } catch (error) {
      onFault(String(error.message ?? error));
      throw error;
    } finally {
      if (--depth === 0) flush();
    }
  }

  function inRealm(service, steps) {
    const outer = current;
    current = service;
    try {
      return steps();
    } finally {
      current = outer;
    }
  }

  hub.call = (service, id, operation, data) => {
    const outer = current;
    current = service;
    depth++;
    try {
      return python.call(id, operation, data);
    } catch (error) {
      onFault(String(error.message ?? error));
      throw error;
    } finally {
      current = outer;
      if (--depth === 0) flush();
    }
  };

  // Tasks: a real one for each, first in, first out, by way of one channel. Zero stands for the steps in parallel.

  const channel = new MessageChannel();
  const documentsOfTasks = new Map();
  channel.port1.onmessage = ({ data: task }) => {
    if (task === 0) {
      guard(() => python.advance());
      return;
    }
    const record = documentsOfTasks.get(task);
    if (!isFullyActive(record)) {
      if (record.cached) {
        record.waiting.push(task);
      } else {
        documentsOfTasks.delete(task);
        python.drop(task);
      }
      return;
    }
    documentsOfTasks.delete(task);
    guard(() => inRealm(record.service, () => python.run(task)));
  };

  // Data that Python has written, as values of a realm

  function made(service, data) {
    if (typeof data !== "object" || data === null) return data;
    const [kind, subject] = data;
    switch (kind) {
      case "undefined":
        return undefined;
      case "held":
        return values.get(subject);
      case "promise":
        return values.get(subject).promise;
      case "error":
        return service.error(subject, data[2], data[3]);
      case "list":
        return service.array(subject.map((item) => made(service, item)));
      case "dictionary":
        return service.object(subject.map(([key, member]) => [key, made(service, member)]));
      case "window":
        return realms[subject].window;
      case "object":
        return wrappers.get(subject);
    }
    throw new TypeError(`no value is written as ${kind}`);
  }

  // What Python asks for: see the protocol of this name in verbs.py.
  hub.verbs = {
    free: (handle) => {
      const value = values.get(handle);
      values.delete(handle);
      if (Elsewhere.is(value)) post(value.service, ["free", value.key]);
    },
    realm_of_document: (id) => documents[id].service.id,
    document_of_realm: (id) => {
      return documentIdOf(realms[id]);
    },
    is_fully_active: (id) => isFullyActive(documents[id]),
    is_allowed: (id, feature) => {
      const record = documents[id];
      if (!isFullyActive(record)) return false;
      return record.document === null
        ? record.service.features.includes(feature)
        : policyGetter.call(record.document).allowsFeature(feature);
    },
    origin_of: (id) => documents[id].service.origin?.() ?? "null",
    navigable_of: (id) => {
      const view = viewOf(documents[id]);
      return view === null ? 0 : windowId(view);
    },
    // A window that is gone has no top any more, but its document may only now tell that it leaves.
    top_of: (id) => windowId(windows[id].top ?? remotes.get(windows[id])?.top ?? windows[id]),
    active_document: (id) => {
      const record = documents[documentIdOf(serviceOf(windows[id]))];
      return viewOf(record) === null ? 0 : record.id;
    },
    inclusive_descendants: (id) => {
      const view = viewOf(documents[id]);
      return JSON.stringify(view === null ? [] : inclusiveDescendants(view, []));
    },
    new_promise: (realm) => {
      const service = realms[realm];
      return service.port ? command(service, "new_promise") : hub.hold(service.newPromise());
    },
    resolve: (handle, realm, data) => settle(handle, realms[realm], "resolve", data),
    reject: (handle, realm, data) => settle(handle, realms[realm], "reject", data),
    new_object: (realm) => {
      const service = realms[realm];
      if (!service.port) return hub.hold(service.object([]));
      return command(service, "make", ["dictionary", []], { text: "{}", isObject: true });
    },
    is_object: (handle) => {
      const value = values.get(handle);
      if (Elsewhere.is(value)) return value.known.isObject;
      return (typeof value === "object" && value !== null) || typeof value === "function";
    },
    // The text; 0 where there is none, and the handle of what was thrown.
    serialize: (handle) => {
      const value = values.get(handle);
      if (Elsewhere.is(value)) return value.known.text ?? hold(value.service, value.known.thrown);
      try {
        return current.stringify(value) ?? 0;
      } catch (thrown) {
        return hub.hold(thrown);
      }
    },
    // The handle; the negative one of what was thrown.
    parse: (text, realm) => {
      if (realms[realm].port) {
        const value = JSON.parse(text);
        return command(realms[realm], "parse", text, { isObject: typeof value === "object" && value !== null });
      }
      try {
        return hub.hold(realms[realm].parse(text));
      } catch (thrown) {
        return -hub.hold(thrown);
      }
    },
    make: (realm, data) => {
      const service = realms[realm];
      return service.port ? command(service, "make", sent(service, data)) : hub.hold(made(service, JSON.parse(data)));
    },
    realm_of_function: (handle, otherwise) =>
      remotely(handle, ({ service }) => service.id) ?? onChain(values.get(handle), realmOfFunctions)?.id ?? otherwise,
    invoke: (handle, realm, data) => {
      const service = realms[realm];
      if (service.port) return command(service, "invoke", [values.get(handle).key, sent(service, data)]);
      return hub.hold(service.invoke(values.get(handle), made(service, JSON.parse(data))));
    },
    react: (handle, realm, id) => {
      const service = realms[realm];
      if (service.port) {
        post(service, ["react", values.get(handle).key, id]);
        return;
      }
      service.react(values.get(handle), (fulfilled, value) => {
        guard(() => inRealm(service, () => python.settled(id, fulfilled, hub.hold(value))));
      });
    },
    is_aborted: (handle) => remotely(handle, ({ known }) => known.aborted) ?? current.isAborted(values.get(handle)),
    abort_reason: (handle) =>
      remotely(handle, ({ service, key }) => command(service, "reason", key)) ??
      hub.hold(current.reasonOf(values.get(handle))),
    add_abort_steps: (handle, id) => {
      const signal = values.get(handle);
      const service = current;
      if (Elsewhere.is(signal)) {
        post(signal.service, ["add_abort_steps", signal.key, id, signal.service.calling]);
        return;
      }
      const steps = () => guard(() => inRealm(service, () => python.abort(id)));
      service.addAbortSteps(signal, steps);
      collected.register(steps, id); // They live as long as the signal, whose wrapper need not.
    },
    new_abort_controller: (realm) => {
      const service = realms[realm];
      return service.port ? command(service, "new_abort_controller") : hub.hold(service.newAbortController());
    },
    signal_of: (handle) =>
      remotely(handle, ({ service, key }) => command(service, "signal", key)) ??
      hub.hold(current.signalOf(values.get(handle))),
    abort: (handle) => {
      const controller = values.get(handle);
      if (Elsewhere.is(controller)) post(controller.service, ["abort", controller.key]);
      else current.abort(controller);
    },
    wrap: (id, interfaceName, realm) => {
      const service = realms[realm];
      if (service.port) return; // It is there already: see makeRelay() in relay.js.
      const object = service.wrap(interfaceName);
      wrappers.set(id, object);
      brands.set(object, { __proto__: null, interface: interfaceName, id, handlers: { __proto__: null } });
    },
    fire: (id, realm, type, interfaceName, attributes) => {
      const service = realms[realm];
      const own = attributes === "" ? null : { __proto__: null, ...JSON.parse(attributes) };
      if (service.port) post(service, ["fire", id, type, interfaceName, own]);
      else service.fire(wrappers.get(id), type, interfaceName, own);
    },
    queue: (realm, task) => {
      const record = documents[documentIdOf(realms[realm])];
      documentsOfTasks.set(task, record);
      if (record.service.port) tasksElsewhere.push([record.service, task]);
      else channel.port2.postMessage(task);
    },
    schedule: () => {
      channel.port2.postMessage(0);
    },
  };

  function settle(handle, service, how, data) {
    if (service.port) post(service, [how, values.get(handle).key, sent(service, data)]);
    else values.get(handle)[how](made(service, JSON.parse(data)));
  }
  const collected = new FinalizationRegistry((id) => python.forget(id));

  // Documents that cannot reach this window: of other origins (relay.js). What they hold is known here by a key of theirs, and
  // what is to be done there is sent; all that comes of one entry into Python goes in one letter, and so in one task.

  class Elsewhere {
    #mark = true;

    // Not instanceof, which a proxy of the page would notice.
    static is(value) {
      return typeof value === "object" && value !== null && #mark in value;
    }

    constructor(service, key, known = {}) {
      this.service = service;
      this.key = key;
      this.known = known;
    }
  }

  const remotes = new Map();
  const outbox = new Map();
  const tasksElsewhere = [];
  let depth = 0;

  function post(service, message) {
    if (!outbox.has(service)) outbox.set(service, []);
    outbox.get(service).push(message);
    if (depth === 0) flush();
  }

  function flush() {
    for (const [service, messages] of outbox) {
      const letter = [++service.lastLetter, messages];
      service.port.postMessage(JSON.stringify(letter));
      if (service.turns !== null) service.unseen.push(letter);
    }
    outbox.clear();
    for (const [service, task] of tasksElsewhere.splice(0))
      service.port.postMessage(JSON.stringify(["task", task, service.turns]));
  }

  // A document that waits for the end of a task is told by way of the server: of whatever else is on its way to it, too.
  function answerTurn(service, turn, seen) {
    if (!outbox.has(service)) outbox.set(service, []);
    flush();
    service.unseen = service.unseen.filter(([number]) => number > seen);
    // Where there is no such server, the letters come by themselves.
    fetch(turns + turn, { method: "POST", body: JSON.stringify(service.unseen) }).catch(() => {});
  }

  // Documents of one site may share a process; one that waits there for this window would wait for itself.
  const siteOf = (origin) => new URL(origin).hostname.split(".").slice(-2).join(".");
  const canWait = (origin) => origin !== "null" && siteOf(origin) !== siteOf(location.origin);
  const turns = new URL("turn/", location.href).pathname;

  const hold = (service, key, known) => hub.hold(new Elsewhere(service, key, known));

  function command(service, name, subject = null, known = {}) {
    const key = `a${++service.lastKey}`;
    post(service, [name, key, subject]);
    return hold(service, key, known);
  }

  function remotely(handle, steps) {
    const value = values.get(handle);
    return Elsewhere.is(value) ? steps(value) : undefined;
  }

  // Data of Python's, with what a realm elsewhere calls its values and windows.
  function sent(service, text) {
    const translate = (data) => {
      if (typeof data !== "object" || data === null) return data;
      const [kind, subject] = data;
      if (kind === "held" || kind === "promise") return [kind, values.get(subject).key];
      if (kind === "list") return [kind, subject.map(translate)];
      if (kind === "dictionary") return [kind, subject.map(([key, member]) => [key, translate(member)])];
      return kind === "window" ? [kind, pathOf(realms[subject].window)] : data;
    };
    return translate(JSON.parse(text));
  }

  // The way down to a window from its top; null if it is gone.
  function pathOf(view) {
    const path = [];
    for (; view.parent !== view; view = view.parent) {
      if (view.parent === null) return null;
      let index = 0;
      while (view.parent[index] !== view) index++;
      path.unshift(index);
    }
    return path;
  }

  // Data of a realm elsewhere: its numbers are of values, about which it tells what an algorithm may ask, or of windows.
  function received(service, data, facts) {
    if (Array.isArray(data)) return data.map((item) => received(service, item, facts));
    if (typeof data !== "number") return data;
    const known = facts[data];
    if (known.path === undefined) return hold(service, data, known);
    const view =
      known.path === null ? null : known.path.reduce((outer, index) => outer?.[index] ?? null, service.window.top);
    return view === null ? bareRealm(null).id : hub.realmOfWindow(view);
  }

  const answers = {
    __proto__: null,
    get: (service, name, reference) => {
      const id = python.get(documentIdOf(service), name);
      service.objects.set(reference, id);
      post(service, ["wrapped", reference, id]);
    },
    call: (service, reference, operation, data, promise, facts) => {
      service.gone ||= !facts.active;
      const converted = JSON.stringify(received(service, JSON.parse(data), facts));
      service.calling = promise;
      const result = python.call(service.objects.get(reference), operation, converted);
      service.calling = null;
      post(service, ["adopt", promise, values.get(result).key]);
    },
    run: (service, task, turn, seen) => {
      documentsOfTasks.delete(task);
      python.run(task);
      if (turn !== null) answerTurn(service, turn, seen);
    },
    drop: (service, task) => {
      documentsOfTasks.delete(task);
      python.drop(task);
    },
    settled: (service, id, fulfilled, key, known) => python.settled(id, fulfilled, hold(service, key, known)),
    aborted: (service, id) => python.abort(id),
    hide: (service, persisted) => {
      service.leaving = true;
      python.unload(documentIdOf(service));
      service.leaving = false;
      if (persisted) documents[documentIdOf(service)].cached = true;
      else service.gone = true;
    },
    show: (service) => {
      documents[documentIdOf(service)].cached = false;
      remotes.set(service.window, service);
      service.port.onshow();
    },
  };

  hub.connect = (view, port, { origin, features }) => {
    const service = { __proto__: null, window: view, port, features, gone: false, lastKey: 0, objects: new Map() };
    Object.assign(service, { turns: canWait(origin) ? turns : null, lastLetter: 0, unseen: [] });
    service.top = view.top;
    service.origin = () => origin;
    service.id = realms.push(service) - 1;
    remotes.set(view, service);
    port.onmessage = ({ data }) => {
      const [name, ...rest] = JSON.parse(data);
      guard(() => inRealm(service, () => answers[name](service, ...rest)));
    };
  };

  hub.start = (entries) => {
    python = entries;
  };
  return hub;
}
