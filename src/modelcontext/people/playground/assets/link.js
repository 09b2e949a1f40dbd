/** @import { Language } from "../types.d.ts" */
/** @typedef {{ example: string | null, text: string | null, language: Language, place: string, schedule: number[], at: number }} Place */

/** The names of texts in links, one for each language. @type {Language[]} */
const LANGUAGES = ["program", "page", "script", "test"];

// The page's address holds the example or the text (deflated), the schedule and the place in the run.
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

/** @type {(place: { example: string, text: string, language: Language, place: string, schedule: number[], at: number }) => Promise<string>} */
export async function write({ example, text, language, place, schedule, at }) {
  const parts = [example ? `example=${example}` : `${language}=${await packed(text)}`];
  if (!example && place) parts.push(`place=${encodeURIComponent(place)}`);
  if (schedule.length) parts.push(`schedule=${schedule.join(",")}`);
  if (at) parts.push(`at=${at}`);
  return `#${parts.join("&")}`;
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
  return { example: parts.get("example"), text, language: language ?? "program", place, schedule, at };
}
