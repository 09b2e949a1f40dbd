// What Python does with values of this realm: promises, callbacks, JSON.
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

const holders = new WeakMap();
const { withResolvers } = NativePromise;

function newPromise() {
  const holder = apply(withResolvers, NativePromise, []);
  holders.set(holder.promise, holder);
  return holder.promise;
}

Object.assign(realm, {
  new_promise: () => encode(newPromise()),
  settle(promise, how, data) {
    holders.get(decode(promise))[how](decode(data));
  },
  react(promise, reaction) {
    apply(then, decode(promise), [
      (value) => python("settled", reaction, true, encode(value)),
      (reason) => python("settled", reaction, false, encode(reason)),
    ]);
  },
  /** https://webidl.spec.whatwg.org/#invoke-a-callback-function, of one that returns a promise */
  invoke(callback, values) {
    const promise = newPromise();
    const holder = holders.get(promise);
    // A reaction to the promise must not read anything of the page.
    defineProperty(promise, "constructor", { __proto__: null, value: undefined });
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
});
