// What Python does with values of this realm: promises, callbacks, JSON.
/** @import { RealmFunctions } from "../protocol.d.ts" */
import {
  apply,
  decode,
  defineProperty,
  encode,
  NativePromise,
  NativeTypeError,
  parse,
  python,
  realm,
  stringify,
  then,
} from "./intrinsics.js";

/** @type {WeakMap<object, PromiseWithResolvers<unknown>>} */
const holders = new WeakMap();
const { withResolvers } = NativePromise;
const settledPromise = NativePromise.resolve();

function newPromise() {
  /** @type {PromiseWithResolvers<unknown>} */
  const holder = apply(withResolvers, NativePromise, []);
  holders.set(holder.promise, holder);
  return holder;
}

/** @type {Omit<RealmFunctions, "deserialize" | "has_another_document" | "perform_a_reaction" | "set_handler" | "submit">} */
const functions = {
  new_promise: () => encode(newPromise().promise),
  settle(promise, how, data) {
    const holder = /** @type {PromiseWithResolvers<unknown>} */ (holders.get(decode(promise)));
    holder[how](decode(data));
  },
  react(promise, reaction) {
    apply(then, decode(promise), [
      (/** @type {unknown} */ value) => python("settled", reaction, true, encode(value)),
      (/** @type {unknown} */ reason) => python("settled", reaction, false, encode(reason)),
    ]);
  },
  queue_a_microtask(number) {
    apply(then, settledPromise, [() => python("steps_of_a_microtask", number)]);
  },
  /** https://webidl.spec.whatwg.org/#invoke-a-callback-function, of one that returns a promise */
  invoke(callback, values) {
    const holder = newPromise();
    const { promise } = holder;
    // A reaction to the promise must not read anything of the page.
    const descriptor = { __proto__: null, value: undefined };
    defineProperty(promise, "constructor", descriptor);
    try {
      holder.resolve(
        apply(
          decode(callback),
          undefined,
          values.map((value) => decode(value)),
        ),
      );
    } catch (error) {
      holder.reject(error);
    }
    return encode(promise);
  },
  call_function: (callback, self, values) =>
    encode(
      apply(
        decode(callback),
        decode(self),
        values.map((value) => decode(value)),
      ),
    ),
  /** https://webidl.spec.whatwg.org/#call-a-user-objects-operation */
  call_listener(callback, self, event) {
    const listener = decode(callback);
    if (typeof listener === "function") return encode(apply(listener, decode(self), [decode(event)]));
    const handler = listener.handleEvent;
    if (typeof handler !== "function") throw new NativeTypeError("handleEvent is not a function");
    return encode(apply(handler, listener, [decode(event)]));
  },
  new_object: () => encode({}),
  stringify: (data) => stringify(decode(data)) ?? null,
  parse: (text) => encode(parse(text)),
};
Object.assign(realm, functions);
