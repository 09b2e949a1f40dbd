// Asks the worker, one question at a time; what takes too long, or is stopped, ends with the worker.
export class Stopped extends Error {}

export class Python {
  #worker;
  #answer = null;
  #id = 0;
  #timer;

  // `told` is called with words for what Python is doing, and whether there is something to stop.
  constructor(told) {
    this.status = (words) => told(words, this.isBusy);
    this.#start();
  }

  #start() {
    this.status("Starting Python…");
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
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

  // Resolves with the answer; rejects with Stopped when it takes more than `seconds`, or another question comes.
  ask(name, values, seconds) {
    if (this.#answer) this.stop("Another run was started.");
    const id = ++this.#id;
    const asked = new Promise((resolve, reject) => (this.#answer = { resolve, reject }));
    // A worker that is ended before it is ready never becomes so.
    this.ready.then(() => {
      if (id !== this.#id || !this.#answer) return;
      this.status("Running…");
      this.#timer = setTimeout(() => this.stop(`Stopped after ${seconds} seconds.`), seconds * 1000);
      this.#worker.postMessage({ id, name, values });
    });
    return asked;
  }

  get isBusy() {
    return this.#answer !== null;
  }

  stop(reason) {
    if (!this.#answer) return;
    this.#worker.terminate();
    this.#settle((answer) => answer.reject(new Stopped(reason)));
    this.#start();
  }

  #settle(how) {
    clearTimeout(this.#timer);
    const answer = this.#answer;
    this.#answer = null;
    this.status("Ready");
    if (answer) how(answer);
  }
}
