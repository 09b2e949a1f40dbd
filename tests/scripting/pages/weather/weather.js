const base = new URL("data/", import.meta.url);
const cache = new Map();
async function get(name) {
  const response = await fetch(new URL(`${name}.json`, base));
  if (!response.ok) throw new Error(`no data about ${name}`);
  const data = await response.json();
  cache.set(name, structuredClone(data));
  return {
    data,
    type: response.headers.get("content-type").split(";")[0],
    path: new URL(response.url).pathname.split("/").at(-1),
  };
}
document.modelContext.registerTool({
  name: "weather",
  description: "Tells the weather of a town",
  inputSchema: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
  annotations: { readOnlyHint: true },
  async execute({ town }) {
    const known = cache.has(town);
    const { data, ...rest } = known ? { data: cache.get(town) } : await get(town);
    const list = document.getElementById("weather");
    list.innerHTML = Object.entries(data)
      .map(([key, value]) => `<dt>${key}</dt><dd>${value}</dd>`)
      .join("");
    return { ...data, ...rest, known, shown: list.querySelectorAll("dt + dd").length };
  },
});
document.modelContext.registerTool({
  name: "compare",
  description: "Compares two towns",
  inputSchema: { type: "object", properties: { towns: { type: "array", items: { type: "string" } } } },
  async execute({ towns }) {
    const found = await Promise.allSettled(towns.map(get));
    return found.map(({ status, value, reason }) => [status, value?.data.sky ?? reason.message]);
  },
});
