// Fills the lists of tests and steps when they are opened, and shows the coverage of one kind of tests.
const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const data = JSON.parse(byId("coverage-data").textContent);
/** The tests that reach each step. @type {Map<string, number[]>} */
const reached = new Map(
  data.steps.map((/** @type {any} */ { algorithm, step, tests }) => [`${algorithm} ${step}`, tests]),
);
let kind = "";

/** @type {(text: string, target: string) => Element} */
function link(text, target) {
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.textContent = text;
  anchor.href = `#${target}`;
  item.append(anchor);
  return item;
}

/** @type {(items: Element[], name: string) => Element} */
function list(items, name) {
  const made = document.createElement("ul");
  made.setAttribute("aria-label", name);
  made.append(...items);
  return made;
}

function fill(/** @type {any} */ details) {
  details.querySelector("ul")?.remove();
  if (!details.open) return;
  if (details.dataset.step) {
    const step = details.dataset.step;
    const tests = (reached.get(step) ?? [])
      .filter((index) => !kind || data.tests[index].kind === kind)
      .map((index) => link(`${data.tests[index].kind}: ${data.tests[index].name}`, `coverage-test-${index}`));
    if (tests.length) details.append(list(tests, `Tests that reach ${step}`));
  } else if (details.classList.contains("coverage-test")) {
    const index = Number(details.id.replace("coverage-test-", ""));
    const steps = [...reached].filter(([, tests]) => tests.includes(index));
    const links = steps.map(([step]) => link(step, step.replace(" ", "-step-")));
    details.append(list(links, `Steps of ${data.tests[index].name}`));
  }
}

function show() {
  for (const details of /** @type {NodeListOf<any>} */ (document.querySelectorAll("details.coverage"))) {
    const step = details.dataset.step;
    const [extent, mark, words, label] = data.summaries[kind][step];
    const element = details.closest(".step");
    element.className = element.className.replace(/coverage-\w+/, `coverage-${extent}`);
    details.querySelector(".coverage-mark").textContent = mark;
    details.querySelector(".coverage-words").textContent = words;
    details.querySelector("summary").setAttribute("aria-label", label);
    fill(details);
  }
}

// A toggle event does not bubble, so it is caught on its way down.
document.addEventListener("toggle", (event) => fill(event.target), true);
byId("coverage-kind").addEventListener("change", (/** @type {any} */ event) => {
  kind = event.target.value;
  show();
});

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.querySelector("summary")?.focus();
  }
}
addEventListener("hashchange", reveal);
reveal();
