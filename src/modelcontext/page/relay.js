// The way of a document to a Python that it cannot reach, because that is in a window of another origin, or in one that has
// nothing to do with its page: by messages.
//
// What a call is given is converted at once, as everywhere, and the promise is there at once; the algorithm then runs where
// Python is. So that it need not ask, it is told with the call what it could want to know: the JSON text of objects, whether
// signals are aborted, whether the document is fully active. (Which features it has is known from the beginning.)
function makeRelay() {
  const way = findWay();
  if (way === null) return null;

  function findWay() {
    let root = hostWindow.top;
    while (root !== null && root.opener) root = root.opener.top;
    if (root === null) return null;
    if (root !== hostWindow.top) return hasPython(root) ? wayTo(root) : null;
    // Nobody has opened this page.
    return hostWindow === root ? makeMailbox() : wayTo(root);
  }

  // The window with Python has a frame by whose name other origins can tell it.
  function hasPython(view) {
    try {
      return view["modelcontext-hub"] !== undefined;
    } catch {
      return false;
    }
  }

  function wayTo(root) {
    const { port1: port, port2 } = new NativeMessageChannel();
    return {
      __proto__: null,
      open(info, receive) {
        addListener(port, "message", (event) => receive(dataOf(event)));
        startPort(port);
        root.postMessage(stringify({ __proto__: null, modelcontext: info }), "*", [port2]);
        return (text) => postTo(port, text);
      },
      // Where nobody has opened the page, its top tells what becomes of the page: by the time that this comes there, it is over.
      hide: (persisted) => (persisted && root === hostWindow.top ? undefined : send("hide", persisted)),
      show() {},
    };
  }

  const values = { __proto__: null };
  const kinds = { __proto__: null };
  const paths = { __proto__: null };
  const wrappers = { __proto__: null };
  const objects = { __proto__: null };
  const brands = new WeakMap();
  let last = 0;
  let lastLetter = 0;
  let canWait = true;
  let service;
  let sendText;
  const send = (...message) => sendText(stringify(setNull(message)));
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
        for (let index = 0; index < subject.length; index++)
          items[index] = setNull([subject[index][0], made(subject[index][1])]);
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
    resolve(key, data) {
      values[key].isSettled = true;
      values[key].resolve(made(data));
    },
    reject(key, data) {
      values[key].isSettled = true;
      values[key].reject(made(data));
    },
    // A promise that is not settled yet stays open for abort steps.
    adopt(key, other) {
      if (values[other].isSettled) values[key].resolve(values[other].promise);
      else values[other] = values[key];
    },
    make: (key, data) => (values[key] = made(data)),
    parse: (key, text) => (values[key] = service.parse(text)),
    invoke: (key, subject) => (values[key] = service.invoke(values[subject[0]], made(subject[1]))),
    react: (key, id) =>
      service.react(values[key], (fulfilled, value) => {
        const known = fulfilled ? textOf(value) : { __proto__: null };
        send("settled", id, fulfilled, hold(value), known);
      }),
    reason: (key, signal) => (values[key] = service.reasonOf(values[signal])),
    // The promise of an operation that has been given a signal is rejected when that is aborted, whatever the operation
    // (https://dom.spec.whatwg.org/#abortcontroller-api-integration); where the page leaves, an answer would come too late.
    add_abort_steps(key, id, promise) {
      const signal = values[key];
      const steps = () => {
        values[promise]?.reject(service.reasonOf(signal));
        send("aborted", id);
      };
      if (service.isAborted(signal)) steps();
      else service.addAbortSteps(signal, steps);
    },
    new_abort_controller: (key) => (values[key] = service.newAbortController()),
    signal: (key, controller) => (values[key] = service.signalOf(values[controller])),
    abort: (key) => service.abort(values[key]),
    wrapped: (reference, id) => (wrappers[id] = values[reference]),
    fire: (id, type, interfaceName, own) => service.fire(wrappers[id], type, interfaceName, own && setNull(own)),
  };

  function perform(messages) {
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index];
      commands[message[0]](message[1], message[2], message[3], message[4]);
    }
  }

  // A task, or a letter: a number, and what is to be done.
  function receive(text) {
    const content = parse(text);
    if (content[0] === "task") {
      run(content[1], content[2]);
    } else if (content[0] > lastLetter) {
      lastLetter = content[0];
      perform(content[1]);
    }
  }

  // Between the beginning of a task and its end nothing else may happen in its document; so it waits for Python, if it can: for
  // the letter that says what is to be done. Those that are still on their way come before it, and before what follows from them.
  function run(task, turns) {
    if (!isActive()) {
      send("drop", task);
      return;
    }
    const turn = canWait && turns !== null ? newId() : null;
    send("run", task, turn, lastLetter);
    if (turn === null) return;
    const answer = requestNow(originOf(hostWindow) + turns + turn);
    canWait = answer !== null;
    if (!canWait) return; // The letter comes by itself.
    const letters = parse(answer);
    const end = letters.length - 1;
    for (let index = 0; index < end; index++) perform(letters[index][1]);
    lastLetter = letters[end][0];
    afterMicrotasks(() => perform(letters[end][1]), end === 0 ? 0 : TURNS);
  }

  function requestNow(url) {
    try {
      const request = new NativeXMLHttpRequest();
      openRequest(request, "GET", url, false);
      sendRequest(request, null);
      return statusOf(request) === 200 ? responseOf(request) : null;
    } catch {
      return null; // A policy of the page's does not allow it.
    }
  }

  return {
    __proto__: null,
    attributes: new WeakMap(),
    fired: new WeakSet(),
    hold,
    take: (key) => values[key],
    brandOf: (object) => mapGet(brands, object),
    enter(entered) {
      service = entered;
      const features = setNull(allowedFeatures(policyOf(documentOf(hostWindow))));
      sendText = way.open(
        { __proto__: null, origin: originOf(hostWindow), features, path: pathOf(hostWindow) },
        receive,
      );
    },
    hide: (_service, persisted) => way.hide(persisted),
    show: (_service, persisted) => persisted && way.show(),
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

// The way of a page that no other one has opened, and which can so go into the back/forward cache: what it writes into the storage
// of its origin, the window with Python hears of, and the other way round. What is sent to a page in the cache waits for it; any
// other kind of message would end its time there. Frames of the page go by way of its top.
function makeMailbox() {
  const [setItem, getItem, removeItem] = ["setItem", "getItem", "removeItem"].map((name) =>
    uncurried(Storage.prototype[name]),
  );
  const [keyOf, valueOf] = ["key", "newValue"].map((name) => uncurriedGetter(StorageEvent.prototype, name));
  const portsOf = uncurriedGetter(MessageEvent.prototype, "ports");
  const stateOf = uncurriedGetter(Document.prototype, "visibilityState");
  const stop = uncurried(Event.prototype.stopImmediatePropagation);
  const startsWith = uncurried(String.prototype.startsWith);
  let storage;
  try {
    storage = localStorage;
  } catch {
    return null; // The origin has none.
  }
  if (getItem(storage, "modelcontext-hub") === null) return null;
  const tab = getItem(sessionStorage, "modelcontext-tab") ?? newId();
  setItem(sessionStorage, "modelcontext-tab", tab);
  const receivers = { __proto__: null };
  const senders = setNull([]);

  function open(info, receive) {
    const id = newId();
    const mail = (kind, content) => {
      setItem(storage, "modelcontext-to-hub", stringify(setNull([id, kind, content])));
      removeItem(storage, "modelcontext-to-hub");
    };
    receivers[id] = receive;
    mail("open", { __proto__: null, tab, info });
    const send = (text) => mail("text", text);
    senders[senders.length] = send;
    return send;
  }

  addListener(
    hostWindow,
    "storage",
    (event) => {
      if (!startsWith(keyOf(event) ?? "", "modelcontext-")) return;
      stop(event);
      if (keyOf(event) !== "modelcontext-to-pages" || valueOf(event) === null) return;
      const [id, text] = parse(valueOf(event));
      receivers[id]?.(text);
    },
    true,
  );
  addListener(
    hostWindow,
    "message",
    (event) => {
      const data = dataOf(event);
      if (typeof data !== "string" || !startsWith(data, '{"modelcontext":')) return;
      stop(event);
      const port = portsOf(event)[0];
      const send = open(parse(data).modelcontext, (text) => postTo(port, text));
      addListener(port, "message", (message) => send(dataOf(message)));
      startPort(port);
    },
    true,
  );

  function toAll(message) {
    for (let index = senders.length - 1; index >= 0; index--) senders[index](message);
  }

  return {
    __proto__: null,
    open,
    // After the page's own listeners: a page that goes is not visible any more.
    hide(persisted) {
      const leave = () => toAll(`["hide",${persisted}]`);
      const document = documentOf(hostWindow);
      if (stateOf(document) === "hidden") leave();
      else addListener(document, "visibilitychange", leave, { __proto__: null, capture: true, once: true });
    },
    show: () => toAll('["show"]'),
  };
}
