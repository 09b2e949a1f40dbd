/** @import { Change, Language } from "../types.d.ts" */
/** @typedef {{ example: string | null, text: string | null, language: Language, place: string, schedule: number[], at: number, changes: Change[] }} Place */

/** The names of texts in links, one for each language. @type {Language[]} */
const LANGUAGES = ["program", "page", "script", "test"];

// The page's address holds the example or the text (deflated), the schedule, the place in the run, and the changed steps.
/** @type {(stream: GenericTransformStream, bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>} */
async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(/** @type {string} */ text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

async function unpacked(/** @type {string} */ code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

/** @type {(place: { example: string, text: string, language: Language, place: string, schedule: number[], at: number, changes: Change[] }) => Promise<string>} */
export async function write({ example, text, language, place, schedule, at, changes }) {
  const parts = [example ? `example=${example}` : `${language}=${await packed(text)}`];
  if (!example && place) parts.push(`place=${encodeURIComponent(place)}`);
  if (schedule.length) parts.push(`schedule=${schedule.join(",")}`);
  if (at) parts.push(`at=${at}`);
  if (changes.length) parts.push(`changes=${await packed(JSON.stringify(changes))}`);
  return `#${parts.join("&")}`;
}

/** @type {(found: any) => Change[]} */
function changesIn(found) {
  const texts = (/** @type {any} */ one) => [one.algorithm, one.step, one.words];
  if (!found.every((/** @type {any} */ one) => texts(one).every((text) => typeof text === "string")))
    throw new Error("a change is damaged");
  return found;
}

/** Returns the place in a fragment; null if it has none. Throws if it is damaged. @type {(fragment: string) => Promise<Place | null>} */
export async function read(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const language = LANGUAGES.find((name) => parts.has(name));
  if (!parts.has("example") && language === undefined) return null;
  const schedule = (parts.get("schedule") ?? "").split(",").filter(Boolean).map(Number);
  const at = Number(parts.get("at") ?? 0);
  if (![...schedule, at].every((number) => Number.isInteger(number) && number >= 0))
    throw new Error("a number is damaged");
  const text = language === undefined ? null : await unpacked(/** @type {string} */ (parts.get(language)));
  const place = parts.get("place") ?? "";
  const changes = parts.has("changes") ? changesIn(JSON.parse(await unpacked(parts.get("changes") ?? ""))) : [];
  return { example: parts.get("example"), text, language: language ?? "program", place, schedule, at, changes };
}
