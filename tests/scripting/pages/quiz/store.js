/** A state whose changes are shown once in a microtask. */
export class Store {
  #scheduled = null;
  #render;
  renders = 0;
  constructor(state, render) {
    this.#render = render;
    this.state = new Proxy(state, {
      set: (target, key, value) => {
        if (!Object.is(Reflect.get(target, key), value)) this.#schedule();
        return Reflect.set(target, key, value);
      },
    });
    this.#schedule();
  }
  get rendered() {
    return this.#scheduled ?? Promise.resolve();
  }
  #schedule() {
    this.#scheduled ??= new Promise((resolve) =>
      queueMicrotask(() => {
        this.#scheduled = null;
        this.renders += 1;
        this.#render(this.state);
        resolve();
      }),
    );
  }
}
