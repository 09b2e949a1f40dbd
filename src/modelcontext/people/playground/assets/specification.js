// The text of the specification, with the step that is being executed marked, and changed steps by their new words.
/** @import { ShownStep, StepFrame, StepName } from "../types.d.ts" */
import { badge, byId, reveal } from "./dom.js";

const idOf = (/** @type {StepName} */ { algorithm, step }) => `${algorithm}-step-${step}`;

export class Specification {
  #panel = byId("words");
  #where = byId("where");
  #follow = byId("follow");
  #revision = "";
  /** @type {any} */
  #marked = null;
  /** The step that was clicked last, if the run never comes to it. @type {any} */
  #picked = null;
  /** The nodes of changed steps as they were. @type {Map<any, any[]>} */
  #originals = new Map();
  /** @type {ShownStep[]} */
  #changed = [];

  /** @param {(id: string) => boolean} wanted gets the id of a clicked step; returns whether the run comes to it */
  constructor(wanted) {
    this.#panel.addEventListener("click", (/** @type {any} */ event) => {
      if (event.target.closest("form")) return;
      const link = event.target.closest("a[href]");
      if (link?.getAttribute("href").startsWith("#")) {
        // The fragment of the address is the playground's own.
        event.preventDefault();
        const target = document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
        if (target)
          this.#panel.scrollTop += target.getBoundingClientRect().top - this.#panel.getBoundingClientRect().top - 8;
      } else if (!link) {
        const step = event.target.closest(".step");
        if (step && !wanted(step.id)) this.#pick(step);
      }
    });
    this.#follow.addEventListener("change", () => this.#reveal());
  }

  async load(/** @type {string} */ revision) {
    if (revision === this.#revision) return;
    const response = await fetch(new URL(`specification-${revision}.html`, import.meta.url));
    this.#panel.innerHTML = response.ok ? await response.text() : "The text could not be loaded.";
    for (const link of this.#panel.querySelectorAll('a[href^="http"]')) link.target = "_blank";
    this.#revision = revision;
    this.#marked = null;
    this.#picked = null;
    this.#originals.clear();
    this.#showChanged();
    byId("change").hidden = !this.#canChange;
  }

  /** Whether steps of the text can be changed. */
  get #canChange() {
    return this.#panel.querySelector("[data-source]") !== null;
  }

  /** The step that was clicked, or else the marked one. @type {StepName | null} */
  get step() {
    const step = this.#picked ?? this.#marked;
    return step && { algorithm: step.id.slice(0, step.id.lastIndexOf("-step-")), step: step.dataset.number };
  }

  /** Puts a form behind the words of a step. @type {(step: StepName, form: HTMLElement) => void} */
  open(step, form) {
    const place = document.getElementById(idOf(step));
    if (!place) return;
    const words = place.querySelector(":scope > p");
    if (words) words.after(form);
    else place.append(form);
    reveal(form, this.#panel);
  }

  /** Shows steps by their new words, and all others as the text has them. */
  change(/** @type {ShownStep[]} */ steps) {
    this.#changed = steps;
    this.#showChanged();
  }

  #showChanged() {
    for (const [words, nodes] of this.#originals) {
      words.replaceChildren(...nodes);
      words.closest(".step").classList.remove("other");
    }
    this.#originals.clear();
    if (!this.#canChange) return;
    for (const changed of this.#changed) {
      const step = document.getElementById(idOf(changed));
      if (!step) continue;
      const words = step.querySelector(":scope > p") ?? step;
      this.#originals.set(words, [...words.childNodes]);
      words.replaceChildren(changed.words, badge("changed"));
      step.classList.add("other");
    }
  }

  #pick(/** @type {any} */ step) {
    this.#picked?.classList.remove("picked");
    this.#picked = step;
    step?.classList.add("picked");
    const name = this.step;
    this.#where.textContent = name ? `${name.algorithm} ${name.step}` : "";
    byId("change").disabled = !name;
  }

  /**
   * Marks the step of a frame; `isNow` tells whether it is happening, or has happened last.
   * @type {(frame: StepFrame | undefined, isNow: boolean) => void}
   */
  mark(frame, isNow) {
    this.#marked?.classList.remove("now", "last");
    this.#marked?.removeAttribute("aria-current");
    this.#marked = frame && document.getElementById(idOf(frame));
    this.#pick(null);
    if (!this.#marked) return;
    this.#marked.classList.add(isNow ? "now" : "last");
    this.#marked.setAttribute("aria-current", "step");
    this.#reveal();
  }

  #reveal() {
    if (!this.#marked || !this.#follow.checked) return;
    reveal(this.#marked.querySelector(":scope > p") ?? this.#marked, this.#panel);
  }
}
