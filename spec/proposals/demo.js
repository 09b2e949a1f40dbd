// The log of the demo pages, for their scripts.
const { modelContext } = document;

function log(text, kind = "") {
  const item = document.createElement("li");
  item.textContent = text;
  item.className = kind;
  document.querySelector("#log").append(item);
}

async function attempt(what, promise) {
  try {
    log(`${what}: ${await promise}`, "good");
  } catch (error) {
    log(`${what}: ${error.name}`, "bad");
  }
}
