// Starts Python from the files that write_bundle() in bundle.py has written beside this one.
import createPyodideModule from "./pyodide/pyodide.asm.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";

const PAGE_OF_MEMORY = 65536;

async function bytes(/** @type {string} */ name) {
  const response = await fetch(new URL(name, import.meta.url));
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
}

/**
 * The options with which Python starts from a snapshot of its memory. Python begins with less memory than that of one that has
 * imported much, and Pyodide copies the snapshot without a look, so the memory grows before.
 */
function fromSnapshot(/** @type {Uint8Array} */ snapshot) {
  return {
    _loadSnapshot: snapshot,
    createPyodideModule(/** @type {any} */ settings) {
      const { instantiateWasm } = settings;
      settings.instantiateWasm = (/** @type {WebAssembly.Imports} */ imports, /** @type {Function} */ receive) =>
        instantiateWasm(
          imports,
          (/** @type {WebAssembly.Instance} */ instance, /** @type {WebAssembly.Module} */ module) => {
            const memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
            const missing = Math.ceil((snapshot.length - memory.buffer.byteLength) / PAGE_OF_MEMORY);
            if (missing > 0) memory.grow(missing);
            receive(instance, module);
          },
        );
      return createPyodideModule(settings);
    },
  };
}

/** Starts Python with an archive in its path; a folder built without Node.js has no snapshot. */
export async function startPython(/** @type {string} */ archiveName) {
  const [snapshot, archive] = await Promise.all([bytes("snapshot.bin"), bytes(archiveName)]);
  const indexURL = new URL("pyodide/", import.meta.url).href;
  const python = await loadPyodide({ indexURL, ...(snapshot ? fromSnapshot(snapshot) : {}) });
  const path = `/${archiveName}`;
  python.FS.writeFile(path, archive);
  python.runPython(`import sys; '${path}' in sys.path or sys.path.insert(0, '${path}')`);
  return python;
}
