// The slider and its buttons.
import { byId, make } from "./dom.js";

export class Timeline {
  #slider = byId("at");
  #count = byId("count");
  #ticks = byId("ticks");
  /** @type {number[]} */
  #choices = [];
  #last = 0;

  /** @param {(index: number) => void} moved gets the number of a frame */
  constructor(moved) {
    this.moved = moved;
    const at = () => Number(this.#slider.value);
    this.#slider.addEventListener("input", () => moved(at()));
    /** @type {Record<string, () => number>} */
    const buttons = {
      first: () => 0,
      previous: () => at() - 1,
      next: () => at() + 1,
      last: () => this.#last,
      "previous-choice": () => this.#choices.findLast((index) => index < at()) ?? 0,
      "next-choice": () => this.#choices.find((index) => index > at()) ?? this.#last,
    };
    for (const [name, target] of Object.entries(buttons)) byId(name).addEventListener("click", () => moved(target()));
    byId("timeline").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const name = /** @type {Record<string, string>} */ ({ n: "next-choice", p: "previous-choice" })[event.key];
      if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      moved(buttons[name]());
    });
  }

  show(/** @type {import("../types.d.ts").Frame[]} */ frames) {
    this.#last = frames.length - 1;
    this.#choices = frames.flatMap((frame, index) => (frame.kind === "choice" ? [index] : []));
    this.#slider.max = this.#last;
    this.#slider.disabled = false;
    const tick = (/** @type {number} */ index, /** @type {string} */ kind) =>
      make("i", { className: kind, style: `--at: ${index / (this.#last || 1)}` });
    this.#ticks.replaceChildren(
      ...frames.flatMap((frame, index) => (["choice", "entry"].includes(frame.kind) ? [tick(index, frame.kind)] : [])),
    );
  }

  /** @type {(index: number, words: string) => void} */
  at(index, words) {
    this.#slider.value = index;
    this.#slider.setAttribute("aria-valuetext", `${index + 1} of ${this.#last + 1}: ${words}`);
    this.#count.textContent = `${index + 1} / ${this.#last + 1}`;
    const focused = document.activeElement;
    for (const name of ["first", "previous", "previous-choice"]) byId(name).disabled = index === 0;
    for (const name of ["next", "last", "next-choice"]) byId(name).disabled = index === this.#last;
    // A button that disables itself would lose the focus; the arrow keys go on from the slider.
    if (focused?.matches("#pg-timeline button:disabled")) this.#slider.focus();
  }
}
