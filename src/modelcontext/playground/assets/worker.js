// Python, off the page's own thread: an endless program can be stopped by ending the worker.
import { startPython } from "./start-python.js";

const session = startPython("modelcontext.zip").then((python) => python.pyimport("modelcontext.playground.session"));
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
