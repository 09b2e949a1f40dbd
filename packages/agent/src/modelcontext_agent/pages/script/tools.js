// The tools of this document, for an agent's program: listed, called, cancelled. Of other documents it knows nothing.
/** @import { Call, End, DocumentTools } from "./types.d.ts" */

// The longest JSON text of a tool's value that goes to the agent, and the most tools of one document.
const LONGEST_OUTPUT = 2 ** 23;
const MOST_TOOLS = 1000;

/** @type {Map<string, AbortController>} By the id of the call. */
const running = new Map();
/** @type {WeakMap<Document, string>} A window can outlive its document, so that the id is the document's. */
const ids = new WeakMap();
/** @type {WeakSet<object>} */
const watched = new WeakSet();

/** A word that nobody can guess. */
export const randomWord = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the id of the document; a new document has a new one. */
export function documentId() {
  const known = ids.get(document);
  if (known !== undefined) return known;
  const made = randomWord();
  ids.set(document, made);
  return made;
}

// Tools of other documents of the origin are listed as well, and their own documents list them, too.
async function ownTools() {
  const found = await modelContext().getTools();
  return found.filter((/** @type {any} */ tool) => tool.window === window);
}

const modelContext = () => /** @type {any} */ (document).modelContext;

function definitionOf(/** @type {any} */ { name, title, description, inputSchema, annotations }) {
  return JSON.stringify({ name, title: title ?? "", description, inputSchema, annotations: annotations ?? {} });
}

/** Calls `changed` whenever the tools of the document change. @type {(changed: () => void) => void} */
export function watch(changed) {
  const context = modelContext();
  if (!context || watched.has(context)) return;
  watched.add(context);
  context.addEventListener("toolchange", () => changed());
}

/** Returns the document with its tools; it has none where it may not use the API. @type {() => Promise<DocumentTools>} */
export const list = async () => {
  const tools = await ownTools().catch(() => []);
  const definitions = tools.slice(0, MOST_TOOLS).map(definitionOf);
  return { document: documentId(), origin: window.origin, url: location.href, definitions };
};

/** Runs a tool if it is the one that is meant, and returns the end of the call. @type {(call: Call) => Promise<End>} */
export const call = async ({ id, document: expected, name, definition, arguments: text }) => {
  const { signal } = controllerOf(id);
  try {
    if (documentId() !== expected) return { end: "document-gone" };
    const tool = (await ownTools()).find((/** @type {any} */ { name: other }) => other === name);
    signal.throwIfAborted();
    if (documentId() !== expected) return { end: "document-gone" };
    if (!tool) return { end: "tool-gone" };
    if (definitionOf(tool) !== definition) return { end: "tool-changed" };
    const output = await modelContext().executeTool(tool, JSON.parse(text), { signal });
    if (output?.length > LONGEST_OUTPUT) {
      return { end: "failed", said: `its result has ${output.length} characters; at most ${LONGEST_OUTPUT} are taken` };
    }
    return { end: "done", output };
  } catch (error) {
    const { name: kind, message } = /** @type {any} */ (error) ?? {};
    if (signal.aborted || kind === "AbortError") return { end: "cancelled" };
    return { end: "failed", said: [kind, message].filter(Boolean).join(": ") || String(error) };
  } finally {
    running.delete(id);
  }
};

/** Aborts the signal of a call, also of one that has not come yet. @type {(id: string) => void} */
export function cancel(id) {
  controllerOf(id).abort();
}

function controllerOf(/** @type {string} */ id) {
  const controller = running.get(id) ?? new AbortController();
  running.set(id, controller);
  return controller;
}

export function cancelAll() {
  for (const controller of running.values()) controller.abort();
}
