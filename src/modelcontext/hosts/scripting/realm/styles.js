// What scripts ask about the look of a page, which has no layout here: getComputedStyle() of style and hidden attributes and of
// the rules of style elements, and matchMedia() of a window of 1024 by 768 pixels. Style sheets of links are not loaded.
import { hasAttribute } from "./elements.js";
import { idOf, interfaces, need } from "./interfaces.js";
import { accessor, apply, createMember, python, realm, scope } from "./intrinsics.js";

const NOT_SHOWN =
  "area base basefont datalist head link meta noembed noframes param rp script style template title".split(" ");
const INLINE = (
  "a abbr b bdi bdo big button cite code data dfn em font i img input kbd label mark meter output progress q s samp select " +
  "slot small span strong sub sup svg textarea time u var"
).split(" ");
const DISPLAYS = /** @type {Record<string, string>} */ ({
  button: "inline-block",
  input: "inline-block",
  li: "list-item",
  meter: "inline-block",
  progress: "inline-block",
  select: "inline-block",
  slot: "contents",
  table: "table",
  tbody: "table-row-group",
  td: "table-cell",
  textarea: "inline-block",
  th: "table-cell",
  thead: "table-header-group",
  tr: "table-row",
});
const INHERITED = ["visibility", "color", "font-size", "cursor", "pointer-events", "accent-color"];
const INITIAL = /** @type {Record<string, string>} */ ({
  "accent-color": "auto",
  color: "rgb(0, 0, 0)",
  cursor: "auto",
  "font-size": "16px",
  opacity: "1",
  "pointer-events": "auto",
  position: "static",
  visibility: "visible",
});

/** @type {(element: any) => string} */
function displayOf(element) {
  const name = element.localName;
  if (apply(hasAttribute, element, ["hidden"]) || NOT_SHOWN.includes(name)) return "none";
  if ((name === "dialog" && !element.open) || (name === "input" && element.type === "hidden")) return "none";
  return DISPLAYS[name] ?? (INLINE.includes(name) || name.includes("-") ? "inline" : "block");
}

// https://drafts.csswg.org/css-syntax/#parse-stylesheet, without nesting and at-rules other than @media

/** @typedef {{ selectors: string[], declarations: Map<string, [value: string, isImportant: boolean]> }} StyleRule */
/** The rules of texts. @type {Map<string, StyleRule[]>} */
const sheets = new Map();

/** @type {(text: string) => StyleRule[]} */
function rulesOf(text) {
  const known = sheets.get(text);
  if (known !== undefined) return known;
  /** @type {StyleRule[]} */
  const rules = [];
  sheets.set(text, rules);
  const css = text.replace(/\/\*.*?\*\//gs, " ");
  const block = /([^{};]*)(;|\{((?:[^{}]|\{[^{}]*\})*)\})/g;
  for (const [, prelude, , body] of css.matchAll(block)) {
    const head = prelude.trim();
    const media = /^@media\s+(.*)$/is.exec(head);
    if (body === undefined || (head.startsWith("@") && media === null)) continue;
    if (media !== null) {
      if (media[1].split(",").some(matchesMedia)) rules.push(...rulesOf(body));
      continue;
    }
    const declarations = new Map();
    for (const declaration of body.split(/;(?![^(]*\))/)) {
      const [, name, value, important] = /^\s*([\w-]+)\s*:\s*(.*?)\s*(!\s*important)?\s*$/is.exec(declaration) ?? [];
      if (name) declarations.set(name.toLowerCase(), [value, important !== undefined]);
    }
    rules.push({ selectors: head.split(/,(?![^([]*[)\]])/), declarations });
  }
  return rules;
}

/** https://drafts.csswg.org/selectors/#specificity-rules @type {(selector: string) => number} */
function specificity(selector) {
  const count = (/** @type {RegExp} */ pattern) => selector.match(pattern)?.length ?? 0;
  const classes = count(/\.[\w-]+|\[[^\]]*\]|(?<!:):(?!where|is|not|has)[\w-]+/g);
  return count(/#[\w-]+/g) * 1e6 + classes * 1e3 + count(/(?<![\w.#:[="'-])[a-z][\w-]*(?![^[]*\])/gi);
}

/** The value that wins the cascade of the style elements and the style attribute. @type {(element: any, name: string) => string} */
function cascaded(element, name) {
  const inline = element.style?.getPropertyValue(name) ?? "";
  let [best, weight] = [inline, inline === "" ? -1 : 1e9];
  const root = element.getRootNode();
  for (const style of root.querySelectorAll?.("style") ?? []) {
    for (const { selectors, declarations } of rulesOf(style.textContent)) {
      const [value, isImportant] = declarations.get(name) ?? [];
      if (value === undefined) continue;
      for (const selector of selectors) {
        const own = specificity(selector) + (isImportant ? 1e10 : 0);
        if (own >= weight && isMatched(element, selector)) [best, weight] = [value, own];
      }
    }
  }
  return best;
}
/** Whether an element matches a selector, which may be one that is not understood. @type {(element: any, selector: string) => boolean} */
function isMatched(element, selector) {
  try {
    return element.matches(selector);
  } catch {
    return false;
  }
}

/** @type {(element: any, name: string) => string} */
function computed(element, name) {
  const own = cascaded(element, name);
  if (own !== "" && own !== "inherit" && own !== "unset" && own !== "initial") return own;
  if (name === "display") return displayOf(element);
  const parent =
    own === "inherit" || ((INHERITED.includes(name) || name.startsWith("--")) && own !== "initial")
      ? element.parentElement
      : null;
  return parent === null ? (INITIAL[name] ?? "") : computed(parent, name);
}

createMember(scope, "getComputedStyle", function getComputedStyle(element) {
  need(arguments, 1, "getComputedStyle");
  idOf(element, "Element");
  const nameOf = (/** @type {string} */ key) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new Proxy(Object.create(scope.CSSStyleDeclaration.prototype), {
    get(_, key) {
      if (key === "getPropertyValue") return (/** @type {unknown} */ name) => computed(element, `${name}`);
      if (key === "length") return 0;
      return typeof key === "string" ? computed(element, nameOf(key)) : undefined;
    },
    set: () => false,
  });
});

// https://drafts.csswg.org/cssom-view/#the-mediaquerylist-interface

/** @type {Record<string, string | number>} */
const MEDIA = {
  width: 1024,
  height: 768,
  orientation: "landscape",
  hover: "hover",
  "any-hover": "hover",
  pointer: "fine",
  "any-pointer": "fine",
  "prefers-color-scheme": "light",
  "prefers-reduced-motion": "no-preference",
  "prefers-contrast": "no-preference",
};
const pixels = (/** @type {string} */ text) => Number.parseFloat(text) * (/r?em$/.test(text) ? 16 : 1);

/** @type {(query: string) => boolean} */
function matchesMedia(query) {
  const text = query.trim().toLowerCase();
  if (text.startsWith("not ")) return !matchesMedia(text.slice(4));
  return text.split(/\s+and\s+/).every((part) => {
    const feature = /^\(\s*(?:(min|max)-)?([\w-]+)\s*(?::\s*([^)]+?)\s*)?\)$/.exec(part);
    if (feature === null) return ["all", "screen", "only screen", ""].includes(part);
    const [, limit, name, value] = feature;
    const own = MEDIA[name];
    if (own === undefined) {
      python("missing", realm.id, `the media feature ${name}`);
      return false;
    }
    if (value === undefined) return true;
    if (typeof own === "string") return own === value;
    return limit === "min" ? own >= pixels(value) : limit === "max" ? own <= pixels(value) : own === pixels(value);
  });
}

createMember(scope, "matchMedia", function matchMedia(query) {
  need(arguments, 1, "matchMedia");
  const list = new interfaces.EventTarget();
  const media = `${query}`;
  accessor(list, "media", () => media);
  accessor(list, "matches", () => media.split(",").some(matchesMedia));
  createMember(list, "onchange", null);
  createMember(list, "addListener", (/** @type {any} */ listener) => list.addEventListener("change", listener));
  createMember(list, "removeListener", (/** @type {any} */ listener) => list.removeEventListener("change", listener));
  return list;
});

// Idle time comes when a timer fires

createMember(scope, "requestIdleCallback", function requestIdleCallback(callback) {
  need(arguments, 1, "requestIdleCallback");
  return scope.setTimeout(() => callback({ didTimeout: false, timeRemaining: () => 50 }), 1);
});
createMember(scope, "cancelIdleCallback", scope.clearTimeout);
