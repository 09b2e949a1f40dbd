// For tests in a browser that takes the input of executeTool() as JSON text, and lists schemas as JSON text. Tests pass
// objects, and read objects. This script stands between them: what a test passes becomes text, and what it reads, an object.
(() => {
  const { prototype } = globalThis.ModelContext ?? {};
  if (prototype?.executeTool === undefined) return;
  const { apply } = Reflect;
  const { parse, stringify } = JSON;
  const { executeTool, getTools } = prototype;
  const { then } = Promise.prototype;
  const reject = Promise.reject.bind(Promise);
  const adapted = {
    executeTool(tool, ...rest) {
      const [input, ...options] = rest.length ? rest : [undefined];
      try {
        // Only an object becomes text: the browser converts every other value, and has to refuse what is no JSON text.
        const text = input === undefined ? "{}" : Object(input) === input ? stringify(input) : input;
        return apply(executeTool, this, [tool, text, ...options]);
      } catch (error) {
        return reject(error);
      }
    },
    getTools(...options) {
      return apply(then, apply(getTools, this, options), [
        (tools) => {
          for (const tool of tools) {
            if (typeof tool.inputSchema === "string") tool.inputSchema = parse(tool.inputSchema);
          }
          return tools;
        },
      ]);
    },
  };
  for (const [name, value] of Object.entries(adapted)) {
    Object.defineProperty(prototype, name, { value, writable: true, enumerable: true, configurable: true });
  }
})();
