// The page side of the program language on a stage in Python: the interpreter of scripts without the harness for browsers.
//
// In place of frames.js, post.js and windows.js, whose documents talk by messages, it has the modules of this folder, which call
// the stage (stage.py) and wait for its answer. So a script makes no task, no strand and no choice of its own, and a schedule of
// the interpreter in Python is a schedule of this one.
import { runScript, told } from "../steps.js";
import { cell, me } from "../windows.js";

cell.contexts[me] = /** @type {any} */ (window[config.accessor]).modelContext;

Object.assign(config.given.realm, {
  run_script: runScript,
  receive: told,
  /** Calls a function of an operation: a document has loaded, a timer fires. */
  go_on(/** @type {import("../../../../hosts/scripting/protocol.d.ts").Data} */ handle) {
    config.given.decode(handle)();
  },
});
