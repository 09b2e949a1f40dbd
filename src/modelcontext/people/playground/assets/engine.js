// The engine for scripts: QuickJS, compiled to WebAssembly, with one context for each realm.
//
// Python calls it, and is called by it, in one thread. The memory after the start is kept, and each run begins with it: what a
// run leaves behind, and what the end of a run in the middle of a call breaks, is gone.
import { QuickJS } from "./quickjs/index.js";

/** @import { JSValueHandle } from "quickjs-wasi" */

/** Bytes that scripts may fill. */
const MOST_MEMORY = 256 << 20;
const STACK = 512 << 10;
/** Bytes that most runs do with. The memory cannot shrink, so that each run that needs more leaves a gap in it. */
const ROOM = 32 << 20;
/** Bytes at both ends of free memory in which the allocator keeps its books. */
const BORDER = 4096;

/**
 * Thrown out of the engine's WebAssembly, whose memory is of no use after it. Where a function of ours stands between, it becomes an
 * exception of scripts; so whatever they ask for after it leaves again, until perform() has its answer.
 */
class Left extends Error {}

/**
 * Starts an engine.
 *
 * @param {{ wasm: WebAssembly.Module, sources: Record<string, string>, realms: { source: string, description: object } }} files
 */
export async function startEngine({ wasm, sources, realms }) {
  let isLeaving = false;
  let hasLeft = false;
  let deadline = Infinity;
  /** @type {string | null} Why a run has ended in the middle of a call. */
  let ending = null;
  /** @type {(text: string) => string} */
  let answer = () => "";
  /** The objects of this page that scripts hold. @type {any[]} */
  let held = [];

  function leave() {
    hasLeft = true;
    throw new Left();
  }

  const vm = await QuickJS.create({
    wasm,
    memoryLimit: MOST_MEMORY,
    maxStackSize: STACK,
    interruptHandler() {
      if (performance.now() > deadline) {
        ending ??= "hang";
        leave();
      }
      if (hasLeft) leave();
      return false;
    },
    onUnhandledRejection: (promise, reason, isHandled) => {
      within(main, () => functions.rejection(isHandled ? yes : no, promise, reason));
    },
    wasi: (memory) => ({
      // The clock stands still: scripts have one of ours. The core asks for the time to leave, since no script can catch this.
      clock_time_get(_clock, _precision, place) {
        if (isLeaving) leave();
        new DataView(memory.buffer).setBigUint64(place, 0n, true);
        return 0;
      },
    }),
  });
  // They are made once, and so before the memory is kept.
  const { undefined: nothing, true: yes, false: no } = vm;
  const raw = /** @type {any} */ (vm._getExports());
  const runtime = raw.qjs_get_runtime_ptr();
  const main = raw.qjs_get_context_ptr();
  /** The contexts by number; the first one is that of the core. */
  let contexts = [main];

  /** Makes a context the one that the functions of `vm` are about. @type {<T>(context: number, act: () => T) => T} */
  function within(context, act) {
    const before = raw.qjs_get_context_ptr();
    raw.qjs_set_runtime_and_context(runtime, context);
    try {
      return act();
    } finally {
      raw.qjs_set_runtime_and_context(runtime, before);
    }
  }

  /** @type {(members: Record<string, JSValueHandle>) => JSValueHandle} */
  function record(members) {
    const object = vm.newObject();
    for (const [name, value] of Object.entries(members)) vm.setProp(object, name, value);
    return object;
  }

  /** @type {(number: number, source: string, filename: string) => JSValueHandle} */
  function evaluate(number, source, filename) {
    try {
      const value = within(contexts[number], () => vm.evalCode(source, filename));
      return record({ threw: no, value });
    } catch (error) {
      const thrown = /** @type {any} */ (error).handle;
      if (thrown === undefined) throw error;
      return record({ threw: yes, value: thrown });
    }
  }

  /** @type {(act: () => unknown) => string} */
  function told(act) {
    try {
      const value = act() ?? null;
      return JSON.stringify(
        value === Object(value) && !Array.isArray(value) ? ["object", held.push(value) - 1] : ["value", value],
      );
    } catch (error) {
      return JSON.stringify(["error", /** @type {Error} */ (error).message]);
    }
  }

  /** @type {(how: string, target: any, key: string, values: any[]) => unknown} */
  function ask(how, target, key, values) {
    switch (how) {
      case "has method":
        return typeof target[key] === "function";
      case "call":
        return target[key](...values);
      case "set":
        target[key] = values[0];
        return null;
      case "list":
        return [...target];
      default:
        return target[key];
    }
  }

  const constructors = /** @type {Record<string, any>} */ ({ URL, URLSearchParams });
  /** @type {Record<string, (...values: JSValueHandle[]) => JSValueHandle>} */
  const host = {
    newContext() {
      const context = raw.JS_NewContext(runtime);
      contexts.push(context);
      const global = within(context, () => vm.getGlobal());
      return record({ id: vm.newNumber(contexts.length - 1), global });
    },
    evaluate: (number, source, filename) => evaluate(number.toNumber(), source.toString(), filename.toString()),
    call: (text) => vm.newString(hasLeft ? "" : answer(text.toString())),
    leave() {
      isLeaving = true;
      return nothing;
    },
    performCheckpoint() {
      vm.executePendingJobs();
      return nothing;
    },
    className: (value) => vm.newString(raw.qjs_is_object(value.ptr) ? classNameOf(value) : ""),
    make: (name, values) =>
      vm.newString(told(() => new constructors[name.toString()](...JSON.parse(values.toString())))),
    ask: (id, how, key, values) =>
      vm.newString(told(() => ask(how.toString(), held[id.toNumber()], key.toString(), JSON.parse(values.toString())))),
  };

  function classNameOf(/** @type {JSValueHandle} */ value) {
    const text = raw.qjs_get_class_name(value.ptr);
    return text === 0 ? "" : vm._readCString(text);
  }

  const functions = within(main, () => {
    const hosted = record(
      Object.fromEntries(
        Object.entries(host).map(([name, act]) => [
          name,
          vm.newFunction(name, (...values) => within(main, () => act(...values))),
        ]),
      ),
    );
    const texts = vm.hostToHandle({ ...sources, version: `QuickJS ${vm.versions.quickjs ?? ""}`.trim() });
    const make = vm.evalCode(sources["quickjs-core.js"], "modelcontext:core");
    const made = vm.callFunction(make, nothing, hosted, texts);
    /** @type {(name: string) => (...values: JSValueHandle[]) => JSValueHandle} */
    const member = (name) => {
      const given = made.getProp(name);
      return (...values) => vm.callFunction(given, nothing, ...values);
    };
    return { perform: member("perform"), setActive: member("setActive"), rejection: member("rejection") };
  });
  const setup = ["setup", [realms.source, realms.description]];
  const version = JSON.parse(functions.perform(vm.newString(JSON.stringify(setup))).toString())[1];
  const room = raw.malloc(ROOM);
  raw.free(room);
  const saved = vm.snapshot();
  const free = { from: room + BORDER, to: room + ROOM - BORDER };

  return {
    /** @type {string} */
    version,

    /** Takes the function of Python that answers the calls of scripts; it returns "" where the run must end. */
    listen(/** @type {{ copy(): (text: string) => string }} */ given) {
      answer = given.copy();
    },

    /** The bytes of its memory. */
    get size() {
      return vm._getMemory().buffer.byteLength;
    },

    /** Goes back to the memory after the start. */
    restore() {
      const memory = new Uint8Array(vm._getMemory().buffer);
      memory.set(saved.memory.subarray(0, free.from));
      memory.set(saved.memory.subarray(free.to), free.to);
      memory.fill(0, saved.memory.length);
      raw.__stack_pointer.value = saved.stackPointer;
      raw.qjs_set_runtime_and_context(saved.runtimePtr, saved.contextPtr);
      contexts = [main];
      held = [];
      isLeaving = hasLeft = false;
      ending = null;
    },

    giveTime(/** @type {number} */ milliseconds) {
      deadline = performance.now() + milliseconds;
    },

    setActive: (/** @type {string} */ text) => void functions.setActive(vm.newString(text)),

    /**
     * Performs a call, and returns its answer; "" if the run has ended in the middle of it, and a text with the reason if the
     * engine failed.
     */
    perform(/** @type {string} */ text) {
      let given = "";
      try {
        given = functions.perform(vm.newString(text)).toString();
      } catch (error) {
        if (!hasLeft) return JSON.stringify(["crash", `${/** @type {Error} */ (error).message}`]);
      }
      if (!hasLeft) return given;
      return ending === null ? "" : JSON.stringify([ending]);
    },
  };
}
