// The functions of this realm that the hub calls.
/** @import { PromiseHolder, RealmService } from "../protocol.d.ts" */
import { setNull } from "../wire.js";
import { hub } from "./hub.js";
import { afterListeners, mayRunListeners } from "./microtasks.js";
import {
  abort,
  abortedOf,
  addListener,
  addTo,
  apply,
  construct,
  defineProperty,
  dispatch,
  documentOf,
  getPrototypeOf,
  hostWindow,
  mapSet,
  NativeAbortController,
  NativeDOMException,
  NativeEvent,
  NativeEventTarget,
  NativePromise,
  originOf,
  parse,
  reasonOf,
  signalOf,
  stringify,
  then,
  uncurried,
  withResolvers,
} from "./pristine.js";

/** @type {any} */
const errors = { __proto__: null, TypeError, RangeError, SyntaxError, Error };
const { Observable: NativeObservable } = hostWindow;
const subscribe = NativeObservable && uncurried(NativeObservable.prototype.subscribe);
const addTeardown = NativeObservable && uncurried(Subscriber.prototype.addTeardown);

/** The interface objects of this realm, by name. @type {Record<string, any>} */
export const interfaces = /** @type {any} */ ({ __proto__: null, Event: NativeEvent });

const prototypeOf = (/** @type {object} */ object) => /** @type {object} */ (getPrototypeOf(object));

/** @returns {PromiseHolder} */
const newPromise = () => setNull(apply(withResolvers, NativePromise, []));

/** As CreateDataProperty does. @type {(object: object, key: PropertyKey, value: unknown) => void} */
function createMember(object, key, value) {
  const attributes = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  defineProperty(object, key, attributes);
}

/** @type {RealmService} */
export const service = setNull({
  window: hostWindow,
  prototypes: [HTMLDocument.prototype, XMLDocument.prototype, Document.prototype],
  functions: [Function.prototype, prototypeOf(async () => {}), prototypeOf(function* () {})],
  navigator,
  origin: () => originOf(hostWindow),
  document: () => documentOf(hostWindow),
  newPromise,
  error: (kind, name, message) =>
    kind === "DOMException" ? new NativeDOMException(message, name) : new errors[kind](message),
  array(items) {
    /** @type {unknown[]} */
    const array = [];
    for (let index = 0; index < items.length; index++) createMember(array, index, items[index]);
    return array;
  },
  object(members) {
    const object = {};
    for (let index = 0; index < members.length; index++) createMember(object, members[index][0], members[index][1]);
    return object;
  },
  stringify: (value) => stringify(value),
  parse: (text) => parse(text),
  newAbortController: () => new NativeAbortController(),
  signalOf: (controller) => signalOf(controller),
  abort: (controller) => mayRunListeners(() => abort(controller)),
  isAborted: (signal) => abortedOf(signal),
  reasonOf: (signal) => reasonOf(signal),
  // An observable unsubscribes by an abort algorithm of its own, so its teardown runs in the place of abort steps. The signal
  // does not keep the subscriber alive, but a listener does. Without observables, the steps are a listener.
  addAbortSteps(signal, steps) {
    if (NativeObservable === undefined) {
      addListener(signal, "abort", () => steps());
      return;
    }
    const subscribed = (/** @type {object} */ subscriber) => {
      addTeardown(subscriber, steps);
      addListener(signal, "abort", () => subscriber);
    };
    subscribe(new NativeObservable(subscribed), {}, { __proto__: null, signal });
  },
  // https://webidl.spec.whatwg.org/#invoke-a-callback-function, of one that returns a promise
  invoke(callback, values) {
    const holder = newPromise();
    // A reaction to the promise must not read anything of the page.
    defineProperty(holder.promise, "constructor", /** @type {any} */ ({ __proto__: null, value: undefined }));
    afterListeners(() => {
      try {
        holder.resolve(apply(/** @type {any} */ (callback), undefined, values));
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
    if (own !== null) mapSet(hub.attributes, event, own);
    afterListeners(() => mayRunListeners(() => dispatch(/** @type {EventTarget} */ (target), event)));
  },
  // The rest of the algorithm that fires it follows at once, and not after the microtasks of listeners.
  fireAt(target, type, bubbles, composed) {
    const event = new NativeEvent(type, /** @type {any} */ ({ __proto__: null, bubbles, composed }));
    addTo(hub.fired, event);
    dispatch(target, event);
  },
});
