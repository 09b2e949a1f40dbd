// The playground: the edited program, its last run, and the place in the run.
/** @import { Example, Frame, Language, Run, Shown, ShownStep, Story } from "../types.d.ts" */
import { Changes } from "./changes.js";
import { byId, make, reveal } from "./dom.js";
import { Editor } from "./editor.js";
import * as link from "./link.js";
import { Python, Stopped } from "./python.js";
import { Specification } from "./specification.js";
import { showState } from "./state.js";
import { Timeline } from "./timeline.js";
import { markChoice, name, showChoices, showLog, showNow, showOutcomes } from "./views.js";

const FIRST = "litmus/cancel-complete/abort-before-the-callback";
const SECONDS = { run: 60, outcomes: 120, text: 60 };

/** @type {Map<string, Example>} */
const examples = new Map();
/** The last run of the current text; null before the first. */
let run = /** @type {Run} */ (/** @type {unknown} */ (null));
let at = 0;
/** @type {Map<string, Shown>} */
let outcomes = new Map(); // By key: what is known of the current text.
let note = "";
/** How an outcome of the current text comes about, if somebody has asked. */
let story = /** @type {Story | null} */ (null);
/** The path of the test in whose place the text is, if it is a test; "" for none. */
let testPlace = "";
/** Counts the changes of the text: an answer about another text is dropped. */
let edition = 0;
/** Whether the run is one of the text as it is now. */
let isOfText = false;

const python = new Python(
  (status, isBusy) => {
    byId("status").textContent = status;
    byId("stop").disabled = !isBusy;
  },
  () => changes.list,
);
/** @returns {Language} */
const language = () => byId("language").value;
const place = () => (language() === "test" ? testPlace : "");
const editor = new Editor(() => edited());
const specification = new Specification((id) => toStep(id));
const changes = new Changes(specification, {
  source: ({ algorithm, step }) => askOfText("source", [algorithm, step]),
  use: (wanted) => askOfText("use", [JSON.stringify(wanted)]),
  problem: (message) => problem(message, false),
  show: (steps) => showChanged(steps),
  run: () => runAgain(),
});
const timeline = new Timeline((index) => move(index));

/** Shows a message, or none; one about the program can name its line. */
function problem(/** @type {string | null} */ message, isAboutProgram = true) {
  byId("problem").hidden = !message;
  byId("problem").textContent = message ?? "";
  const line = isAboutProgram && /\bline (\d+)/.exec(message ?? "");
  if (line) editor.mark(Number(line[1]), "wrong");
}

function edited() {
  edition += 1;
  isOfText = false;
  byId("example").value = "";
  byId("race").hidden = true;
  byId("status").textContent = "Edited; run it to see what happens.";
  forget();
  // The page shows a run of another text, in which nothing can be chosen.
  for (const choice of byId("choice-list").querySelectorAll("fieldset")) choice.disabled = true;
  editor.mark(null);
  showOutcomes([], null, note, null, { chosen: () => {}, explained: null, moved: move });
  remember();
}

function forget() {
  outcomes = new Map();
  story = null;
  note = "This list shows the outcomes of the runs that you have seen.";
}

/**
 * Runs the text under a schedule, and goes to a frame, or else to the start. Resolves with whether there is a run of it.
 * @param {number[]} schedule @param {number} index
 */
async function execute(schedule = [], index = 0) {
  const asked = edition;
  problem(null);
  byId("stop").disabled = false;
  document.body.classList.add("busy");
  try {
    const result = await python.ask("run", [editor.value, schedule, language(), place()], SECONDS.run);
    if (asked !== edition) return false;
    if (result.error) {
      problem(result.error);
      byId("status").textContent = "There is nothing to run.";
      return false;
    }
    await specification.load(result.revision);
    if (asked !== edition) return false;
    run = result;
    isOfText = true;
    if (run.problem) problem(run.problem);
    if (!run.problem && !outcomes.has(run.key)) outcomes.set(run.key, run);
    timeline.show(run.frames);
    showChoices(run.frames, { picked: pick, moved: move });
    showKnown();
    move(index);
    return true;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    problem(error.message);
    return false;
  } finally {
    byId("stop").disabled = !python.isBusy;
    document.body.classList.remove("busy");
  }
}

/** Asks Python about the text of the specification. @type {(name: string, values: string[]) => Promise<any>} */
async function askOfText(name, values) {
  problem(null);
  document.body.classList.add("busy");
  try {
    return await python.ask(name, values, SECONDS.text);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { error: error.message };
  } finally {
    document.body.classList.remove("busy");
  }
}

function showChanged(/** @type {ShownStep[]} */ steps) {
  specification.change(steps);
  edition += 1;
  isOfText = false;
  forget();
}

/** Runs the text by a changed specification: under the same schedule if it fits. */
async function runAgain() {
  const { schedule } = run ?? { schedule: [] };
  if (await execute(schedule, at)) return;
  const why = byId("problem").textContent;
  if (schedule.length && (await execute()))
    problem(`The schedule does not fit the changed text, so the run is first in, first out. ${why}`, false);
}

/** @type {(position: number, option: number, index: number) => Promise<void>} */
async function pick(position, option, index) {
  const focused = /** @type {any} */ (document.activeElement)?.name;
  await execute([...run.schedule.slice(0, position), option], index);
  if (focused) byId("choice-list").querySelector(`input[name="${focused}"]:checked`)?.focus();
}

function showKnown() {
  const known = [...outcomes.values()];
  showOutcomes(known, run.key, note, story, {
    chosen: (schedule) => execute(schedule, Infinity),
    explained: language() === "program" ? explain : null,
    moved: move,
  });
}

/** Shows how an outcome comes about: the schedule that the search has found, and who does what under it. */
async function explain(/** @type {string} */ key) {
  const asked = edition;
  try {
    const told = await python.ask("story", [editor.value, key, language(), place()], SECONDS.outcomes);
    if (asked !== edition) return;
    if (told.error) {
      problem(told.error, false);
      return;
    }
    story = told;
    await execute(told.schedule, told.moments.find((/** @type {any} */ one) => one.is_decisive)?.frame ?? Infinity);
    const shown = byId("outcome-list").querySelector(".story");
    if (shown) reveal(shown, byId("outcome-list"));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    problem(error.message, false);
  }
}

async function findAll() {
  if (!isOfText && !(await execute())) return;
  const asked = edition;
  byId("stop").disabled = false;
  note = "Looking at every schedule…";
  if (run) showKnown();
  try {
    const found = await python.ask("outcomes", [editor.value, language(), place()], SECONDS.outcomes);
    if (asked !== edition) return;
    if (found.error) {
      problem(found.error);
      note = "";
    } else {
      outcomes = new Map(found.outcomes.map((/** @type {Shown} */ outcome) => [outcome.key, outcome]));
      const count = found.outcomes.length;
      note = found.complete
        ? `The specification allows ${count === 1 ? "this outcome" : `these ${count} outcomes`}, and no other.`
        : `There are at least ${count === 1 ? "this outcome" : `these ${count} outcomes`}; the search stopped before it was complete.`;
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    note = error.message;
  }
  byId("stop").disabled = !python.isBusy;
  if (run) showKnown();
}

function move(/** @type {number} */ index) {
  if (!run) return;
  at = Math.max(0, Math.min(index, run.frames.length - 1));
  const frame = run.frames[at];
  const before = run.states[at ? run.frames[at - 1].state : 0];
  timeline.at(at, name(frame));
  showNow(frame);
  showState(run.states[frame.state], before);
  showLog(run.frames, at, move);
  markChoice(at);
  /** @type {Frame[]} */
  const past = run.frames.slice(0, at + 1);
  specification.mark(
    past.findLast((one) => one.kind === "step"),
    frame.kind === "step",
  );
  editor.mark(past.findLast((one) => one.kind === "script")?.line ?? null);
  remember();
}

/** Goes to the next frame in which a step runs, or else to the first; returns whether there is one. */
function toStep(/** @type {string} */ id) {
  if (!run) return false;
  const is = (/** @type {Frame} */ frame) => frame.kind === "step" && `${frame.algorithm}-step-${frame.step}` === id;
  const next = run.frames.findIndex((frame, index) => index > at && is(frame));
  const found = next >= 0 ? next : run.frames.findIndex(is);
  if (found >= 0) move(found);
  else byId("status").textContent = "This run never reaches that step.";
  return found >= 0;
}

/** @type {any} */
let remembering;
function remember() {
  clearTimeout(remembering);
  const timer = setTimeout(async () => {
    const fragment = await address();
    // Meanwhile there can be another place to remember, or a link that was followed.
    if (timer === remembering) history.replaceState(null, "", fragment);
  }, 200);
  remembering = timer;
}

const address = () =>
  link.write({
    example: byId("example").value,
    text: editor.value,
    language: language(),
    place: place(),
    schedule: isOfText ? run.schedule : [],
    at: isOfText ? at : 0,
    changes: changes.list,
  });

async function share() {
  history.replaceState(null, "", await address());
  try {
    await navigator.clipboard.writeText(location.href);
    byId("status").textContent = "The link is copied.";
  } catch {
    byId("status").textContent = "Copy the address of this page: it is the link.";
  }
}

function choose(/** @type {Example} */ example) {
  byId("example").value = example.name;
  byId("race").hidden = !example.race;
  byId("race").textContent = example.race ?? "";
  byId("language").value = example.language;
  testPlace = example.place;
  editor.value = example.text;
  edition += 1;
  isOfText = false;
  forget();
}

async function open(/** @type {string} */ fragment) {
  clearTimeout(remembering);
  remembering = null;
  let wanted = null;
  let message = "";
  try {
    wanted = await link.read(fragment);
  } catch {
    message = "The link is damaged, so the page shows the first example.";
  }
  const example = examples.get(wanted?.example ?? FIRST) ?? examples.get(FIRST) ?? [...examples.values()][0];
  const changed = wanted?.changes ?? [];
  if ((changed.length || changes.list.length) && !(await changes.apply(changed))) message = byId("problem").textContent;
  if (wanted?.text) {
    editor.value = wanted.text;
    byId("language").value = wanted.language;
    testPlace = wanted.place;
    edited();
  } else {
    choose(example);
  }
  if (!(await execute(wanted?.schedule ?? [], wanted?.at ?? 0)) && wanted?.schedule.length) {
    const why = byId("problem").textContent;
    if (await execute())
      problem(`${message} The schedule of the link does not fit, so the run is first in, first out. ${why}`.trim());
    return;
  }
  const missing = wanted?.example && !examples.has(wanted.example);
  if (missing) problem("There is no example of that name, so the page shows the first example.");
  else if (message) problem(message, false);
}

async function begin() {
  const response = await fetch(new URL("examples.json", import.meta.url));
  /** @type {Map<string, any>} */
  const groups = new Map();
  for (const example of await response.json()) {
    examples.set(example.name, example);
    if (!groups.has(example.group)) groups.set(example.group, make("optgroup", { label: example.group }));
    groups.get(example.group).append(make("option", { value: example.name }, example.title));
  }
  byId("example").append(...groups.values());
  byId("example").addEventListener("change", (/** @type {any} */ event) => {
    const example = examples.get(event.target.value);
    if (!example) return;
    choose(example);
    execute();
  });
  byId("language").addEventListener("change", edited);
  // The address is that of the text and its run.
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    byId("at").focus();
  });
  byId("run").addEventListener("click", () => execute());
  byId("text").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) execute();
  });
  byId("stop").addEventListener("click", () => python.stop("Stopped."));
  byId("share").addEventListener("click", share);
  byId("all").addEventListener("click", findAll);
  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    // Other fragments are links within the page.
    if (!hash.startsWith("#pg-")) open(hash);
  });
  await open(location.hash);
}

begin();
