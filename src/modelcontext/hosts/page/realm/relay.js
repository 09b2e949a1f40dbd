// The hub, by messages, of a document that cannot reach the window with Python: that window is of another origin, or unrelated.
//
// The arguments of a call are converted at once, as everywhere, and the promise is returned at once, rejected if the text does
// so before it is returned (refusals.js), and with its abort steps in place. Then the algorithm runs where Python is. It cannot ask, so the call brings all facts that it may need: the JSON text of objects, whether signals are
// aborted, whether the document is fully active. (The document's features are sent at the beginning.)
/** @import { Brand, CallFacts, Facts, Hub, Key, Letter, Lookup, Message, RealmService } from "../protocol.d.ts" */
/** @import { Task, ToPage, ToPython, WindowPath, Written } from "../protocol.d.ts" */
import { made, pathOf, setNull, windowAt } from "../wire.js";
import { afterMicrotasks } from "./microtasks.js";
import {
  documentOf,
  hostWindow,
  mapGet,
  mapSet,
  newId,
  originOf,
  parse,
  stringify,
  uncurried,
  uncurriedGetter,
} from "./pristine.js";
import { effects, refusal } from "./refusals.js";
import { findWay } from "./ways.js";

const viewOf = uncurriedGetter(Document.prototype, "defaultView");
const policyOf = uncurriedGetter(Document.prototype, "featurePolicy");
const allowedFeatures = uncurried(FeaturePolicy.prototype.allowedFeatures);
const NativeXMLHttpRequest = XMLHttpRequest;
const [openRequest, sendRequest] = [uncurried(XMLHttpRequest.prototype.open), uncurried(XMLHttpRequest.prototype.send)];
const statusOf = uncurriedGetter(XMLHttpRequest.prototype, "status");
const responseOf = uncurriedGetter(XMLHttpRequest.prototype, "responseText");

const isActive = () => viewOf(documentOf(hostWindow)) !== null;

/** @returns {Hub | null} */
export function makeRelay() {
  const way = findWay();
  if (way === null) return null;

  /** @type {Record<Key, any>} */
  const values = setNull({});
  /** @type {Record<Key, string | undefined>} */
  const kinds = setNull({});
  /** @type {Record<Key, WindowPath | null>} */
  const paths = setNull({});
  /** @type {Record<number, object>} */
  const wrappers = setNull({});
  /** @type {Record<string, Key>} */
  const objects = setNull({});
  /** @type {WeakMap<object, Brand>} */
  const brands = new WeakMap();
  let last = 0;
  let lastLetter = 0;
  /** The tools of this document, by name. @type {Record<string, true>} */
  const names = setNull({});
  let allowed = false;
  let canWait = true;
  /** @type {RealmService} */
  let service;
  /** @type {(text: string) => void} */
  let sendText;

  /** @type {<Name extends keyof ToPython>(name: Name, ...fields: ToPython[Name]) => void} */
  const send = (/** @type {any[]} */ ...message) => sendText(stringify(setNull(message)));

  /** @type {(value: unknown, kind?: string) => number} */
  function hold(value, kind) {
    values[++last] = value;
    kinds[last] = kind;
    return last;
  }

  /** The text of an object, or the exception of serializing it. @type {(value: unknown) => Facts} */
  function textOf(value) {
    /** @type {Facts} */
    const known = setNull({});
    try {
      known.text = stringify(value) ?? 0;
    } catch (thrown) {
      known.thrown = hold(thrown);
    }
    return known;
  }

  /**
   * Rejects the promise of a call if that is so before it is returned; otherwise has its abort steps in place by then. A
   * promise of any operation with a signal is rejected when the signal is aborted
   * (https://dom.spec.whatwg.org/#abortcontroller-api-integration). An answer to a message would come too late.
   * @type {(promise: number, operation: string, data: any, facts: CallFacts) => void}
   */
  function begin(promise, operation, data, facts) {
    const refused = refusal(operation, data, {
      active: facts.active,
      allowed,
      names,
      text(key) {
        facts[key] = textOf(values[key]);
        if (facts[key].thrown !== undefined) return [values[/** @type {number} */ (facts[key].thrown)]];
        return facts[key].text === 0 ? [service.error("TypeError", "TypeError", "the value has no JSON text")] : null;
      },
      isAborted: (key) => service.isAborted(values[key]),
      reasonOf: (key) => service.reasonOf(values[key]),
      error: (name) => service.error("DOMException", name, ""),
    });
    const { name, signal } = effects(operation, data);
    if (signal !== null) facts[signal] = setNull({ aborted: service.isAborted(values[signal]) });
    if (refused !== null) {
      values[promise].reject(refused[0]);
      return;
    }
    if (name !== null) names[name] = true;
    if (signal === null) return;
    service.addAbortSteps(values[signal], () => {
      if (name !== null) delete names[name];
      values[promise].reject(service.reasonOf(values[signal]));
      send("aborted", promise);
    });
  }

  /** @type {Lookup<Key, WindowPath | null>} */
  const lookup = setNull({
    value: (key) => values[key],
    window: (path) => windowAt(hostWindow.top, path),
    object: (id) => wrappers[id],
  });
  /** @type {(data: Written<Key, WindowPath | null>) => any} */
  const madeHere = (data) => made(data, service, lookup);

  /** @type {(key: Key, value: unknown) => void} */
  const keep = (key, value) => {
    values[key] = value;
  };

  /** @type {{ [Name in keyof ToPage]: (...fields: ToPage[Name]) => void }} */
  const commands = {
    free(key) {
      delete values[key];
    },
    wrapped(reference, id) {
      wrappers[id] = values[reference];
    },
    new_promise: (key) => keep(key, service.newPromise()),
    resolve(key, data) {
      values[key].isSettled = true;
      values[key].resolve(madeHere(data));
    },
    reject(key, data) {
      values[key].isSettled = true;
      values[key].reject(madeHere(data));
    },
    // A pending promise stays open for abort steps.
    adopt(key, other) {
      if (values[other].isSettled) values[key].resolve(values[other].promise);
      else values[other] = values[key];
    },
    react: (key, reaction) =>
      service.react(values[key], (fulfilled, value) => {
        const known = fulfilled ? textOf(value) : setNull({});
        send("settled", reaction, fulfilled, hold(value), known);
      }),
    make: (key, data) => keep(key, madeHere(data)),
    parse: (key, text) => keep(key, service.parse(text)),
    invoke: (key, call) => keep(key, service.invoke(values[call[0]], madeHere(call[1]))),
    new_abort_controller: (key) => keep(key, service.newAbortController()),
    signal: (key, controller) => keep(key, service.signalOf(values[controller])),
    abort: (controller) => service.abort(values[controller]),
    reason: (key, signal) => keep(key, service.reasonOf(values[signal])),
    fire: (id, type, interfaceName, own) => service.fire(wrappers[id], type, interfaceName, own && setNull(own)),
  };
  setNull(commands);

  function perform(/** @type {Message<ToPage>[]} */ messages) {
    for (let index = 0; index < messages.length; index++) {
      const message = /** @type {any} */ (messages[index]);
      const command = /** @type {(...fields: unknown[]) => void} */ (
        commands[/** @type {keyof ToPage} */ (message[0])]
      );
      command(message[1], message[2], message[3], message[4]);
    }
  }

  function receive(/** @type {string} */ text) {
    /** @type {Task | Letter} */
    const content = parse(text);
    if (content[0] === "task") {
      const task = /** @type {Task} */ (content);
      run(task[1], task[2]);
    } else if (content[0] > lastLetter) {
      const letter = /** @type {Letter} */ (content);
      lastLetter = letter[0];
      perform(letter[1]);
    }
  }

  /**
   * Nothing else may happen in a document between the beginning of its task and the end. So the document waits, if it can, for
   * Python's letter with the messages of the task. Letters that are still on their way come before it, with their microtasks.
   * @type {(task: number, turns: string | null) => void}
   */
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
    if (answer === null) return; // The letter arrives on its own.
    /** @type {Letter[]} */
    const letters = parse(answer);
    const end = letters.length - 1;
    for (let index = 0; index < end; index++) perform(letters[index][1]);
    lastLetter = letters[end][0];
    afterMicrotasks(() => perform(letters[end][1]), end > 0);
  }

  return setNull({
    attributes: /** @type {Hub["attributes"]} */ (new WeakMap()),
    fired: new WeakSet(),
    forms: null,
    hold,
    take: (key) => values[key],
    brandOf: (object) => mapGet(brands, object),
    enter(entered) {
      service = entered;
      const features = setNull(allowedFeatures(policyOf(documentOf(hostWindow))));
      for (let index = 0; index < features.length; index++) allowed ||= features[index] === "tools";
      const path = /** @type {WindowPath} */ (pathOf(hostWindow));
      sendText = way.open(setNull({ origin: originOf(hostWindow), features, path }), receive);
    },
    hide: (_, persisted) => way.hide(persisted),
    show(_, persisted) {
      if (persisted) way.show();
    },
    documentId: () => 0,
    navigatorId: () => 0,
    realmOfWindow(view) {
      const key = hold(view, "window");
      paths[key] = view.top === hostWindow.top ? pathOf(view) : null;
      return key;
    },
    get(_, name, interfaceName) {
      if (objects[name] === undefined) {
        const key = hold(service.wrap(interfaceName));
        mapSet(brands, values[key], setNull({ interface: interfaceName, id: key, handlers: setNull({}) }));
        objects[name] = key;
        send("get", name, key);
      }
      return values[objects[name]];
    },
    call(_, id, operation, data) {
      /** @type {CallFacts} */
      const facts = setNull({ active: isActive() });
      const held = setNull(parse(`[${data}]`));
      const note = (/** @type {any} */ item) => {
        if (typeof item === "number") {
          facts[item] = setNull(kinds[item] === "window" ? { path: paths[item] } : {});
        } else if (typeof item === "object" && item !== null) {
          for (let index = 0; index < item.length; index++) note(item[index]);
        }
      };
      note(held);
      const promise = hold(service.newPromise());
      begin(promise, operation, held[0], facts);
      send("call", id, operation, data, promise, facts);
      return promise;
    },
  });
}

/** Waits for the text at an address; null if that fails. @type {(url: string) => string | null} */
function requestNow(url) {
  try {
    const request = new NativeXMLHttpRequest();
    openRequest(request, "GET", url, false);
    sendRequest(request, null);
    return statusOf(request) === 200 ? responseOf(request) : null;
  } catch {
    return null; // A policy of the page forbids it.
  }
}
