// Making elements.

/** @type {(name: string, properties?: Record<string, any> | null, ...children: any[]) => any} */
export function make(name, properties, ...children) {
  const element = /** @type {any} */ (document.createElement(name));
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** @type {(items: any[], tag?: string, properties?: Record<string, any>) => any} */
export const list = (items, tag = "ul", properties = {}) =>
  make(tag, properties, ...items.map((item) => make("li", {}, item)));

/** @type {(words: string, onclick: () => void) => any} */
export const linkButton = (words, onclick) => make("button", { type: "button", className: "link", onclick }, words);

export const hint = (/** @type {string} */ words) => make("p", { className: "hint" }, words);

export const badge = (/** @type {string} */ words) => make("span", { className: "badge" }, words);

/** An element of index.html. @type {(id: string) => any} */
export const byId = (id) => document.getElementById(`pg-${id}`);

/** Scrolls within one panel, and leaves the page where it is. @type {(element: Element, panel: Element) => void} */
export function reveal(element, panel) {
  const inner = element.getBoundingClientRect();
  const outer = panel.getBoundingClientRect();
  if (inner.top >= outer.top + 8 && inner.bottom <= outer.bottom - 8) return;
  const room = Math.max(8, (outer.height - inner.height) / 2);
  panel.scrollTop += inner.top - outer.top - Math.min(room, outer.height / 3);
}
