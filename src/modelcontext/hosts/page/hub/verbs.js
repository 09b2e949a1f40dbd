// The functions that Python calls; verbs.py documents them.
/** @import { AnyRealm, LocalRealm, RemoteRealm } from "./types.d.ts" */
/** @import { Brand, Key, Lookup, Verbs } from "../protocol.d.ts" */
import { isObject, made } from "../wire.js";
import * as known from "./documents.js";
import { command, Elsewhere, remotely, sent } from "./elsewhere.js";
import { flush } from "./forms.js";
import { current, enter, post, python } from "./python.js";
import { queueTask, schedule } from "./tasks.js";
import { held, hold, release } from "./values.js";

/** @type {Map<number, object>} The objects of the API, by Python's numbers for them. */
export const wrappers = new Map();
/** @type {WeakMap<object, Brand>} */
export const brands = new WeakMap();
const collected = new FinalizationRegistry((/** @type {number} */ id) => python.forget(id));

/** @type {Lookup<number, number>} */
const lookup = {
  value: held,
  window: (realm) => known.realms[realm].window,
  object: (id) => wrappers.get(id),
};

/** @type {(data: string, service: LocalRealm) => any} */
const madeIn = (data, service) => made(JSON.parse(data), service, lookup);

/** @type {(handle: number, realm: number, how: "resolve" | "reject", data: string) => void} */
function settle(handle, realm, how, data) {
  const service = known.realms[realm];
  if (service.port) post(service, how, held(handle).key, sent(data));
  else held(handle)[how](madeIn(data, service));
}

/** @type {Verbs} */
export const verbs = {
  free(handle) {
    const value = release(handle);
    if (Elsewhere.is(value)) post(value.service, "free", value.key);
  },
  realm_of_document: (document) => known.documents[document].service.id,
  document_of_realm: (realm) => known.documentIdOf(known.realms[realm]),
  is_fully_active: (document) => known.isFullyActive(known.documents[document]),
  is_allowed: (document, feature) => known.isAllowed(known.documents[document], feature),
  origin_of: (document) => known.documents[document].service.origin?.() ?? "null",
  navigable_of: (document) => known.navigableOf(known.documents[document]),
  top_of: (navigable) => known.topOf(navigable),
  active_document: (navigable) => known.activeDocument(navigable),
  inclusive_descendants: (document) => JSON.stringify(known.inclusiveDescendants(known.documents[document])),
  new_promise(realm) {
    const service = known.realms[realm];
    return service.port ? command(service, "new_promise", null) : hold(service.newPromise());
  },
  resolve: (promise, realm, data) => settle(promise, realm, "resolve", data),
  reject: (promise, realm, data) => settle(promise, realm, "reject", data),
  new_object(realm) {
    const service = known.realms[realm];
    if (!service.port) return hold(service.object([]));
    return command(service, "make", ["dictionary", []], { text: "{}", isObject: true });
  },
  is_object(handle) {
    const value = held(handle);
    if (Elsewhere.is(value)) return value.known.isObject ?? false;
    return isObject(value);
  },
  serialize(handle) {
    const value = held(handle);
    if (Elsewhere.is(value)) {
      return value.known.text ?? Elsewhere.hold(value.service, /** @type {number} */ (value.known.thrown));
    }
    try {
      return current.stringify(value) ?? 0;
    } catch (thrown) {
      return hold(thrown);
    }
  },
  parse(text, realm) {
    const service = known.realms[realm];
    if (service.port) {
      const value = JSON.parse(text);
      return command(service, "parse", text, { isObject: isObject(value) });
    }
    try {
      return hold(service.parse(text));
    } catch (thrown) {
      return -hold(thrown);
    }
  },
  make(realm, data) {
    const service = known.realms[realm];
    return service.port ? command(service, "make", sent(data)) : hold(madeIn(data, service));
  },
  realm_of_function: (handle, otherwise) =>
    remotely(handle, ({ service }) => service.id) ?? known.realmOfFunction(held(handle)) ?? otherwise,
  invoke(callback, realm, data) {
    const service = known.realms[realm];
    if (service.port) return command(service, "invoke", [held(callback).key, sent(data)]);
    return hold(service.invoke(held(callback), madeIn(data, service)));
  },
  react(promise, realm, reaction) {
    const service = known.realms[realm];
    if (service.port) {
      post(service, "react", held(promise).key, reaction);
      return;
    }
    /** @type {LocalRealm} */ (service).react(held(promise), (fulfilled, value) => {
      enter(service, () => python.settled(reaction, fulfilled, hold(value)));
    });
  },
  is_aborted: (signal) => remotely(signal, ({ known }) => known.aborted) ?? current.isAborted(held(signal)),
  abort_reason: (signal) =>
    remotely(signal, ({ service, key }) => command(service, "reason", key)) ?? hold(current.reasonOf(held(signal))),
  add_abort_steps(handle, steps) {
    const signal = held(handle);
    const service = current;
    if (Elsewhere.is(signal)) {
      // The document watches the signal of each call since the call (realm/relay.js).
      signal.service.abortSteps.set(/** @type {Key} */ (signal.service.calling), steps);
      return;
    }
    const abort = () => enter(service, () => python.abort(steps));
    service.addAbortSteps(signal, abort);
    collected.register(abort, steps); // The steps live as long as the signal, unlike its wrapper.
  },
  new_abort_controller(realm) {
    const service = known.realms[realm];
    return service.port ? command(service, "new_abort_controller", null) : hold(service.newAbortController());
  },
  signal_of: (controller) =>
    remotely(controller, ({ service, key }) => command(service, "signal", key)) ??
    hold(current.signalOf(held(controller))),
  abort(handle) {
    const controller = held(handle);
    if (Elsewhere.is(controller)) post(controller.service, "abort", controller.key);
    else current.abort(controller);
  },
  wrap(id, interfaceName, realm) {
    const service = known.realms[realm];
    if (service.port) return; // It exists already: see makeRelay() in realm/relay.js.
    const object = service.wrap(interfaceName);
    wrappers.set(id, object);
    brands.set(object, { interface: interfaceName, id, handlers: /** @type {any} */ ({ __proto__: null }) });
  },
  fire(id, realm, type, interfaceName, attributes) {
    const service = known.realms[realm];
    const own = attributes === "" ? null : { __proto__: null, ...JSON.parse(attributes) };
    if (service.port) post(service, "fire", id, type, interfaceName, own);
    else service.fire(wrappers.get(id), type, interfaceName, own);
    flush();
  },
  queue: (realm, task) => queueTask(known.recordOf(known.realms[realm]), task),
  schedule,
};
