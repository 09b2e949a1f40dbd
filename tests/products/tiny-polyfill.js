// A polyfill other than the npm package, in which a document sees only its own tools.
if (isSecureContext) {
  const errors = { InvalidStateError: "it is not there", AbortError: "it was aborted", UnknownError: "it has failed" };
  const fail = (name) => Promise.reject(new DOMException(errors[name], name));
  const none = Symbol("none");

  class ModelContext extends EventTarget {
    #tools = new Map();

    registerTool(tool, { signal } = {}) {
      const { name, description, execute, inputSchema } = tool;
      if (typeof name !== "string" || typeof description !== "string" || typeof execute !== "function") {
        return Promise.reject(new TypeError("a tool has a name, a description and a callback"));
      }
      if (this.#tools.has(name) || name === "" || description === "") {
        return fail("InvalidStateError");
      }
      if (signal?.aborted) {
        return Promise.reject(signal.reason);
      }
      this.#tools.set(name, { description, execute, inputSchema });
      signal?.addEventListener("abort", () => this.#tools.delete(name));
      return Promise.resolve();
    }

    getTools() {
      const described = [...this.#tools].map(([name, { description, inputSchema }]) => {
        const tool = { description, name, origin: location.origin, title: "", window: self };
        return inputSchema === undefined ? tool : { ...tool, inputSchema: JSON.stringify(inputSchema) };
      });
      return Promise.resolve(described.sort((one, other) => (one.name < other.name ? -1 : 1)));
    }

    async executeTool({ name }, input = {}) {
      const tool = this.#tools.get(name);
      if (tool === undefined) {
        return fail("InvalidStateError");
      }
      const { signal } = new AbortController();
      const result = await Promise.resolve(tool.execute(structuredClone(input), { signal })).catch(() => none);
      return result === none || result === undefined ? fail("UnknownError") : JSON.stringify(result);
    }
  }

  const modelContext = new ModelContext();
  Object.assign(self, { ModelContext });
  Object.defineProperty(Document.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get: () => modelContext,
  });
}
