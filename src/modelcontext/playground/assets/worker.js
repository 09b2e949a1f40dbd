// Python, off the page's own thread: an endless program can be stopped by ending the worker.
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function bytes(/** @type {string} */ name) {
  const response = await fetch(new URL(name, import.meta.url));
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
}

async function start() {
  const [snapshot, archive] = await Promise.all([bytes("snapshot.bin"), bytes("modelcontext.zip")]);
  const options = { indexURL: new URL("pyodide/", import.meta.url).href };
  const python = await (snapshot
    ? loadPyodide({ ...options, _loadSnapshot: snapshot }).catch(() => loadPyodide(options))
    : loadPyodide(options));
  python.FS.writeFile("/modelcontext.zip", archive);
  python.runPython("import sys; '/modelcontext.zip' in sys.path or sys.path.insert(0, '/modelcontext.zip')");
  return python.pyimport("modelcontext.playground.session");
}

const session = start();
session.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ fault: `Python did not start: ${error.message}` }),
);

addEventListener("message", async ({ data: { id, name, values } }) => {
  try {
    const python = await session;
    postMessage({ id, result: JSON.parse(python[name](...values)) });
  } catch (error) {
    // A bug: user input never throws.
    postMessage({ id, result: { error: `The model failed: ${/** @type {any} */ (error).message}` } });
  }
});
