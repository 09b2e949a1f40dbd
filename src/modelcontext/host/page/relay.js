// The way of a document to a Python that it cannot reach, because that is in a window of another origin: by messages.
//
// What a call is given is converted at once, as everywhere, and the promise is there at once; the algorithm then runs where
// Python is. So that it need not ask, it is told with the call what it could want to know: the JSON text of objects, whether
// signals are aborted, whether the document is fully active. (Which features it has is known from the beginning.)
function makeRelay() {
  let root = hostWindow.top;
  while (root !== null && root.opener) root = root.opener.top;
  if (root === null || root === hostWindow.top || !hasPython(root)) return null;

  // The window with Python has a frame by whose name other origins can tell it.
  function hasPython(view) {
    try {
      return view["modelcontext-hub"] !== undefined;
    } catch {
      return false;
    }
  }

  const values = { __proto__: null };
  const kinds = { __proto__: null };
  const paths = { __proto__: null };
  const wrappers = { __proto__: null };
  const objects = { __proto__: null };
  const brands = new WeakMap();
  let last = 0;
  let service;
  const channel = new NativeMessageChannel();
  const { port1: port, port2 } = channel;
  const send = (...message) => postTo(port, stringify(setNull(message)));
  const isActive = () => viewOf(documentOf(hostWindow)) !== null;

  function hold(value, kind) {
    values[++last] = value;
    kinds[last] = kind;
    return last;
  }

  // The text of an object, or what came of asking for it.
  function textOf(value) {
    const known = { __proto__: null };
    try {
      known.text = stringify(value) ?? 0;
    } catch (thrown) {
      known.thrown = hold(thrown);
    }
    return known;
  }

  function pathOf(view) {
    const path = setNull([]);
    for (; view.parent !== view; view = view.parent) {
      if (!view.parent) return null; // It is gone.
      for (let at = path.length; at > 0; at--) path[at] = path[at - 1];
      path[0] = 0;
      while (view.parent[path[0]] !== view) path[0]++;
    }
    return view === hostWindow.top ? path : null;
  }

  // Null for a window that is gone, which nothing here leads to.
  function windowAt(path) {
    if (path === null) return null;
    let view = hostWindow.top;
    for (let index = 0; index < path.length; index++) view = view[path[index]];
    return view;
  }

  function made(data) {
    if (typeof data !== "object" || data === null) return data;
    const subject = data[1];
    const items = [];
    switch (data[0]) {
      case "undefined":
        return undefined;
      case "held":
        return values[subject];
      case "promise":
        return values[subject].promise;
      case "error":
        return service.error(subject, data[2], data[3]);
      case "list":
        for (let index = 0; index < subject.length; index++) items[index] = made(subject[index]);
        return service.array(items);
      case "dictionary":
        for (let index = 0; index < subject.length; index++) items[index] = setNull([subject[index][0], made(subject[index][1])]);
        return service.object(items);
      case "window":
        return windowAt(subject);
      default:
        return wrappers[subject];
    }
  }

  const commands = {
    __proto__: null,
    free: (key) => delete values[key],
    new_promise: (key) => (values[key] = service.newPromise()),
    resolve: (key, data) => values[key].resolve(made(data)),
    reject: (key, data) => values[key].reject(made(data)),
    adopt: (key, other) => values[key].resolve(values[other].promise),
    make: (key, data) => (values[key] = made(data)),
    parse: (key, text) => (values[key] = service.parse(text)),
    invoke: (key, subject) => (values[key] = service.invoke(values[subject[0]], made(subject[1]))),
    react: (key, id) =>
      service.react(values[key], (fulfilled, value) => {
        const known = fulfilled ? textOf(value) : { __proto__: null };
        send("settled", id, fulfilled, hold(value), known);
      }),
    reason: (key, signal) => (values[key] = service.reasonOf(values[signal])),
    add_abort_steps(key, id) {
      const signal = values[key];
      if (service.isAborted(signal)) send("aborted", id);
      else service.addAbortSteps(signal, () => send("aborted", id));
    },
    new_abort_controller: (key) => (values[key] = service.newAbortController()),
    signal: (key, controller) => (values[key] = service.signalOf(values[controller])),
    abort: (key) => service.abort(values[key]),
    wrapped: (reference, id) => (wrappers[id] = values[reference]),
    fire: (id, type, interfaceName, own) => service.fire(wrappers[id], type, interfaceName, own && setNull(own)),
    task: (id) => send(isActive() ? "run" : "drop", id),
  };

  addListener(port, "message", (event) => {
    const messages = parse(dataOf(event));
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index];
      commands[message[0]](message[1], message[2], message[3], message[4]);
    }
  });

  return {
    __proto__: null,
    attributes: new WeakMap(),
    fired: new WeakSet(),
    hold,
    take: (key) => values[key],
    brandOf: (object) => mapGet(brands, object),
    enter(entered) {
      service = entered;
      startPort(port);
      const features = setNull(allowedFeatures(policyOf(documentOf(hostWindow))));
      root.postMessage(stringify({ __proto__: null, modelcontext: { __proto__: null, origin: originOf(hostWindow), features } }), "*", [port2]);
    },
    hide: () => send("hide"),
    show() {},
    documentId: () => 0,
    navigatorId: () => 0,
    realmOfWindow(view) {
      const key = hold(view, "window");
      paths[key] = pathOf(view);
      return key;
    },
    get(owner, name, type) {
      if (objects[name] === undefined) {
        const key = hold(service.wrap(type));
        mapSet(brands, values[key], { __proto__: null, interface: type, id: key, handlers: { __proto__: null } });
        objects[name] = key;
        send("get", name, key);
      }
      return values[objects[name]];
    },
    call(from, id, operation, data) {
      const facts = { __proto__: null, active: isActive() };
      const signals = setNull([]);
      const held = setNull(parse(`[${data}]`));
      const note = (item) => {
        if (typeof item === "number") {
          const known = kinds[item] === "object" ? textOf(values[item]) : { __proto__: null };
          if (kinds[item] === "window") known.path = paths[item];
          if (kinds[item] === "signal") signals[signals.length] = item;
          facts[item] = known;
        } else if (typeof item === "object" && item !== null) {
          for (let index = 0; index < item.length; index++) note(item[index]);
        }
      };
      note(held);
      for (let index = 0; index < signals.length; index++) {
        facts[signals[index]].aborted = service.isAborted(values[signals[index]]);
      }
      const promise = hold(service.newPromise());
      send("call", id, operation, data, promise, facts);
      return promise;
    },
  };
}
