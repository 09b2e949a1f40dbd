// Is a tool listed that is registered at the same time?
const tool = {
  name: "search",
  description: "Searches the shop",
  execute: ({ words }) => `nothing found for ${words}`,
};

document.modelContext.addEventListener("toolchange", () => console.log("toolchange"));

document.modelContext.registerTool(tool).then(() => console.log("registered"));

document.modelContext
  .getTools()
  .then((tools) => console.log(`listed: ${tools.map(({ name }) => name).join(", ") || "nothing"}`));
