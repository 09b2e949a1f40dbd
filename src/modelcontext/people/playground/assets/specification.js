// The text of the specification, with the step that is being executed marked.
import { byId, reveal } from "./dom.js";

export class Specification {
  #panel = byId("words");
  #where = byId("where");
  #follow = byId("follow");
  #revision = "";
  /** @type {any} */
  #marked = null;

  /** @param {(id: string) => void} wanted gets the id of a clicked step */
  constructor(wanted) {
    this.#panel.addEventListener("click", (/** @type {any} */ event) => {
      const link = event.target.closest("a[href]");
      if (link?.getAttribute("href").startsWith("#")) {
        // The fragment of the address is the playground's own.
        event.preventDefault();
        const target = document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
        if (target)
          this.#panel.scrollTop += target.getBoundingClientRect().top - this.#panel.getBoundingClientRect().top - 8;
      } else if (!link) {
        const step = event.target.closest(".step");
        if (step) wanted(step.id);
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
  }

  /**
   * Marks the step of a frame; `isNow` tells whether it is happening, or has happened last.
   * @type {(frame: import("../types.d.ts").StepFrame | undefined, isNow: boolean) => void}
   */
  mark(frame, isNow) {
    this.#marked?.classList.remove("now", "last");
    this.#marked?.removeAttribute("aria-current");
    this.#marked = frame && document.getElementById(`${frame.algorithm}-step-${frame.step}`);
    this.#where.textContent = frame ? `${frame.algorithm} ${frame.step}` : "";
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
