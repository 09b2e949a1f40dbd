// Making elements. Strings become text: what pages and models say is never read as markup.

/** @type {(name: string, attributes?: Record<string, string | boolean> | null, ...children: (Node | string | null | undefined | false)[]) => HTMLElement} */
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false) element.setAttribute(key, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** @type {(label: string, className: string, onclick: () => void) => HTMLButtonElement} */
export function button(label, className, onclick) {
  const element = /** @type {HTMLButtonElement} */ (make("button", { type: "button", class: className }, label));
  element.addEventListener("click", onclick);
  return element;
}

/**
 * Controls, formats, surrogates and unassigned characters, but for line breaks and tabs; separators of lines; letters and marks
 * that show nothing. framing.py marks the same for models.
 */
export const UNSEEN =
  /[^\n\r\t\P{C}]|[\p{Zl}\p{Zp}]|[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

/** In what a person agrees to, also tabs, and spaces but for the usual one. */
const HIDDEN = new RegExp(`${UNSEEN.source}|[\\r\\t]|[^ \\P{Zs}]`, "gu");

/**
 * The text with each character that hides, turns text around or is none written as its number: what a person agrees to is what
 * they see. Line breaks stay.
 * @param {string} text
 */
export const visible = (text) => text.replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/**
 * The text with each hidden character written as its number, as {@link visible} has it, and marked for eyes and screen readers.
 * @param {string} text
 */
export function marked(text, hidden = HIDDEN) {
  const made = document.createDocumentFragment();
  let end = 0;
  for (const { 0: char, index } of text.matchAll(hidden)) {
    const words = `hidden character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    const mark = make("mark", { title: words, role: "img", "aria-label": words }, visible(char));
    made.append(text.slice(end, index), mark);
    end = index + char.length;
  }
  made.append(text.slice(end));
  return made;
}

/** An element of index.html. @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);
