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
 * The text with each character that hides, turns text around or is none written as its number: what a person agrees to is what
 * they see. Line breaks stay.
 * @param {string} text
 */
export const visible = (text) =>
  text.replace(/[^\n\P{C}]|[\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

/** An element of index.html. @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);
