// The text of the program, with the numbers of its lines and a mark at the one that is running.
import { byId, make } from "./dom.js";

export class Editor {
  #text = byId("text");
  #lines = byId("lines");
  /** @type {any} */
  #marked = null;

  constructor(/** @type {() => void} */ changed) {
    this.#text.addEventListener("input", () => {
      this.#number();
      changed();
    });
    this.#text.addEventListener("scroll", () => (this.#lines.scrollTop = this.#text.scrollTop));
  }

  get value() {
    return this.#text.value;
  }

  set value(text) {
    this.#text.value = text;
    this.#text.scrollTop = this.#text.scrollLeft = 0;
    this.#number();
  }

  #number() {
    const wanted = this.#text.value.split("\n").length;
    while (this.#lines.childElementCount > wanted) this.#lines.lastElementChild.remove();
    while (this.#lines.childElementCount < wanted) this.#lines.append(make("li"));
    this.#lines.scrollTop = this.#text.scrollTop;
  }

  /** Marks a line, counted from 1; null marks none. @type {(line: number | null, kind?: string) => void} */
  mark(line, kind = "running") {
    this.#marked?.removeAttribute("class");
    this.#marked = line ? this.#lines.children[line - 1] : null;
    if (!line || !this.#marked) return;
    this.#marked.className = kind;
    const height = this.#marked.offsetHeight;
    const top = (line - 1) * height;
    if (top < this.#text.scrollTop || top + 3 * height > this.#text.scrollTop + this.#text.clientHeight) {
      this.#text.scrollTop = Math.max(0, top - this.#text.clientHeight / 3);
    }
  }
}
