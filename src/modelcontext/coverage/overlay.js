// Fills the lists of tests and steps when they are opened, and shows the coverage of one kind of tests.
const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const data = JSON.parse(byId("coverage-data").textContent);
let kind = "";

/** Returns the tests of the chosen kind that reach a step or a side. @type {(key: string) => number[]} */
const counting = (key) =>
  data.reached[key].filter((/** @type {number} */ index) => !kind || data.tests[index].kind === kind);

/** @type {(step: string) => string} */
function extent(step) {
  if (!counting(step).length) return step in data.reasons ? "excused" : "none";
  return data.sides[step].every((/** @type {string} */ side) => counting(side).length || side in data.reasons)
    ? "full"
    : "partial";
}

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
    const tests = counting(step).map((index) =>
      link(`${data.tests[index].kind}: ${data.tests[index].name}`, `coverage-test-${index}`),
    );
    if (tests.length) details.append(list(tests, `Tests that reach ${step}`));
  } else if (details.classList.contains("coverage-test")) {
    const index = Number(details.id.replace("coverage-test-", ""));
    const steps = Object.keys(data.anchors).filter((step) => data.reached[step].includes(index));
    details.append(
      list(
        steps.map((step) => link(step, data.anchors[step])),
        `Steps of ${data.tests[index].name}`,
      ),
    );
  }
}

function show() {
  for (const details of /** @type {NodeListOf<any>} */ (document.querySelectorAll("details.coverage"))) {
    const step = details.dataset.step;
    const now = extent(step);
    const [mark, words] = data.marks[now];
    const count = counting(step).length;
    const tests = `${count} ${count === 1 ? "test" : "tests"}`;
    const element = details.closest(".step");
    element.classList.remove(...Object.keys(data.marks).map((name) => `coverage-${name}`));
    element.classList.add(`coverage-${now}`);
    details.querySelector(".coverage-mark").textContent = mark;
    details.querySelector(".coverage-words").textContent = ` ${words}${count ? `, ${tests}` : ""}`;
    details.querySelector("summary").setAttribute("aria-label", `${step.replace(" ", " step ")}: ${words}, ${tests}`);
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
