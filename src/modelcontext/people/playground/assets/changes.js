// The steps that a person has changed, and the form in which their words are written.
/** @import { Change, ShownStep, StepName } from "../types.d.ts" */
import { byId, make } from "./dom.js";

/**
 * @typedef {object} Asking
 * @property {(step: StepName) => Promise<{ words: string } | { error: string }>} source asks for the words of a step in the source
 * @property {(changes: Change[]) => Promise<{ steps: ShownStep[] } | { error: string, line: number, column: number }>} use
 *   lets the text with changes run
 * @property {(message: string | null) => void} problem shows a message
 * @property {(steps: ShownStep[]) => void} show gets the changed steps with the words that a reader sees
 * @property {() => Promise<void>} run runs the same program by the changed text
 */

/** Moves the focus to the button that opens the form, or else to the run. */
const focus = () => (byId("change").disabled ? byId("at") : byId("change")).focus();

export class Changes {
  /** @type {Change[]} */
  #list = [];
  /** @type {any} */
  #form = null;
  /** @type {Asking} */
  #asking;

  /** @param {import("./specification.js").Specification} specification @param {Asking} asking */
  constructor(specification, asking) {
    this.#asking = asking;
    byId("change").addEventListener("click", async () => {
      const { step } = specification;
      if (!step) return;
      const words = await this.#words(step);
      if (words === null) return;
      this.#close();
      this.#form = this.#formOf(step, words);
      specification.open(step, this.#form);
      this.#form.querySelector("textarea").focus();
    });
    byId("undo").addEventListener("click", async () => {
      this.#close();
      const why = await this.apply([]);
      if (why) asking.problem(why);
      else await asking.run();
      focus();
    });
  }

  /** The changes that are in force. */
  get list() {
    return this.#list;
  }

  async #words(/** @type {StepName} */ step) {
    const changed = this.#list.find((one) => one.algorithm === step.algorithm && one.step === step.step);
    if (changed) return changed.words;
    const found = await this.#asking.source(step);
    if (!("error" in found)) return found.words;
    this.#asking.problem(found.error);
    return null;
  }

  /** @type {(step: StepName, words: string) => any} */
  #formOf(step, words) {
    const { algorithm, step: number } = step;
    const label = `New words of ${algorithm} ${number}`;
    const text = make("textarea", { rows: 3, value: words, ariaLabel: label, spellcheck: false });
    const run = make("button", { type: "submit", className: "primary", title: "Ctrl+Enter" }, "Run with this");
    const leave = () => {
      this.#close();
      focus();
    };
    const cancel = make("button", { type: "button", onclick: leave }, "Cancel");
    const why = make("p", { role: "alert", hidden: true });
    const form = make("form", { className: "change" }, text, why, make("div", { className: "bar" }, run, cancel));
    form.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") leave();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    form.addEventListener("submit", async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (run.disabled) return;
      const others = this.#list.filter((one) => one.algorithm !== algorithm || one.step !== number);
      run.disabled = true;
      why.textContent = await this.apply(
        [...others, { algorithm, step: number, words: text.value }],
        (line, column) => {
          const before = text.value.split("\n").slice(0, line - 1);
          const at = before.join("\n").length + (line > 1 ? 1 : 0) + column - 1;
          text.setSelectionRange(at, text.value.length);
        },
      );
      why.hidden = !why.textContent;
      run.disabled = false;
      if (why.textContent) {
        text.focus();
        return;
      }
      await this.#asking.run();
      leave();
    });
    return form;
  }

  #close() {
    this.#form?.remove();
    this.#form = null;
  }

  /**
   * Lets other changes be in force. Resolves with "", or else with the reason why the text is as it was.
   * @type {(changes: Change[], at?: (line: number, column: number) => void) => Promise<string>}
   */
  async apply(changes, at) {
    const found = await this.#asking.use(changes);
    if ("error" in found) {
      const place = found.column
        ? ` (column ${found.column}${found.line > 1 ? ` of its line ${found.line}` : ""})`
        : "";
      if (found.column) at?.(found.line, found.column);
      return `The text is not changed. ${found.error}${place}`;
    }
    this.#list = changes;
    byId("undo").hidden = !changes.length;
    const count = changes.length === 1 ? "1 step is" : `${changes.length} steps are`;
    byId("changes").textContent = changes.length ? `${count} changed. The link contains the changes.` : "";
    this.#asking.show(found.steps);
    return "";
  }
}
