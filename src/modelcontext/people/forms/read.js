// Reads the document of a frame: its HTML with the shadow trees that scripts can reach, and its form-associated custom
// elements. `mark` is the name of an attribute; in the copy it says why a person cannot see an element.

const CLIPPED = /^(inset\((50%|[5-9]\d%|100%|\d{4,}px)|circle\(0|polygon\(0(px|%)? 0(px|%)?, 0(px|%)? 0)/;
const CONTROLS = "form, label, input, select, textarea, button";

/** @type {Set<string>} The local names that a custom element may have. */
export const names = new Set();

/** Returns why a person does not see an element, in words; the empty string otherwise. @type {(element: Element) => string} */
function hiding(element) {
  const style = getComputedStyle(element);
  const { width, height, left, right, bottom } = element.getBoundingClientRect();
  const isControl = element.matches(CONTROLS);
  if (style.display === "none" || style.contentVisibility === "hidden") return "not displayed";
  // An element around it says why.
  if (!element.checkVisibility()) return "";
  if (isControl && style.visibility !== "visible") return "not visible";
  if (Number(style.opacity) < 0.02) return "transparent";
  const isAlone = style.position === "absolute" || style.position === "fixed";
  const isCut = style.overflowX !== "visible" && style.display !== "inline" && style.display !== "contents";
  if (CLIPPED.test(style.clipPath) || (isAlone && style.clip !== "auto") || (isCut && Math.min(width, height) <= 1)) {
    return "clipped to nothing";
  }
  // Nobody scrolls to the left of a page, or above it.
  const isOff = right + scrollX <= 0 || bottom + scrollY <= 0 || left > innerWidth + 5000;
  if (isControl && width * height > 0 && (isOff || isCutOff(element))) return "off the page";
  return isControl && element.localName !== "form" && style.display !== "contents" && width * height === 0
    ? "without a size"
    : "";
}

/** Returns whether an element is outside of a box that cuts off what is outside of it. @type {(element: Element) => boolean} */
function isCutOff(element) {
  const { top, right, bottom, left } = element.getBoundingClientRect();
  for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
    const { overflowX } = getComputedStyle(box);
    const edges = box.getBoundingClientRect();
    const isOutside = left >= edges.right || right <= edges.left || top >= edges.bottom || bottom <= edges.top;
    if (isOutside && (overflowX === "hidden" || overflowX === "clip")) return true;
  }
  return false;
}

/** Returns the HTML of the document. @type {(mark: string) => string} */
export function copied(mark) {
  const inert = document.implementation.createHTMLDocument();
  const holder = inert.createElement("div");
  /** @type {[Node, Node][]} Each with the parent of its copy. A stack, because a tree may be deep. */
  const pending = [[document.documentElement, holder]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, parent] = next;
    const copy = parent.appendChild(inert.importNode(node, false));
    const below = [...node.childNodes];
    for (let index = below.length - 1; index >= 0; index--) pending.push([below[index], copy]);
    if (!(node instanceof Element && copy instanceof Element)) continue;
    if (node.localName.includes("-")) names.add(node.localName);
    const why = hiding(node);
    copy.removeAttribute(mark);
    if (why) copy.setAttribute(mark, why);
    if (node instanceof HTMLTemplateElement && copy instanceof HTMLTemplateElement) {
      copy.content.append(inert.importNode(node.content, true));
    }
    if (node.shadowRoot) {
      const template = inert.createElement("template");
      template.setAttribute("shadowrootmode", "open");
      copy.prepend(template);
      for (const child of [...node.shadowRoot.childNodes].reverse()) pending.push([child, template.content]);
    }
  }
  const doctype = document.compatMode === "CSS1Compat" ? "<!doctype html>" : "";
  return doctype + holder.innerHTML;
}

/** @type {(name: string) => boolean} */
export const isFormAssociated = (name) => /** @type {any} */ (customElements.get(name))?.formAssociated === true;
