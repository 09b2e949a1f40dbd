// Deviations of a browser, planted by a script that runs before the page and before the recorder. A test names one of them.
function plant(name) {
  const native = { ...Object.getOwnPropertyDescriptors(ModelContext.prototype) };
  const { registerTool, getTools, executeTool } = ModelContext.prototype;
  const { dispatchEvent } = EventTarget.prototype;
  const replace = (name, value) => Object.defineProperty(ModelContext.prototype, name, { ...native[name], value });
  const onList = (change) =>
    replace("getTools", function getTools_(options) {
      return getTools.call(this, options).then(change);
    });
  const onResult = (change) =>
    replace("executeTool", function executeTool_(...values) {
      return executeTool.apply(this, values).then(change);
    });
  const onError = (change) =>
    replace("executeTool", function executeTool_(...values) {
      return executeTool.apply(this, values).catch(change);
    });
  const onCallback = (change) =>
    replace("registerTool", function registerTool_(tool, options) {
      const { annotations, description, execute, inputSchema, name, title } = tool;
      return registerTool.call(
        this,
        { annotations, description, execute: execute && change(execute), inputSchema, name, title },
        options,
      );
    });
  const onTool = (change) =>
    replace("registerTool", function registerTool_(tool, options) {
      const { annotations, description, execute, inputSchema, name, title } = tool;
      return registerTool.call(this, change({ annotations, description, execute, inputSchema, name, title }), options);
    });
  const deviations = {
    "registration-never-settles": () =>
      replace("registerTool", function registerTool_(tool, options) {
        registerTool.call(this, tool, options);
        return new Promise(() => {});
      }),
    "registration-has-a-value": () =>
      replace("registerTool", function registerTool_(tool, options) {
        return registerTool.call(this, tool, options).then(() => true);
      }),
    "registration-throws": () =>
      replace("registerTool", function registerTool_(tool, options) {
        if (tool.description === "") throw new TypeError("empty");
        return registerTool.call(this, tool, options);
      }),
    "duplicate-is-accepted": () =>
      replace("registerTool", function registerTool_(tool, options) {
        return registerTool.call(this, tool, options).catch((error) => {
          if (error.name !== "InvalidStateError") throw error;
        });
      }),
    "empty-description-is-another-error": () =>
      replace("registerTool", function registerTool_(tool, options) {
        return registerTool.call(this, tool, options).catch((error) => {
          throw tool.description === "" ? new TypeError() : error;
        });
      }),
    "no-toolchange": () =>
      document.modelContext.addEventListener("toolchange", (event) => event.stopImmediatePropagation()),
    "toolchange-twice": () =>
      document.modelContext.addEventListener("toolchange", function listener(event) {
        if (!event.again) dispatchEvent.call(this, Object.assign(new Event("toolchange"), { again: true }));
      }),
    "no-toolactivated": () =>
      document.modelContext.addEventListener("toolactivated", (event) => event.stopImmediatePropagation()),
    "list-is-not-sorted": () => onList((list) => list.reverse()),
    "list-lacks-titles": () =>
      onList((list) =>
        list.map((tool) => {
          const { title: _, ...others } = tool;
          return others;
        }),
      ),
    "list-is-empty-at-first": () => {
      let first = true;
      onList((list) => {
        const listed = first ? [] : list;
        first = false;
        return listed;
      });
    },
    "list-keeps-what-is-gone": () => {
      const known = new Map();
      onList((list) => {
        for (const tool of list) known.set(tool.name, tool);
        return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      });
    },
    "descriptions-are-trimmed": () => onTool((tool) => ({ ...tool, description: String(tool.description).trim() })),
    "annotations-are-lost": () => onTool((tool) => ({ ...tool, annotations: undefined })),
    "result-is-parsed": () => onResult((text) => JSON.parse(text)),
    "text-has-no-quotes": () => onResult((text) => (text.startsWith('"') ? JSON.parse(text) : text)),
    "undefined-is-a-result": () =>
      onCallback(
        (execute) =>
          async (...values) =>
            (await execute(...values)) ?? null,
      ),
    "error-has-another-name": () =>
      onError((error) => {
        throw error.name === "UnknownError" ? new DOMException("", "OperationError") : error;
      }),
    "input-has-one-more-member": () =>
      onCallback((execute) => (input, options) => execute({ ...input, more: 1 }, options)),
    "callback-runs-twice": () =>
      onCallback((execute) => (...values) => {
        execute(...values);
        return execute(...values);
      }),
    "caller-abort-does-not-reject": () =>
      replace("executeTool", function executeTool_(tool, input, { signal, ...others } = {}) {
        return executeTool.call(this, tool, input, others);
      }),
    "abort-has-another-reason": () =>
      onError((error) => {
        throw error === "too slow" ? new DOMException("", "AbortError") : error;
      }),
    "callback-signal-is-not-aborted": () =>
      onCallback((execute) => (input) => execute(input, { signal: new AbortController().signal })),
    "unregistered-tool-stays": () =>
      replace("registerTool", function registerTool_(tool) {
        return registerTool.call(this, tool);
      }),
  };
  deviations[name]();
}

if (globalThis.ModelContext) plant(globalThis.deviation);
delete globalThis.deviation;
