// Runs in the main context of QuickJS: the core of the engine (engine.cjs), and what it has from engine.js as its platform.
//
// Functions of `host` take and return texts and numbers, or values of the scripts as they are.
/** @import { Answer, EnginePlatform } from "../../hosts/scripting/protocol.d.ts" */
/** @import { QuickJSHost } from "./types.d.ts" */

/** Returns the functions that engine.js calls. @type {(host: QuickJSHost, sources: Record<string, string>) => object} */
(host, sources) => {
  /** @type {Record<string, any>} */
  const modules = {};
  /** @type {(name: string) => any} */
  const load = (name) => {
    const file = name.slice(2);
    if (!(file in modules)) {
      const module = (modules[file] = { exports: {} });
      host.evaluate(0, `(function (module, require) {${sources[file]}\n})`, `modelcontext:${file}`).value(module, load);
    }
    return modules[file].exports;
  };

  // QuickJS loses the accessors in what a proxy says of its properties, so that WindowProxy objects have none. What asks for
  // them therefore asks the handlers of the core's proxies itself. Proxies of scripts are not mended.
  const handlers = new WeakMap();
  globalThis.Proxy = new Proxy(Proxy, {
    construct(native, values) {
      const proxy = Reflect.construct(native, values);
      handlers.set(proxy, values[1]);
      return proxy;
    },
  });
  const mend = `(handlers) => {
    // Its name is "global", where browsers have that of the interface.
    delete globalThis[Symbol.toStringTag];
    for (const holder of [Object, Reflect]) {
      const native = holder.getOwnPropertyDescriptor;
      const { getOwnPropertyDescriptor } = {
        getOwnPropertyDescriptor(target, key) {
          const handler = handlers.get(target);
          if (handler === undefined) return native(target, key);
          const descriptor = handler.getOwnPropertyDescriptor(target, typeof key === "symbol" ? key : \`\${key}\`);
          return descriptor && { ...descriptor };
        },
      };
      Object.defineProperty(holder, "getOwnPropertyDescriptor", { value: getOwnPropertyDescriptor });
    }
  }`;

  const engine = load("./engine.cjs");

  /** The numbers of contexts, by global object. */
  const contexts = new WeakMap();

  /** Returns an object of the page around QuickJS. Its methods are called, and its attributes read and set, by their names. */
  function remote(/** @type {number} */ id) {
    /** @type {(how: string, key: string, values: unknown[]) => any} */
    const ask = (how, key, values) => {
      const [kind, value] = JSON.parse(host.ask(id, how, key, JSON.stringify(values)));
      if (kind === "error") throw new TypeError(value);
      return kind === "object" ? remote(value) : value;
    };
    return new Proxy(Object.create(null), {
      get(_, key) {
        if (key === Symbol.iterator) return () => ask("list", "", []).values();
        const name = /** @type {string} */ (key);
        return ask("has method", name, [])
          ? (/** @type {unknown[]} */ ...values) => ask("call", name, values)
          : ask("get", name, []);
      },
      set(_, key, value) {
        ask("set", /** @type {string} */ (key), [value]);
        return true;
      },
    });
  }

  /** @type {(name: string, values: unknown[]) => any} */
  const make = (name, values) => {
    const [kind, value] = JSON.parse(host.make(name, JSON.stringify(values)));
    if (kind === "error") throw new TypeError(value);
    return remote(value);
  };

  /** What QuickJS calls the classes of objects that have other names elsewhere. */
  const is = (/** @type {string[]} */ ...names) => {
    return (/** @type {unknown} */ value) => names.includes(host.className(value));
  };
  const types = {
    isArgumentsObject: is("Arguments", "MappedArguments"),
    isArrayBuffer: is("ArrayBuffer"),
    isBigIntObject: is("BigInt"),
    isBooleanObject: is("Boolean"),
    isDate: is("Date"),
    isGeneratorObject: is("Generator", "AsyncGenerator"),
    isMap: is("Map"),
    isMapIterator: is("Map Iterator"),
    isModuleNamespaceObject: is("Module"),
    isNativeError: is("Error"),
    isNumberObject: is("Number"),
    isPromise: is("Promise"),
    isProxy: is("Proxy"),
    isRegExp: is("RegExp"),
    isSet: is("Set"),
    isSetIterator: is("Set Iterator"),
    isStringObject: is("String"),
    isSymbolObject: is("Symbol"),
    isWeakMap: is("WeakMap"),
    isWeakSet: is("WeakSet"),
  };

  /** Ends the run here and now: the clock throws, in the page, what no script can catch. */
  function leave() {
    host.leave();
    Date.now();
  }

  /** @type {(isHandled: boolean, promise: Promise<unknown>, reason: unknown) => void} */
  let told = () => {};
  /** @type {EnginePlatform} */
  const platform = {
    version: sources.version,
    newGlobal() {
      const { id, global } = host.newContext();
      contexts.set(global, id);
      host.evaluate(id, mend, "modelcontext:core").value(handlers);
      return global;
    },
    // There is no line or column to begin at, so that the text begins there.
    compile: (source, filename, line = 0, column = 0) => {
      const text = "\n".repeat(line) + " ".repeat(column) + source;
      return (global) => {
        const result = host.evaluate(contexts.get(global), text, filename);
        if (result.threw) throw result.value;
        return result.value;
      };
    },
    performCheckpoint: host.performCheckpoint,
    call(name, values) {
      const text = host.call(JSON.stringify([name, values]));
      if (text === "") leave();
      return JSON.parse(text);
    },
    onRejection: (given) => {
      told = given;
    },
    urlOf: (url, base) => make("URL", base === undefined ? [url] : [url, base]),
    parametersOf: (init) => make("URLSearchParams", [init]),
    types: /** @type {any} */ (types),
  };
  engine.start(platform);

  return {
    perform(/** @type {string} */ text) {
      const [name, values] = JSON.parse(text);
      return JSON.stringify(engine.perform(name, values));
    },
    setActive: (/** @type {string} */ text) => engine.setActive(JSON.parse(text)),
    rejection: (/** @type {boolean} */ isHandled, /** @type {any} */ promise, /** @type {unknown} */ reason) =>
      told(isHandled, promise, reason),
  };
};
