// Python, off the page's own thread: an endless program can be stopped by ending the worker.
import { startEngine } from "./engine.js";
import { startPython } from "./start-python.js";

const SUITE = "/suite.zip";
const COMPILER = "/compiler.zip";
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

/** Starts the compiler of the text: a page that changes no step does without. */
async function startCompiler() {
  const [compiler, source] = await Promise.all([
    load("compiler.zip").then((response) => response.arrayBuffer()),
    load("index.bs").then((response) => response.text()),
  ]);
  const started = await python;
  started.FS.writeFile(COMPILER, new Uint8Array(compiler));
  started.runPython(`import sys; sys.path.append("${COMPILER}")`);
  return started.pyimport("modelcontext_prose.in_page").EditedPage(source);
}

/** @type {ReturnType<typeof startCompiler> | undefined} */
let compiler;

/** Answers a question about the text itself. @type {(id: number, name: "source" | "use", values: string[]) => Promise<void>} */
async function answerOfText(id, name, values) {
  const page = await (compiler ??= startCompiler());
  postMessage({ id, result: JSON.parse(page[name](...values)) });
  // Meanwhile the person writes.
  if (name === "source") page.prepare();
}

/** Lets the text with changes be the one that runs. */
async function needText(/** @type {object[]} */ changes) {
  if (compiler === undefined && !changes.length) return;
  const page = await (compiler ??= startCompiler());
  const { error } = JSON.parse(page.use(JSON.stringify(changes)));
  if (error) throw new Error(error);
}

addEventListener("message", async ({ data: { id, name, values, changes } }) => {
  try {
    const started = await session;
    if (name === "source" || name === "use") {
      await answerOfText(id, name, values);
      return;
    }
    await needText(changes);
    // Every question ends with a language and a place.
    if (values.at(-2) !== "program") await needScripts();
    postMessage({ id, result: JSON.parse(started[name](...values)) });
  } catch (error) {
    // A bug: user input never throws.
    postMessage({ id, result: { error: `The model failed: ${/** @type {any} */ (error).message}` } });
  }
});
