// The engine's process: the core (engine.cjs) in Node.js, driven by Python over pipes.
//
// Each line is a list as JSON. ["c", name, arguments] calls the other side, which answers ["r", value] or ["t", exception]; calls
// nest. ["a", {navigable: [document, agent]}] tells which documents are active. Values cross as protocol.d.ts has them.
/** @import { Answer, Call, ModuleHooks, NativeModule, News } from "./protocol.d.ts" */
"use strict";

const fs = require("node:fs");
const vm = require("node:vm");
const { StringDecoder } = require("node:string_decoder");
const { types } = require("node:util");
const { internalBinding } = require("internal/test/binding");
const { decorateErrorStack } = require("internal/util");

const engine = require("./engine.cjs");

const { promiseRejectEvents, setPromiseRejectCallback } = internalBinding("task_queue");

const buffer = Buffer.alloc(1 << 16);
const decoder = new StringDecoder("utf8");
let pending = "";

/** @returns {Call | Answer | News} */
function receive() {
  let end = pending.indexOf("\n");
  while (end < 0) {
    const count = fs.readSync(0, buffer);
    if (count === 0) process.exit(0);
    const start = pending.length;
    pending += decoder.write(buffer.subarray(0, count));
    end = pending.indexOf("\n", start);
  }
  const line = pending.slice(0, end);
  pending = pending.slice(end + 1);
  return JSON.parse(line);
}

function send(/** @type {Call | Answer} */ message) {
  const data = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < data.length; ) {
    try {
      sent += fs.writeSync(1, data, sent);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    }
  }
}

/** Performs what Python asks until it answers our call. @returns {Answer} */
function serve() {
  for (;;) {
    const line = receive();
    if (line[0] === "c") send(engine.perform(line[1], line[2]));
    else if (line[0] === "a") engine.setActive(line[1]);
    else return line;
  }
}

/** What Node.js calls for import(), which takes a namespace, too. @type {(importing: ModuleHooks["importing"]) => any} */
const loaderOf =
  (importing) => (/** @type {string} */ specifier, /** @type {unknown} */ _, /** @type {any} */ attributes) =>
    importing(specifier, attributes);
/** The modules of the platform, by ours. @type {WeakMap<NativeModule, vm.Module>} */
const natives = new WeakMap();

/** Has the stacks of syntax errors begin with their places. @type {<T>(act: () => T) => T} */
function decorated(act) {
  try {
    return act();
  } catch (error) {
    decorateErrorStack(error);
    throw error;
  }
}

/** @type {(native: any) => NativeModule} */
function asModule(native) {
  /** @type {NativeModule} */
  const module = {
    requests: native.moduleRequests ?? [],
    link(modules) {
      native.linkRequests?.(modules.map((one) => natives.get(one)));
    },
    instantiate() {
      if (native.status === "unlinked") decorated(() => native.instantiate?.());
    },
    evaluate: () => native.evaluate(),
    get namespace() {
      return native.namespace;
    },
  };
  natives.set(module, native);
  return module;
}

engine.start({
  version: `V8 ${process.versions.v8}`,
  newGlobal: () => vm.createContext(vm.constants.DONT_CONTEXTIFY),
  compile(source, filename, line = 0, column = 0, importing) {
    const script = new vm.Script(source, {
      filename,
      lineOffset: line,
      columnOffset: column,
      importModuleDynamically: importing && loaderOf(importing),
    });
    return (global) => script.runInContext(global);
  },
  modules: {
    compile(source, identifier, line, column, context, { meta, importing }) {
      return asModule(
        decorated(
          () =>
            new vm.SourceTextModule(source, {
              identifier,
              context,
              lineOffset: line,
              columnOffset: column,
              initializeImportMeta: meta,
              importModuleDynamically: loaderOf(importing),
            }),
        ),
      );
    },
    compileJSON(text, identifier, context) {
      const value = vm.runInContext("JSON.parse", context)(text);
      const steps = () => module.setExport("default", value);
      const module = new vm.SyntheticModule(["default"], steps, { identifier, context });
      return asModule(module);
    },
  },
  performCheckpoint: /** @type {() => void} */ (new Function("%PerformMicrotaskCheckpoint()")),
  call(name, values) {
    send(["c", name, values]);
    return serve();
  },
  onRejection(told) {
    const { kPromiseRejectWithNoHandler, kPromiseHandlerAddedAfterReject } = promiseRejectEvents;
    setPromiseRejectCallback((type, promise, reason) => {
      if (type === kPromiseRejectWithNoHandler) told(false, promise, reason);
      if (type === kPromiseHandlerAddedAfterReject) told(true, promise, reason);
    });
  },
  urlOf: (url, base) => new URL(url, base),
  parametersOf: (init) => new URLSearchParams(init),
  types,
});
serve();
