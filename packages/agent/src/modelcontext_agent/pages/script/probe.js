// Runs before the scripts of a page that is checked: it notes the tools that the browser did not let the page register.
(() => {
  const context = /** @type {any} */ (document).modelContext;
  if (!context) return;
  const prototype = Object.getPrototypeOf(context);
  const { registerTool } = prototype;
  /** @type {(definition: any) => (error: any) => void} */
  const note = (definition) => (error) => {
    const send = /** @type {any} */ (globalThis).modelcontextNote;
    send(String(definition?.name ?? ""), `${error?.name ?? "Error"}: ${error?.message ?? error}`);
  };
  prototype.registerTool = /** @this {any} */ function (/** @type {any[]} */ ...given) {
    try {
      const registered = registerTool.apply(this, given);
      registered?.then?.(undefined, note(given[0]));
      return registered;
    } catch (error) {
      note(given[0])(error);
      throw error;
    }
  };
})();
