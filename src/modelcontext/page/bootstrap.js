// Starts Python once, and serves from here the windows that this one opens.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const folder = new URL(".", import.meta.url);

async function text(name) {
  const response = await fetch(new URL(name, folder));
  if (!response.ok) throw new Error(`${name} cannot be loaded: ${response.status}`);
  return response.text();
}

function fault(message) {
  window.modelcontextFaults.push(message);
  window.modelcontextFault?.(message);
}

// The memory of a Python that has imported everything already; a folder that was built without Node.js has none.
async function snapshot() {
  const response = await fetch(new URL("snapshot.bin", folder));
  return response.ok ? { _loadSnapshot: new Uint8Array(await response.arrayBuffer()) } : {};
}

async function start() {
  const [python, archive, shapes, revision] = await Promise.all([
    snapshot().then((options) => loadPyodide({ indexURL: new URL("pyodide/", folder).href, ...options })),
    fetch(new URL("modelcontext.zip", folder)).then((response) => response.arrayBuffer()),
    text("shapes.json"),
    text("revision.txt"),
  ]);
  python.FS.writeFile("/modelcontext.zip", new Uint8Array(archive));
  python.runPython("import sys; '/modelcontext.zip' in sys.path or sys.path.insert(0, '/modelcontext.zip')");
  const hub = makeHub(fault);
  const entries = python.pyimport("modelcontext.page.entry").start(hub.verbs, revision, shapes);
  const names = ["call", "get", "run", "drop", "advance", "abort", "forget", "settled", "unload"];
  hub.start(Object.fromEntries(names.map((name) => [name, entries[name]])));
  window[Symbol.for("modelcontext.hub")] = hub;
  if (window === window.top) makeMailroom(hub.connect);
  addEventListener("message", ({ data, source, ports: [port] }) => {
    // What else is sent here is meant for somebody else: testharness.js tells every opener of its results.
    if (typeof data === "string" && data.startsWith('{"modelcontext":'))
      hub.connect(source, port, JSON.parse(data).modelcontext);
  });
}

window.modelcontextFaults = [];
window.modelcontextReady = start();
