// The API in one realm of a page: what Web IDL asks for is done here, in JavaScript; the algorithms run in Python, which
// the hub (hub.js) in another window of the same origin brings.
//
// A browser runs this once in every Window, before any script of the page. Nothing here may show in what the page can see:
// every built-in is taken before the page can replace it, and no value of the page is touched but as Web IDL says.
(function () {
  "use strict";

  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const getter = (object, name) => getOwnPropertyDescriptor(object, name).get;
  const uncurried =
    (method) =>
    (self, ...values) =>
      apply(method, self, values);
  const [NativePromise, NativeDOMException, NativeTypeError] = [Promise, DOMException, TypeError];
  const [NativeEvent, NativeEventTarget, NativeAbortController] = [Event, EventTarget, AbortController];
  const errors = { __proto__: null, TypeError, RangeError, SyntaxError, Error };
  const { parse, stringify } = JSON;
  const { iterator, toStringTag } = Symbol;
  const isWellFormed = uncurried(String.prototype.toWellFormed);
  const then = uncurried(Promise.prototype.then);
  const [addListener, removeListener, dispatch] = ["addEventListener", "removeEventListener", "dispatchEvent"].map(
    (name) => uncurried(EventTarget.prototype[name]),
  );
  const abort = uncurried(AbortController.prototype.abort);
  const uncurriedGetter = (object, name) => uncurried(getter(object, name));
  const signalOf = uncurriedGetter(AbortController.prototype, "signal");
  const abortedOf = uncurriedGetter(AbortSignal.prototype, "aborted");
  const reasonOf = uncurriedGetter(AbortSignal.prototype, "reason");
  const NativeObservable = window.Observable;
  const subscribe = NativeObservable && uncurried(NativeObservable.prototype.subscribe);
  const addTeardown = NativeObservable && uncurried(Subscriber.prototype.addTeardown);
  const documentURL = uncurriedGetter(Document.prototype, "URL");
  const userAgent = uncurriedGetter(Navigator.prototype, "userAgent");
  const windowOf = uncurriedGetter(window, "window");
  const documentOf = uncurriedGetter(window, "document");
  const originOf = uncurriedGetter(window, "origin");
  const [addTo, isIn] = [uncurried(WeakSet.prototype.add), uncurried(WeakSet.prototype.has)];
  const [mapGet, mapSet] = [uncurried(WeakMap.prototype.get), uncurried(WeakMap.prototype.set)];
  const viewOf = uncurriedGetter(Document.prototype, "defaultView");
  const policyOf = uncurriedGetter(Document.prototype, "featurePolicy");
  const allowedFeatures = uncurried(FeaturePolicy.prototype.allowedFeatures);
  const later = queueMicrotask;
  const NativeMessageChannel = MessageChannel;
  const [postTo, startPort] = [uncurried(MessagePort.prototype.postMessage), uncurried(MessagePort.prototype.start)];
  const dataOf = uncurriedGetter(MessageEvent.prototype, "data");
  const NativeXMLHttpRequest = XMLHttpRequest;
  const [openRequest, sendRequest] = [
    uncurried(XMLHttpRequest.prototype.open),
    uncurried(XMLHttpRequest.prototype.send),
  ];
  const [statusOf, responseOf] = ["status", "responseText"].map((name) =>
    uncurriedGetter(XMLHttpRequest.prototype, name),
  );
  const newId = crypto.randomUUID?.bind(crypto);
  const hostWindow = window;
  const NAMES = /*NAMES*/ [];
  const ACCESSORS = /*ACCESSORS*/ [];

  // A browser that has the API by itself must not show it: only its permissions policy is wanted (see products/page.py).
  for (const name of NAMES) delete hostWindow[name];
  for (const [owner, name] of ACCESSORS) delete hostWindow[owner].prototype[name];
  if (!isSecureContext) return;

  const hub = findHub() ?? makeRelay();
  if (hub === null) return;

  function findHub() {
    const seen = [];
    const waiting = [hostWindow];
    while (waiting.length > 0) {
      const view = waiting.shift();
      if (!view || seen.includes(view)) continue;
      seen.push(view);
      try {
        const found = view[Symbol.for("modelcontext.hub")];
        if (found !== undefined) return found;
      } catch {
        // A window of another origin.
      }
      waiting.push(view.parent, view.top, view.opener);
      // The first window of all has frames for other origins.
      for (let index = 0; view === view.top && !view.opener && index < view.length; index++) waiting.push(view[index]);
    }
    return undefined;
  }

  // Conversions

  const isObject = (V) => (typeof V === "object" && V !== null) || typeof V === "function";
  const list = () => setNull([]);
  function setNull(array) {
    setPrototypeOf(array, null);
    return array;
  }
  const hold = (V, kind) => hub.hold(V, kind);
  const missing = (dictionary, member) => new NativeTypeError(`a ${dictionary} needs the member ${member}`);
  const tooFew = (name, needed, given) =>
    new NativeTypeError(`${name} needs ${needed} arguments, and ${given} were given`);

  function toDOMString(V) {
    return typeof V === "string" ? V : `${V}`;
  }

  function toUSVString(V) {
    return isWellFormed(toDOMString(V));
  }

  // `isRead` tells whether an algorithm may want its text.
  function toObject(V, isRead) {
    if (!isObject(V)) throw new NativeTypeError("the value must be an object");
    return hold(V, isRead ? "object" : undefined);
  }

  function toDictionary(V, name) {
    if (V === undefined || V === null) return undefined;
    if (!isObject(V)) throw new NativeTypeError(`a ${name} must be an object`);
    return V;
  }

  function toCallback(V, name) {
    if (typeof V !== "function") throw new NativeTypeError(`a ${name} must be a function`);
    return hold(V);
  }

  // https://webidl.spec.whatwg.org/#create-sequence-from-iterable
  function toSequence(V, convert) {
    if (!isObject(V)) throw new NativeTypeError("the value must be iterable");
    const method = V[iterator];
    if (method === undefined || method === null) throw new NativeTypeError("the value must be iterable");
    const iterated = apply(method, V, []);
    if (!isObject(iterated)) throw new NativeTypeError("an iterator must be an object");
    const { next } = iterated;
    const data = list();
    for (let index = 0; ; index++) {
      const result = apply(next, iterated, []);
      if (!isObject(result)) throw new NativeTypeError("the result of an iterator must be an object");
      if (result.done) return data;
      data[index] = convert(result.value);
    }
  }

  function toAbortSignal(V) {
    if (!isObject(V)) throw new NativeTypeError("the value must be an AbortSignal");
    try {
      abortedOf(V);
    } catch {
      throw new NativeTypeError("the value must be an AbortSignal");
    }
    return hold(V, "signal");
  }

  function toWindow(V) {
    try {
      if (isObject(V)) {
        windowOf(V); // It throws for whatever is no Window.
        return hub.realmOfWindow(V);
      }
    } catch {
      // Told below.
    }
    throw new NativeTypeError("the value must be a Window");
  }

  // Objects and their interfaces

  const attributes = hub.attributes;
  const interfaces = { __proto__: null, Event: NativeEvent };

  function extend(prototype, members) {
    for (const name of Object.keys(members)) {
      const descriptor = setNull(getOwnPropertyDescriptor(members, name));
      descriptor.enumerable = true;
      defineProperty(prototype, name, descriptor);
    }
  }

  function expose(constructor, name) {
    interfaces[name] = constructor;
    defineProperty(constructor.prototype, toStringTag, { value: name, configurable: true });
    defineProperty(hostWindow, name, { value: constructor, writable: true, configurable: true });
  }

  function illegal(name) {
    throw new NativeTypeError(`${name} cannot be constructed`);
  }

  function brand(V, name) {
    const known = isObject(V) ? hub.brandOf(V) : undefined;
    if (known === undefined || known.interface !== name) throw new NativeTypeError(`this is no ${name}`);
    return known.id;
  }

  function identifyDocument(V) {
    documentURL(V);
    return hub.documentId(V);
  }

  function identifyNavigator(V) {
    userAgent(V);
    return hub.navigatorId(V);
  }

  const getObject = (owner, interfaceName, name, type) => hub.get(owner, `${interfaceName}.${name}`, type);

  function newEvent(target, type, data, members) {
    const init = { __proto__: null, bubbles: data[0], cancelable: data[1], composed: data[2] };
    const event = construct(NativeEvent, [type, init], target);
    const own = { __proto__: null };
    for (let index = 3; index < members.length; index++) own[members[index]] = data[index];
    mapSet(attributes, event, own);
    return event;
  }

  function eventAttribute(V, interfaceName, name) {
    const own = isObject(V) ? mapGet(attributes, V) : undefined;
    if (own === undefined || !(name in own)) throw new NativeTypeError(`this is no ${interfaceName}`);
    return own[name];
  }

  // Event handler IDL attributes (https://html.spec.whatwg.org/#event-handler-idl-attributes)

  function handlersOf(V, interfaceName) {
    brand(V, interfaceName);
    return hub.brandOf(V).handlers;
  }

  function getHandler(V, interfaceName, type) {
    return handlersOf(V, interfaceName)[type]?.callback ?? null;
  }

  function setHandler(V, interfaceName, type, callback) {
    const handlers = handlersOf(V, interfaceName);
    const known = handlers[type];
    if (!isObject(callback)) {
      if (known !== undefined) {
        removeListener(V, type, known.listener);
        delete handlers[type];
      }
    } else if (known !== undefined) {
      known.callback = callback;
    } else {
      const handler = { __proto__: null, callback };
      handler.listener = function (event) {
        if (typeof handler.callback === "function" && apply(handler.callback, this, [event]) === false)
          event.preventDefault();
      };
      handlers[type] = handler;
      addListener(V, type, handler.listener);
    }
  }

  // Calls

  function call(id, operation, data) {
    const result = hub.call(service, id, operation, stringify(data));
    if (result === 0) return undefined;
    const value = hub.take(result > 0 ? result : -result);
    if (result < 0) throw value;
    return value.promise;
  }

  function rejectedWith(error) {
    return new NativePromise((_, reject) => reject(error));
  }

  function newPromise() {
    const holder = { __proto__: null };
    holder.promise = new NativePromise((resolve, reject) => {
      holder.resolve = resolve;
      holder.reject = reject;
    });
    return holder;
  }

  // A browser performs a microtask checkpoint whenever it has called a listener; where a script has it called, only when the
  // script is over. So what an algorithm does last, after listeners have run, is put off until their microtasks have run. Nothing
  // tells when there are no more of them: they may have queued as many as there are turns, one after the other.
  const TURNS = 64;
  let haveRun = false;

  function mayRunListeners(steps) {
    later(() => {
      haveRun = false;
    });
    haveRun = true;
    steps();
  }

  function afterMicrotasks(steps, turns = TURNS) {
    if (turns === 0) steps();
    else later(() => afterMicrotasks(steps, turns - 1));
  }

  const afterListeners = (steps) => afterMicrotasks(steps, haveRun ? TURNS : 0);

  // What the hub asks of this realm.
  const service = {
    __proto__: null,
    window: hostWindow,
    prototypes: [HTMLDocument.prototype, XMLDocument.prototype, Document.prototype],
    functions: [Function.prototype, getPrototypeOf(async () => {}), getPrototypeOf(function* () {})],
    navigator,
    origin: () => originOf(hostWindow),
    document: () => documentOf(hostWindow),
    newPromise,
    error: (kind, name, message) =>
      kind === "DOMException" ? new NativeDOMException(message, name) : new errors[kind](message),
    array(items) {
      const array = [];
      for (let index = 0; index < items.length; index++) {
        defineProperty(array, index, {
          __proto__: null,
          value: items[index],
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return array;
    },
    object(members) {
      const object = {};
      for (let index = 0; index < members.length; index++) {
        const value = members[index][1];
        defineProperty(object, members[index][0], {
          __proto__: null,
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return object;
    },
    stringify: (value) => stringify(value),
    parse: (text) => parse(text),
    newAbortController: () => new NativeAbortController(),
    signalOf: (controller) => signalOf(controller),
    abort: (controller) => mayRunListeners(() => abort(controller)),
    isAborted: (signal) => abortedOf(signal),
    reasonOf: (signal) => reasonOf(signal),
    // An observable unsubscribes by an abort algorithm of its own: what it tears down runs in the place of abort steps. The
    // signal does not keep that alive, but its listeners. Where there are no observables, a listener has to do.
    addAbortSteps(signal, steps) {
      if (NativeObservable === undefined) {
        addListener(signal, "abort", () => steps());
        return;
      }
      const subscribed = (subscriber) => {
        addTeardown(subscriber, steps);
        addListener(signal, "abort", () => subscriber);
      };
      subscribe(new NativeObservable(subscribed), {}, { __proto__: null, signal });
    },
    // https://webidl.spec.whatwg.org/#invoke-a-callback-function, of one that returns a promise
    invoke(callback, values) {
      const holder = newPromise();
      // Reacting to it must not read anything of the page.
      defineProperty(holder.promise, "constructor", { __proto__: null, value: undefined });
      afterListeners(() => {
        try {
          holder.resolve(apply(callback, undefined, values));
        } catch (error) {
          holder.reject(error);
        }
      });
      return holder;
    },
    react(holder, settled) {
      then(
        holder.promise,
        (value) => settled(true, value),
        (reason) => settled(false, reason),
      );
    },
    wrap(interfaceName) {
      const { prototype } = interfaces[interfaceName];
      return prototype instanceof NativeEventTarget
        ? construct(NativeEventTarget, [], interfaces[interfaceName])
        : { __proto__: prototype };
    },
    fire(target, type, interfaceName, own) {
      const event = new interfaces[interfaceName](type);
      addTo(hub.fired, event);
      if (own !== null) mapSet(attributes, event, own);
      afterListeners(() => mayRunListeners(() => dispatch(target, event)));
    },
  };
  hub.enter(service);
  defineProperty(hostWindow, Symbol.for("modelcontext.fired"), {
    __proto__: null,
    value: (event) => isIn(hub.fired, event),
  });
  addListener(hostWindow, "pagehide", (event) => hub.hide(service, event.persisted), {
    __proto__: null,
    capture: true,
  });
  addListener(hostWindow, "pageshow", (event) => hub.show(service, event.persisted), {
    __proto__: null,
    capture: true,
  });

  /*INTERFACES*/

  /*RELAY*/
})();
