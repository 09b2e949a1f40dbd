// Walks of trees (https://dom.spec.whatwg.org/#traversal), and the rows and cells of tables (https://html.spec.whatwg.org/#tables).
import { DOMException } from "./exceptions.js";
import { idOf, interfaces } from "./interfaces.js";
import { extend, hide, scope } from "./intrinsics.js";
import { Document } from "./nodes.js";

const { HTMLTableElement, HTMLTableSectionElement, HTMLTableRowElement, HTMLTableCellElement } = interfaces;

const NodeFilter = {
  FILTER_ACCEPT: 1,
  FILTER_REJECT: 2,
  FILTER_SKIP: 3,
  SHOW_ALL: 0xffffffff,
  SHOW_ELEMENT: 1,
  SHOW_TEXT: 4,
  SHOW_COMMENT: 128,
  SHOW_DOCUMENT: 256,
  SHOW_DOCUMENT_FRAGMENT: 1024,
};
hide(scope, "NodeFilter", NodeFilter);

class TreeWalker {
  constructor(/** @type {any} */ root, /** @type {number} */ whatToShow, /** @type {any} */ filter) {
    this.root = this.currentNode = root;
    this.whatToShow = whatToShow;
    this.filter = filter;
  }
  /** https://dom.spec.whatwg.org/#concept-node-filter @type {(node: any) => number} */
  #verdict(node) {
    if (!((this.whatToShow >>> (node.nodeType - 1)) & 1)) return NodeFilter.FILTER_SKIP;
    if (this.filter === null) return NodeFilter.FILTER_ACCEPT;
    return typeof this.filter === "function" ? this.filter(node) : this.filter.acceptNode(node);
  }
  /** The nodes below a node that the filter accepts, in tree order or reversed. @type {(node: any, isReversed?: boolean) => Generator<any>} */
  *#below(node, isReversed = false) {
    for (const child of isReversed ? node.childNodes.toReversed() : node.childNodes) {
      const verdict = this.#verdict(child);
      if (verdict === NodeFilter.FILTER_ACCEPT && !isReversed) yield child;
      if (verdict !== NodeFilter.FILTER_REJECT) yield* this.#below(child, isReversed);
      if (verdict === NodeFilter.FILTER_ACCEPT && isReversed) yield child;
    }
  }
  /** @type {(node: any) => any} */
  #goTo(node) {
    if (node !== null) this.currentNode = node;
    return node;
  }
  nextNode() {
    const { value: below = null } = this.#below(this.currentNode).next();
    if (below !== null) return this.#goTo(below);
    const after = [...this.#below(this.root)].find((node) => this.currentNode.compareDocumentPosition(node) & 4);
    return this.#goTo(after ?? null);
  }
  previousNode() {
    const before = [...this.#below(this.root)]
      .filter((node) => this.currentNode.compareDocumentPosition(node) & 2)
      .at(-1);
    if (before !== undefined) return this.#goTo(before);
    const isRoot = this.currentNode === this.root || this.#verdict(this.root) !== NodeFilter.FILTER_ACCEPT;
    return isRoot ? null : this.#goTo(this.root);
  }
  parentNode() {
    for (let node = this.currentNode; node !== null && node !== this.root; ) {
      node = node.parentNode;
      if (node !== null && this.#verdict(node) === NodeFilter.FILTER_ACCEPT) return this.#goTo(node);
    }
    return null;
  }
  firstChild() {
    return this.#goTo(this.#below(this.currentNode).next().value ?? null);
  }
  lastChild() {
    const children = [...this.#below(this.currentNode)];
    return this.#goTo(children.findLast((node) => !children.some((one) => one !== node && one.contains(node))) ?? null);
  }
  nextSibling() {
    return this.#sibling(1);
  }
  previousSibling() {
    return this.#sibling(-1);
  }
  /** @type {(step: number) => any} */
  #sibling(step) {
    const parent = this.currentNode === this.root ? null : this.currentNode.parentNode;
    const below = parent === null ? [] : [...this.#below(parent)];
    const siblings = below.filter((node) => !below.some((one) => one !== node && one.contains(node)));
    const place = siblings.indexOf(this.currentNode) + step;
    return this.#goTo(siblings[place] ?? null);
  }
}
hide(scope, "TreeWalker", TreeWalker);
extend(Document.prototype, {
  createTreeWalker(root, whatToShow = NodeFilter.SHOW_ALL, filter = null) {
    idOf(root, "Node");
    return new TreeWalker(root, whatToShow, filter);
  },
});

// Tables

/** @type {(parent: any, names: string) => any[]} */
const childrenOf = (parent, names) =>
  parent.children.filter((/** @type {any} */ one) => names.split(" ").includes(one.localName));

/** Inserts an element among others at an index, of which -1 is the end. @type {(parent: any, name: string, others: any[], index: number) => any} */
function insertAt(parent, name, others, index) {
  if (index < -1 || index > others.length) throw new DOMException("there is no such index", "IndexSizeError");
  const made = parent.ownerDocument.createElement(name);
  const next = others[index] ?? null;
  (next?.parentNode ?? parent).insertBefore(made, next);
  return made;
}
/** @type {(others: any[], index: number) => void} */
function deleteAt(others, index) {
  const found = index === -1 ? others.at(-1) : others[index];
  if (found === undefined && index !== -1) throw new DOMException("there is no such index", "IndexSizeError");
  found?.remove();
}

extend(HTMLTableElement.prototype, {
  get rows() {
    const sections = (/** @type {string} */ names) =>
      childrenOf(this, names).flatMap((one) => (one.localName === "tr" ? [one] : one.rows));
    return [...sections("thead"), ...sections("tbody tr"), ...sections("tfoot")];
  },
  get tBodies() {
    return childrenOf(this, "tbody");
  },
  get tHead() {
    return childrenOf(this, "thead")[0] ?? null;
  },
  get tFoot() {
    return childrenOf(this, "tfoot")[0] ?? null;
  },
  get caption() {
    return childrenOf(this, "caption")[0] ?? null;
  },
  createTBody() {
    const body = this.ownerDocument.createElement("tbody");
    this.insertBefore(body, this.tBodies.at(-1)?.nextSibling ?? null);
    return body;
  },
  insertRow(index = -1) {
    const { rows } = this;
    const isAtTheEnd = index === -1 || index === rows.length;
    const section = rows.at(-1)?.parentNode ?? this.tBodies.at(-1) ?? this.createTBody();
    return isAtTheEnd ? insertAt(section, "tr", [], -1) : insertAt(this, "tr", rows, index);
  },
  deleteRow(index) {
    deleteAt(this.rows, index);
  },
});
extend(HTMLTableSectionElement.prototype, {
  get rows() {
    return childrenOf(this, "tr");
  },
  insertRow(index = -1) {
    return insertAt(this, "tr", this.rows, index);
  },
  deleteRow(index) {
    deleteAt(this.rows, index);
  },
});
extend(HTMLTableRowElement.prototype, {
  get cells() {
    return childrenOf(this, "td th");
  },
  get rowIndex() {
    return this.closest("table")?.rows.indexOf(this) ?? -1;
  },
  get sectionRowIndex() {
    return childrenOf(this.parentNode ?? this, "tr").indexOf(this);
  },
  insertCell(index = -1) {
    return insertAt(this, "td", this.cells, index);
  },
  deleteCell(index) {
    deleteAt(this.cells, index);
  },
});
extend(HTMLTableCellElement.prototype, {
  get cellIndex() {
    return this.parentNode?.cells?.indexOf(this) ?? -1;
  },
});
