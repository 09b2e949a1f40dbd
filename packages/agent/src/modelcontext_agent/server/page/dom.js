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
 * Controls, formats, surrogates and unassigned characters, but for line breaks; separators of lines; spaces, but for the usual
 * one; and letters and marks that show nothing, as framing.py has them for models.
 */
const HIDDEN =
  /[^\n\P{C}]|[\p{Zl}\p{Zp}]|[^ \P{Zs}]|[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

/**
 * The text with each character that hides, turns text around or is none written as its number: what a person agrees to is what
 * they see. Line breaks stay.
 * @param {string} text
 */
export const visible = (text) => text.replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/**
 * The text as {@link visible} has it, with each character that was written as its number marked, for eyes and for screen readers.
 * @param {string} text
 */
export function marked(text) {
  const made = document.createDocumentFragment();
  let end = 0;
  for (const { 0: char, index } of text.matchAll(HIDDEN)) {
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
