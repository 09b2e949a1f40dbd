// The steps of a call before its promise is returned, for documents that cannot ask Python then (relay.js).
//
// A promise that the text rejects before it is returned must be rejected as the method returns. Python takes the same steps
// later, with the same result: it knows no more of the document than these functions, and its answer comes too late to
// change what is settled.
/** @import { Converted, Refusal } from "../protocol.d.ts" */
import { setNull } from "../wire.js";
import { construct, NativeURL, schemeOf, uncurried, urlHostOf, urlOriginOf } from "./pristine.js";

const find = uncurried(RegExp.prototype.exec);
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const TRUSTWORTHY_HOST = /^(?:localhost|.*\.localhost|127\.[0-9.]*|\[::1\])\.?$/;

/** What the steps ask of the document; `text` serializes a value and returns the exception that this throws, in a list. */
/** @typedef {{ active: boolean, allowed: boolean, names: Record<string, unknown>, text(key: number): [unknown] | null, isAborted(key: number): boolean, reasonOf(key: number): unknown, error(name: string): unknown }} Known */

/** @type {(dictionary: string, data: any, member: string) => any} */
function read(dictionary, data, member) {
  const members = given.members[dictionary];
  for (let index = 0; index < members.length; index++) if (members[index] === member) return data[index];
  return null;
}

/** @type {(string: string) => any} */
function parsed(string) {
  try {
    return construct(/** @type {any} */ (NativeURL), [string]);
  } catch {
    return null;
  }
}

/** https://webmachinelearning.github.io/webmcp/#parse-a-list-of-origins, and whether that fails @type {(strings: string[]) => boolean} */
function isFailure(strings) {
  for (let index = 0; index < strings.length; index++) {
    const url = parsed(strings[index]);
    if (url === null) return true;
    const origin = urlOriginOf(url);
    const inner = origin === "null" ? null : parsed(origin);
    if (inner === null) return true;
    const scheme = schemeOf(inner);
    if (scheme !== "https:" && scheme !== "wss:" && find(TRUSTWORTHY_HOST, urlHostOf(inner)) === null) return true;
  }
  return false;
}

/** The reason in a list; null if the promise is returned as it is. @type {Record<string, (data: any[], known: Known) => Refusal>} */
const operations = setNull({
  "ModelContext.registerTool": (data, known) => {
    const of = (/** @type {string} */ member) => read("ModelContextTool", data[0], member);
    const options = data[1];
    // 7. If tool map[tool name] exists, 8. if tool name is not a valid tool name, 9. if tool["description"] is the empty string
    const name = of("name");
    if (name in known.names || find(NAME, name) === null || of("description") === "") {
      return [known.error("InvalidStateError")];
    }
    // 11.1. Let serialized be the result of serializing a JavaScript value to a JSON string given tool["inputSchema"].
    const thrown = of("inputSchema") === null ? null : known.text(of("inputSchema"));
    if (thrown !== null) return thrown;
    // 13. If signal is not null and signal is aborted, then return a promise rejected with signal's abort reason.
    const signal = read("ModelContextRegisterToolOptions", options, "signal");
    if (signal !== null && known.isAborted(signal)) return [known.reasonOf(signal)];
    // 15.2. If exposed origins is failure, then return a promise rejected with a "SecurityError" DOMException.
    const exposed = read("ModelContextRegisterToolOptions", options, "exposedTo");
    return exposed !== null && isFailure(exposed) ? [known.error("SecurityError")] : null;
  },
  "ModelContext.getTools": (data, known) => {
    // 6.2. If from origins is failure, then return a promise rejected with a "SecurityError" DOMException.
    const origins = read("ModelContextGetToolOptions", data[0], "fromOrigins");
    return origins !== null && isFailure(origins) ? [known.error("SecurityError")] : null;
  },
  "ModelContext.executeTool": (data, known) => {
    // 6. If target url is failure, 8. if target origin is an opaque origin, then return a promise rejected with a
    // "NotSupportedError" DOMException.
    const url = parsed(read("RegisteredTool", data[0], "origin"));
    if (url === null || urlOriginOf(url) === "null") return [known.error("NotSupportedError")];
    // 11. Let input be the result of serializing a JavaScript value to a JSON string given inputObject.
    const thrown = data[1] === null ? null : known.text(data[1]);
    if (thrown !== null) return thrown;
    // 19.2. If signal is aborted, then return a promise rejected with signal's abort reason.
    const signal = read("ModelContextExecuteToolOptions", data[2], "signal");
    return signal !== null && known.isAborted(signal) ? [known.reasonOf(signal)] : null;
  },
});

/** Why the promise of a call is rejected before it is returned, in a list; null if it is not. @type {(operation: string, data: Converted, known: Known) => Refusal} */
export function refusal(operation, data, known) {
  // 3. If the document is not fully active, 4. if it is not allowed to use the "tools" feature
  if (!known.active) return [known.error("InvalidStateError")];
  if (!known.allowed) return [known.error("NotAllowedError")];
  return operations[operation]?.(/** @type {any} */ (data), known) ?? null;
}

/** The name of the tool that a call registers, and the key of the signal that ends what it does. @type {(operation: string, data: any) => { name: string | null, signal: number | null }} */
export function effects(operation, data) {
  if (operation === "ModelContext.registerTool") {
    const signal = read("ModelContextRegisterToolOptions", data[1], "signal");
    return { name: read("ModelContextTool", data[0], "name"), signal };
  }
  if (operation !== "ModelContext.executeTool") return { name: null, signal: null };
  return { name: null, signal: read("ModelContextExecuteToolOptions", data[2], "signal") };
}
