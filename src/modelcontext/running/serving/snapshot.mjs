// Writes the memory of a Python that has imported modules, so that pages need not import them again.
//
// usage: node snapshot.mjs PYODIDE-FOLDER ARCHIVE OUT MODULE...
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

// Node.js would show the source line first, which is all of Pyodide.
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

const [pyodide, archive, out, ...modules] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: pyodide, _makeSnapshot: true, env: { PYTHONHASHSEED: "0" } });
python.FS.writeFile("/modelcontext.zip", readFileSync(archive));
python.runPython("import sys; sys.path.insert(0, '/modelcontext.zip')");
for (const name of modules) python.runPython(`import ${name}`);
writeFileSync(out, python.makeMemorySnapshot());
