// Ranges (https://dom.spec.whatwg.org/#ranges), which stay where they were put: changes of the tree do not move them.
import { DOMException } from "./exceptions.js";
import { idOf, interfaces, isPlatformObject } from "./interfaces.js";
import { decode, defineProperty, extend, hide, python, scope, toStringTag } from "./intrinsics.js";

/** @typedef {[node: any, offset: number]} Point */

const indexIn = (/** @type {any} */ node) => node.parentNode.childNodes.indexOf(node);
const nodeLength = (/** @type {any} */ node) => node.length ?? node.childNodes.length;
/** The parent of a node, and its place there. @type {(node: any, after: number) => Point} */
function beside(node, after) {
  if (node.parentNode === null) throw new DOMException("the node has no parent", "InvalidNodeTypeError");
  return [node.parentNode, indexIn(node) + after];
}
/** The position of a point relative to another (https://dom.spec.whatwg.org/#concept-range-bp-position). @type {(a: Point, b: Point) => number} */
function comparePoints([node, offset], [other, otherOffset]) {
  if (node === other) return Math.sign(offset - otherOffset);
  const relation = node.compareDocumentPosition(other);
  if (relation & 2) return -comparePoints([other, otherOffset], [node, offset]);
  if (relation & 16) {
    let child = other;
    while (child.parentNode !== node) child = child.parentNode;
    if (indexIn(child) < offset) return 1;
  }
  return -1;
}

class Range {
  /** @type {Point} */
  #start = [scope.document, 0];
  /** @type {Point} */
  #end = [scope.document, 0];
  get startContainer() {
    return this.#start[0];
  }
  get startOffset() {
    return this.#start[1];
  }
  get endContainer() {
    return this.#end[0];
  }
  get endOffset() {
    return this.#end[1];
  }
  get collapsed() {
    return comparePoints(this.#start, this.#end) === 0;
  }
  get commonAncestorContainer() {
    let node = this.startContainer;
    while (!node.contains(this.endContainer)) node = node.parentNode;
    return node;
  }
  /** @type {(point: Point, isStart: boolean) => void} */
  #set(point, isStart) {
    const [node, offset] = point;
    if (!isPlatformObject(node, "Node")) throw new TypeError("the boundary of a range must be in a node");
    if (!(offset <= nodeLength(node)))
      throw new DOMException("the offset is after the end of the node", "IndexSizeError");
    const isOtherTree = this.startContainer.getRootNode() !== node.getRootNode();
    if (isStart) this.#start = point;
    else this.#end = point;
    if (isOtherTree || comparePoints(this.#start, this.#end) > 0) this.#start = this.#end = point;
  }
  setStart(/** @type {any} */ node, /** @type {unknown} */ offset) {
    this.#set([node, Number(offset) >>> 0], true);
  }
  setEnd(/** @type {any} */ node, /** @type {unknown} */ offset) {
    this.#set([node, Number(offset) >>> 0], false);
  }
  setStartBefore(/** @type {any} */ node) {
    this.#set(beside(node, 0), true);
  }
  setStartAfter(/** @type {any} */ node) {
    this.#set(beside(node, 1), true);
  }
  setEndBefore(/** @type {any} */ node) {
    this.#set(beside(node, 0), false);
  }
  setEndAfter(/** @type {any} */ node) {
    this.#set(beside(node, 1), false);
  }
  collapse(/** @type {unknown} */ toStart = false) {
    if (toStart) this.#end = this.#start;
    else this.#start = this.#end;
  }
  selectNode(/** @type {any} */ node) {
    [this.#start, this.#end] = [beside(node, 0), beside(node, 1)];
  }
  selectNodeContents(/** @type {any} */ node) {
    [this.#start, this.#end] = [
      [node, 0],
      [node, nodeLength(node)],
    ];
  }
  cloneRange() {
    const range = new Range();
    [range.#start, range.#end] = [this.#start, this.#end];
    return range;
  }
  /** Takes out, or copies, what is in the range. @type {(takes: boolean, keeps: boolean) => any} */
  #contents(takes, keeps) {
    const [node, from] = this.#start;
    const [last, to] = this.#end;
    const fragment = node.ownerDocument?.createDocumentFragment() ?? node.createDocumentFragment();
    if (node !== last) {
      throw new DOMException("ranges between two nodes have no contents in the simulated browser", "NotSupportedError");
    }
    if (node.data !== undefined) {
      if (keeps) fragment.append(node.data.slice(from, to));
      if (takes) node.data = node.data.slice(0, from) + node.data.slice(to);
    } else {
      for (const child of node.childNodes.slice(from, to)) {
        if (keeps) fragment.append(takes ? child : child.cloneNode(true));
        else child.remove();
      }
    }
    if (takes) this.#end = this.#start;
    return fragment;
  }
  deleteContents() {
    this.#contents(true, false);
  }
  extractContents() {
    return this.#contents(true, true);
  }
  cloneContents() {
    return this.#contents(false, true);
  }
  /** https://dom.spec.whatwg.org/#concept-range-insert */
  insertNode(/** @type {any} */ node) {
    let [parent, offset] = this.#start;
    if (parent.nodeType === 8 || parent === node)
      throw new DOMException("nothing can be there", "HierarchyRequestError");
    if (parent.nodeType === 3) {
      const rest = parent.data.slice(offset);
      if (parent.parentNode === null) throw new DOMException("the text has no parent", "HierarchyRequestError");
      parent.data = parent.data.slice(0, offset);
      parent.after(rest);
      // "For each live range whose end node is node and end offset is greater than offset …"
      if (this.endContainer === parent && this.endOffset > offset) {
        this.#end = [parent.nextSibling, this.endOffset - offset];
      }
      [parent, offset] = beside(parent, 1);
    }
    const reference = parent.childNodes[offset] ?? null;
    const count = node.nodeType === 11 ? node.childNodes.length : 1;
    parent.insertBefore(node, reference === node ? node.nextSibling : reference);
    if (this.collapsed) this.#end = [parent, offset + count];
  }
  surroundContents(/** @type {any} */ parent) {
    parent.replaceChildren(this.extractContents());
    this.insertNode(parent);
    this.selectNode(parent);
  }
  /** https://html.spec.whatwg.org/#dom-range-createcontextualfragment */
  createContextualFragment(/** @type {unknown} */ html) {
    const node = this.startContainer;
    const context = (node.nodeType === 1 ? node : node.parentElement) ?? scope.document.body;
    const fragment = decode(python("operation", idOf(context, "Node"), "Element.parseFragment", [`${html}`]));
    for (const script of fragment.querySelectorAll("script")) {
      const fresh = script.ownerDocument.createElement("script");
      for (const name of script.getAttributeNames()) fresh.setAttribute(name, script.getAttribute(name));
      fresh.text = script.text;
      script.replaceWith(fresh);
    }
    return fragment;
  }
  toString() {
    const contents = this.startContainer === this.endContainer ? this.cloneContents() : null;
    return contents === null ? "" : contents.textContent;
  }
  detach() {}
}
defineProperty(Range.prototype, toStringTag, { value: "Range", configurable: true });
hide(scope, "Range", Range);
extend(interfaces.Document.prototype, {
  createRange() {
    idOf(this, "Document");
    const range = new Range();
    range.selectNodeContents(this);
    range.collapse(true);
    return range;
  },
});
