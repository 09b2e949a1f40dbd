// Asks the worker, one question at a time. A question that takes too long, or is stopped, ends the worker.
export class Stopped extends Error {}

export class Python {
  /** @type {Worker} */
  #worker = /** @type {any} */ (null);
  /** @type {{ resolve: (result: any) => void, reject: (reason: Stopped) => void } | null} */
  #answer = null;
  #id = 0;
  /** @type {any} */
  #timer;

  /** @type {() => import("../types.d.ts").Change[]} */
  #changes;

  /**
   * @param {(words: string, isBusy: boolean) => void} told gets words for the state of Python, and whether it can be stopped
   * @param {() => import("../types.d.ts").Change[]} changes returns the changed steps by which everything runs
   */
  constructor(told, changes) {
    this.#changes = changes;
    this.status = (/** @type {string} */ words) => told(words, this.isBusy);
    this.#start();
  }

  #start() {
    this.status("Starting Python…");
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve) => {
      this.#worker.addEventListener("message", ({ data }) => {
        if (data.ready) {
          this.status("Ready");
          resolve();
        } else if (data.fault) {
          this.status(data.fault);
        } else if (data.id === this.#id) {
          this.#settle((answer) => answer.resolve(data.result));
        }
      });
      this.#worker.addEventListener("error", () => this.status("Python did not start: the worker could not be loaded"));
    });
  }

  /**
   * Resolves with the answer; rejects with Stopped when it takes more than `seconds`, or another question comes.
   * @type {(name: string, values: unknown[], seconds: number) => Promise<any>}
   */
  ask(name, values, seconds) {
    if (this.#answer) this.stop("Another run was started.");
    const id = ++this.#id;
    const asked = new Promise((resolve, reject) => (this.#answer = { resolve, reject }));
    // A worker that ends before it is ready never becomes ready.
    this.ready.then(() => {
      if (id !== this.#id || !this.#answer) return;
      this.status("Running…");
      this.#timer = setTimeout(() => this.stop(`Stopped after ${seconds} seconds.`), seconds * 1000);
      this.#worker.postMessage({ id, name, values, changes: this.#changes() });
    });
    return asked;
  }

  get isBusy() {
    return this.#answer !== null;
  }

  stop(/** @type {string} */ reason) {
    if (!this.#answer) return;
    this.#worker.terminate();
    this.#settle((answer) => answer.reject(new Stopped(reason)));
    this.#start();
  }

  #settle(/** @type {(answer: { resolve: (result: any) => void, reject: (reason: Stopped) => void }) => void} */ how) {
    clearTimeout(this.#timer);
    const answer = this.#answer;
    this.#answer = null;
    this.status("Ready");
    if (answer) how(answer);
  }
}
