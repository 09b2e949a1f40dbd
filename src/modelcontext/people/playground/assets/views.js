// The current frame, the free choices, the event log and the outcomes.
/** @import { ChoiceFrame, EntryFrame, Frame, Outcome, Shown, Story } from "../types.d.ts" */
import { badge, byId, hint, linkButton, list, make, reveal } from "./dom.js";

/** The words of an entry, after its document if its log is not that of one. */
const entryWords = (/** @type {{ document: string, words: string }} */ { document, words }) =>
  document ? `[${document}] ${words}` : words;

const KINDS = { step: "Step", script: "Script", turn: "Turn", choice: "Choice", entry: "Log" };

export function name(/** @type {Frame} */ frame) {
  switch (frame.kind) {
    case "step":
      return `${frame.algorithm} ${frame.step}. ${frame.words}`;
    case "script":
    case "entry":
      return entryWords(frame);
    case "choice":
      return `${frame.words}: ${frame.options[frame.answer]}`;
    default:
      return frame.words;
  }
}

export function showNow(/** @type {Frame} */ frame) {
  byId("now").replaceChildren(
    make("p", { className: `frame ${frame.kind}` }, make("b", {}, KINDS[frame.kind]), " ", name(frame)),
    hint(frame.kind === "turn" ? "gets its turn" : `in ${frame.actor.replace(/^in /, "")}`),
    list(frame.changes, "ul", { className: "changes" }),
  );
}

/**
 * @typedef {object} Choosing
 * @property {(position: number, option: number, index: number) => void} picked gets a choice's position in the schedule and another option
 * @property {(index: number) => void} moved gets the number of a frame
 */

/** @type {(frames: Frame[], choosing: Choosing) => void} */
export function showChoices(frames, { picked, moved }) {
  const choices = frames.map((frame, index) => ({ ...frame, index })).filter((frame) => frame.kind === "choice");
  const shown = choices.map((choice) => {
    const heading = linkButton(`Choice ${choice.position}`, () => moved(choice.index));
    const options = choice.options.map((option, number) => {
      const onchange = () => picked(choice.position, number, choice.index);
      const checked = number === choice.answer;
      const button = make("input", { type: "radio", name: `choice-${choice.position}`, checked, onchange });
      return make("label", {}, button, " ", option);
    });
    return make("fieldset", { "data-index": choice.index }, make("legend", {}, heading, ` ${choice.words}`), options);
  });
  const nothing = shown.length ? [] : [hint("There is no free choice: only one run is possible.")];
  byId("choice-list").replaceChildren(...shown, ...nothing);
}

export function markChoice(/** @type {number} */ at) {
  let now = null;
  for (const choice of byId("choice-list").querySelectorAll("fieldset")) {
    choice.classList.remove("now");
    if (Number(choice.dataset.index) <= at) now = choice;
  }
  now?.classList.add("now");
  if (now) reveal(now, byId("choice-list"));
}

/** @type {(frames: Frame[], at: number, moved: (index: number) => void) => void} */
export function showLog(frames, at, moved) {
  /** @type {Map<string, (EntryFrame & { index: number })[]>} */
  const logs = new Map();
  frames.forEach((frame, index) => {
    if (frame.kind === "entry") logs.set(frame.log, [...(logs.get(frame.log) ?? []), { ...frame, index }]);
  });
  const entry = (/** @type {EntryFrame & { index: number }} */ { index, document, words }) =>
    make(
      "li",
      { className: index > at ? "future" : index === at ? "now" : "" },
      linkButton(entryWords({ document, words }), () => moved(index)),
      index > at ? make("span", { className: "unseen" }, " (still to come)") : null,
    );
  const panel = byId("log-list");
  const focused = panel.contains(document.activeElement)
    ? [...panel.querySelectorAll("button")].indexOf(document.activeElement)
    : -1;
  panel.replaceChildren(
    ...[...logs]
      .flatMap(([log, entries]) => [
        logs.size > 1 ? make("h3", {}, `Event loop of ${log}`) : null,
        make("ol", {}, entries.map(entry)),
      ])
      .filter(Boolean),
  );
  if (!logs.size) panel.append(hint("Nothing is recorded."));
  panel.querySelectorAll("button")[focused]?.focus();
  const last = panel.querySelector("li.now") ?? [...panel.querySelectorAll("li:not(.future)")].at(-1);
  if (last) reveal(last, panel);
}

function outcomeWords(/** @type {Outcome} */ { kinds = [], logs, pending, notes }) {
  const several = Object.keys(logs).length > 1;
  return [
    kinds.map((words) => make("p", { className: "kind" }, words)),
    ...Object.entries(logs).map(([log, entries]) => [
      several ? make("h4", {}, `Event loop of ${log}`) : null,
      list(entries.map(entryWords), "ol"),
    ]),
    pending.length ? make("p", {}, `Never settled: ${pending.join(", ")}`) : null,
    notes.map((note) => make("p", {}, note)),
    Object.keys(logs).length || pending.length || notes.length ? null : hint("Nothing is recorded."),
  ];
}

/** @type {(story: Story, moved: (index: number) => void) => any} */
function storyWords({ moments, instead }, moved) {
  const told = moments.map(({ who, words, step, is_decisive, frame }) =>
    make(
      "li",
      { className: is_decisive ? "decisive" : "" },
      make("b", {}, who),
      " ",
      linkButton(words, () => moved(frame)),
      step ? make("span", { className: "hint" }, ` ${step}`) : null,
      is_decisive
        ? make("p", {}, `From here on, every schedule leads to this outcome. Instead: ${instead.join(" or ")}.`)
        : null,
    ),
  );
  return make("section", { className: "story" }, make("h4", {}, "How this happens"), make("ol", {}, told));
}

/**
 * @param {Shown[]} outcomes the known ones, in order
 * @param {string | null} current
 * @param {string} note
 * @param {Story | null} story how one of them comes about
 * @param {object} asked
 * @param {(schedule: number[]) => void} asked.chosen gets a schedule that shows another one
 * @param {((key: string) => void) | null} asked.explained gets the key of one to explain, if the text can be explained
 * @param {(index: number) => void} asked.moved gets the number of a frame
 */
export function showOutcomes(outcomes, current, note, story, { chosen, explained, moved }) {
  const panel = byId("outcome-list");
  const isFocused = panel.contains(document.activeElement);
  const shown = outcomes.map((outcome, index) => {
    const isCurrent = outcome.key === current;
    const onclick = () => chosen(outcome.schedule);
    const show = make("button", { type: "button", onclick, ariaLabel: `Show outcome ${index + 1}` }, "Show");
    const isTold = isCurrent && story?.key === outcome.key;
    const why =
      explained && !isTold
        ? make(
            "button",
            { type: "button", onclick: () => explained(outcome.key), ariaLabel: `Explain outcome ${index + 1}` },
            "Explain",
          )
        : null;
    const heading = make("h3", { tabIndex: -1 }, `Outcome ${index + 1}`, isCurrent ? badge("this run") : show, why);
    const told = isTold ? storyWords(/** @type {Story} */ (story), moved) : null;
    return make("article", { className: isCurrent ? "now" : "" }, heading, outcomeWords(outcome.outcome), told);
  });
  panel.replaceChildren(make("p", { className: "hint", role: "status" }, note), ...shown);
  // The button that was pressed is gone, and with it the focus.
  if (isFocused) /** @type {HTMLElement | null} */ (panel.querySelector("article.now h3"))?.focus();
}
