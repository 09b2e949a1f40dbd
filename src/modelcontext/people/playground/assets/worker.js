// Python, off the page's own thread: an endless program can be stopped by ending the worker.
import { startEngine } from "./engine.js";
import { startPython } from "./start-python.js";

const SUITE = "/suite.zip";
/** Bytes of an engine's memory after which another one takes its place. */
const MOST_MEMORY = 1 << 30;

const python = startPython("modelcontext.zip");
const session = python.then((started) => started.pyimport("modelcontext.people.playground.session"));
session.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ fault: `Python did not start: ${error.message}` }),
);

async function load(/** @type {string} */ name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded`);
  return response;
}

/** Starts the engine for scripts, and gives it and the tests to Python. */
async function startScripts() {
  const [given, bytes, suite] = await Promise.all([
    load("scripts.json").then((response) => response.json()),
    load("quickjs/quickjs.wasm").then((response) => response.arrayBuffer()),
    load("suite.zip").then((response) => response.arrayBuffer()),
  ]);
  const engine = await startEngine({ wasm: await WebAssembly.compile(bytes), ...given });
  const started = await python;
  started.FS.writeFile(SUITE, new Uint8Array(suite));
  started.pyimport("modelcontext.people.playground.in_page").start_scripts(engine, SUITE);
  return engine;
}

/** @type {ReturnType<typeof startScripts> | undefined} */
let scripts;

/** Makes sure that there is an engine, and that runs before have left it room. */
async function needScripts() {
  if (scripts !== undefined && (await scripts).size > MOST_MEMORY) scripts = undefined;
  await (scripts ??= startScripts());
}

addEventListener("message", async ({ data: { id, name, values } }) => {
  try {
    const started = await session;
    // Every question ends with a language and a place.
    if (values.at(-2) !== "program") await needScripts();
    postMessage({ id, result: JSON.parse(started[name](...values)) });
  } catch (error) {
    // A bug: user input never throws.
    postMessage({ id, result: { error: `The model failed: ${/** @type {any} */ (error).message}` } });
  }
});
