// The tools of one document. ?who=MAIN has all tools and two frames, ?who=NEAR, FAR and NEXT have few.
// The main document does what the program of the comparison tells it, and the program hears of it by beacons.
const who = new URLSearchParams(location.search).get("who");
// A name and a number of one machine are two sites.
const otherSite = `http://127.0.0.1:${location.port}`;
const registered = {};

const tell = (event) => navigator.sendBeacon("/told", event);

function register(name, execute, more = {}) {
  registered[name] = new AbortController();
  const tool = { name, description: `${who} ${name}`, inputSchema: { type: "object", properties: {} }, execute, ...more };
  document.modelContext.registerTool(tool, { signal: registered[name].signal });
}

const pending = (name) => (_, options) =>
  new Promise((_, reject) => {
    tell(`${name} runs`);
    options?.signal?.addEventListener("abort", () => {
      tell(`${name} aborted`);
      reject(options.signal.reason);
    });
  });

const consequential = { annotations: { consequentialHint: true } };

const orders = {
  redefine() {
    registered.pay.abort();
    register("pay", () => "another pay ran", { ...consequential, description: "Another description" });
  },
  withdraw: () => registered.greet.abort(),
  add: () => register("added", () => "added ran"),
  leave: () => location.assign(`${otherSite}/?who=NEXT`),
};

register("greet", () => `${who} greet ran`);
if (who !== "NEXT") register(`${who.toLowerCase()}.only`, () => `${who} only ran`);
if (who === "MAIN") {
  register("pay", () => "pay ran", consequential);
  register("dbg", () => "dbg ran", { annotations: { debugging: true } });
  register("fail", () => {
    throw new Error("out of stock");
  });
  register("undef", () => undefined);
  register("slow", pending("slow"));
  register("never", pending("never"));
  addEventListener("load", async () => {
    tell("loaded");
    for (;;) {
      const order = await (await fetch("/order")).text();
      orders[order]();
      tell(`${order} done`);
    }
  });
  addEventListener("DOMContentLoaded", () => {
    for (const source of ["/?who=NEAR", `${otherSite}/?who=FAR`]) {
      const frame = document.createElement("iframe");
      frame.allow = "tools";
      frame.src = source;
      document.body.append(frame);
    }
  });
} else {
  addEventListener("load", () => tell(`${who} loaded`));
}
