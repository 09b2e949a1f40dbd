// Does the abort or the answer come first?
const { modelContext } = document;
const controller = new AbortController();

async function call() {
  await modelContext.registerTool({
    name: "quick",
    description: "Answers at once",
    execute: () => "the answer",
  });
  const [tool] = await modelContext.getTools();
  addEventListener("message", () => controller.abort());
  postMessage("abort it");
  return modelContext.executeTool(tool, {}, { signal: controller.signal });
}

call().then(
  (answer) => console.log(`answer: ${answer}`),
  (error) => console.log(`rejected: ${error.name}`),
);
