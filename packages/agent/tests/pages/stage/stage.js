// Tools that a test registers by name and behavior. The query has the agent's script, and the address of the frame.
const query = new URLSearchParams(location.search);
if (query.has("agent")) {
  const script = document.createElement("script");
  script.src = query.get("agent");
  if (window === top) script.dataset.token = query.get("token");
  document.documentElement.append(script);
}

const controllers = {};

const stage = {
  signals: {},
  async register(where, name, behavior, members) {
    const behaviors = {
      echo: (input) => ({ in: where, input }),
      nothing() {},
      throws() {
        throw new Error("no");
      },
      rejects: () => Promise.reject(new Error("no")),
      never(_, { signal }) {
        stage.signals[name] = signal;
        return new Promise(() => {});
      },
      async registers() {
        await stage.register(where, `${name}.next`, "echo", {});
      },
    };
    controllers[name] = new AbortController();
    const tool = { name, description: "d", inputSchema: { type: "object" }, ...members, execute: behaviors[behavior] };
    await document.modelContext.registerTool(tool, { signal: controllers[name].signal });
  },
  unregister(name) {
    controllers[name].abort();
  },
};
window.stage = stage;
