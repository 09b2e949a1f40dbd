// The cards of the chat, one for each item of the state.

import { button, make, marked, UNSEEN, visible } from "./dom.js";
import { markdown } from "./markdown.js";
import { parsed, words } from "./state.js";

/** @typedef {import("./types.d.ts").Item} Item */
/** @typedef {import("./types.d.ts").CallItem} CallItem */
/** @typedef {(call: CallItem, decision: "approve" | "deny", message: string) => void} Decide */

const STATES = {
  running: ["●", "running"],
  waiting: ["◔", "waiting for the page"],
  approval: ["?", "needs your approval"],
  done: ["✓", "done"],
  error: ["✕", "error"],
  denied: ["⊘", "denied"],
  limit: ["∎", "limit reached"],
};
/** The reasons of the policy, in words. */
const REASONS = /** @type {Record<string, string>} */ ({
  consequential: "the page says that it has consequences",
  otherwise_consequential: "the page said at another time that it has consequences",
  hints_changed: "the page has changed its hints since the model saw it",
});
const LONGEST = 4_000;
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** @type {Record<Item["kind"], (item: any, decide: Decide) => HTMLElement>} */
const makers = {
  user: (item) => said("user", "You", item.text),
  answer: (item) => said("answer", "The model", item.text, item.isStreaming),
  call: (item, decide) => (item.state === "approval" ? approvalCard(item, decide) : callCard(item)),
  advisor: (item) => advisorCard(item),
  retry: (item) => retryCard(item),
  error: (item) =>
    make(
      "div",
      { class: "card error-card", role: "group", "aria-label": "Error" },
      make(
        "div",
        { class: "head" },
        make("h2", null, item.title),
        item.failure && make("span", { class: "pill" }, item.failure.replaceAll("_", " ")),
      ),
      make("p", { class: "strong" }, item.message),
      item.detail && item.detail !== item.message && block("Detail", item.detail),
    ),
  note: (item) => make("p", { class: "note" }, item.text),
};

/** @type {(item: Item, decide: Decide) => HTMLElement} */
export function card(item, decide) {
  return make("li", { class: `item ${item.kind}` }, makers[item.kind](item, decide));
}

/** Writes a text that grows, without making the card anew. @type {(element: HTMLElement, text: string) => void} */
export function growText(element, text) {
  const shown = element.querySelector(".text")?.firstChild;
  if (shown instanceof Text && text.startsWith(shown.data)) shown.appendData(text.slice(shown.data.length));
}

/** @type {(className: string, speaker: string, text: string, isStreaming?: boolean) => HTMLElement} */
function said(className, speaker, text, isStreaming = false) {
  return make(
    "div",
    { class: `bubble ${className}${isStreaming ? " streaming" : ""}` },
    make("span", { class: "unseen" }, `${speaker}: `),
    make("div", { class: "text" }, document.createTextNode(text)),
  );
}

/** @type {(state: keyof typeof STATES, name: Node | string, extra?: Node | string | null) => HTMLElement} */
function heading(state, name, extra) {
  const [sign, label] = STATES[state];
  return make(
    "div",
    { class: "head" },
    make("span", { class: "sign", "aria-hidden": "true" }, sign ?? ""),
    make("h2", null, name),
    make("span", { class: "state" }, label ?? ""),
    extra,
  );
}

/** @param {CallItem} call */
function callCard(call) {
  const image = imageOf(call.output);
  return make(
    "div",
    { class: `card call-card ${call.state}`, role: "group", "aria-label": `Call of ${visible(call.name)}` },
    heading(call.state, make("code", null, marked(call.name)), duration(call)),
    place(call),
    flows(call) && make("p", { class: "flow" }, `May pass on ${flows(call)}`),
    block("Arguments", visible(pretty(call.args))),
    call.output !== undefined && !image && block(titleOf(call), words(call.output), call.state === "error"),
    image,
  );
}

/** @type {(call: CallItem, decide: Decide) => HTMLElement} */
function approvalCard(call, decide) {
  const title = make("h2", { tabindex: "-1" }, "Run ", make("code", null, marked(call.name)), "?");
  const reason = /** @type {HTMLInputElement} */ (
    make("input", {
      type: "text",
      maxlength: "500",
      placeholder: "Why not? (for the model)",
      "aria-label": "Reason for a denial, for the model",
    })
  );
  const buttons = make(
    "div",
    { class: "actions" },
    button("Approve", "primary", () => choose("approve")),
    button("Deny", "danger", () => choose("deny")),
    reason,
  );
  /** @param {"approve" | "deny"} decision */
  const choose = (decision) => {
    for (const one of buttons.querySelectorAll("button")) one.disabled = true;
    decide(call, decision, decision === "deny" ? reason.value : "");
  };
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose("deny");
  });
  const hints = Object.entries(call.tool?.annotations ?? {}).flatMap(([name, value]) => (value ? [name] : []));
  return make(
    "div",
    { class: "card call-card approval", role: "group", "aria-label": `Approval of ${visible(call.name)}` },
    make(
      "div",
      { class: "head" },
      make("span", { class: "sign", "aria-hidden": "true" }, "?"),
      title,
      make("span", { class: "state" }, "needs your approval"),
    ),
    facts([
      ["Origin", call.origin ?? "this server"],
      ["Frame", call.frame ?? ""],
      ["Page says", visible(call.tool?.description ?? "")],
      ["Hints", hints.join(", ")],
      ["Asked because", (call.reasons ?? []).map((reason) => REASONS[reason] ?? reason).join("; ")],
      ["May pass on", flows(call)],
      ["Digest", call.digest ?? ""],
    ]),
    block("Arguments", visible(pretty(call.args)), true),
    block("Schema", visible(words(call.tool?.inputSchema ?? null))),
    buttons,
  );
}

/** @param {import("./types.d.ts").AdvisorItem} item */
function advisorCard(item) {
  const uses = item.remaining === undefined ? "" : `${item.remaining} ${item.remaining === 1 ? "use" : "uses"} left`;
  return make(
    "div",
    { class: `card advisor-card ${item.state}`, role: "group", "aria-label": "Advisor" },
    heading(item.state, "Advisor", uses && make("span", { class: "quiet" }, uses)),
    item.question && make("p", { class: "quiet" }, item.question),
    item.state === "limit" && make("p", null, "The advisor has answered as many questions as one turn allows."),
    item.advice &&
      make(
        "details",
        { "data-title": "Advice", open: true },
        make("summary", null, "Advice"),
        make("div", { class: "advice", tabindex: "0", role: "region", "aria-label": "Advice" }, markdown(item.advice)),
      ),
    item.error && item.state === "error" && make("p", { class: "text" }, item.error),
    make(
      "p",
      { class: "quiet" },
      item.model,
      item.tokens !== undefined && ` · ${item.tokens.toLocaleString("en")} tokens`,
      duration(item) && " · ",
      duration(item),
    ),
  );
}

/** @param {import("./types.d.ts").RetryItem} item */
function retryCard(item) {
  const left = make("span", { class: "countdown", "data-until": item.isOver ? false : item.retryingAt });
  if (!item.isOver) left.textContent = countdown(item.retryingAt);
  return make(
    "div",
    { class: `card retry-card${item.isOver ? " over" : ""}`, role: "group", "aria-label": "Retry" },
    make("p", null, make("span", { class: "sign", "aria-hidden": "true" }, "↻"), ` ${item.error} `, left),
    make("p", { class: "quiet" }, `Attempt ${item.attempt + 1}${item.isOver ? "" : " follows"}`),
  );
}

/** @param {CallItem} call */
const titleOf = (call) =>
  call.state !== "done" ? "What the model is told" : call.isUntrusted ? "Result, with words of others" : "Result";

/** @param {CallItem} call */
const flows = (call) => (call.flowsFrom?.length ? `words of ${call.flowsFrom.join(", ")}` : "");

/** The words for the time until a retry. @type {(until: string) => string} */
export function countdown(until) {
  const seconds = Math.ceil((Date.parse(until) - Date.now()) / 1000);
  return seconds > 0 ? `Next attempt in ${seconds} s` : "Next attempt now";
}

/** @type {(rows: [string, string][]) => HTMLElement} */
function facts(rows) {
  const given = rows.filter(([, value]) => value);
  return make(
    "dl",
    null,
    ...given.flatMap(([name, value]) => [make("dt", null, name), make("dd", { class: name.toLowerCase() }, value)]),
  );
}

/** @param {CallItem} call */
const place = (call) =>
  call.origin
    ? make("p", { class: "quiet" }, call.origin, call.frame && call.frame !== "main" && ` · ${call.frame}`)
    : null;

/** @param {CallItem | import("./types.d.ts").AdvisorItem} call */
function duration(call) {
  if (!call.createdAt || !call.resultAt) return null;
  const seconds = (Date.parse(call.resultAt) - Date.parse(call.createdAt)) / 1000;
  return make("span", { class: "quiet" }, `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`);
}

/** @type {(title: string, text: string, isOpen?: boolean) => HTMLElement} */
function block(title, text, isOpen = false) {
  const isShort = text.length <= 80 && !text.includes("\n");
  if (isShort)
    return make(
      "p",
      { class: "line" },
      make("span", { class: "quiet" }, `${title} `),
      make("code", null, marked(text, UNSEEN)),
    );
  const shown = make(
    "pre",
    { tabindex: "0", role: "region", "aria-label": title },
    marked(text.slice(0, LONGEST), UNSEEN),
  );
  const box = make("details", { "data-title": title, open: isOpen }, make("summary", null, title), shown);
  if (text.length > LONGEST) {
    const more = button(`Show all ${text.length.toLocaleString("en")} characters`, "link", () => {
      shown.replaceChildren(marked(text, UNSEEN));
      more.remove();
    });
    box.append(more);
  }
  return box;
}

/** Arguments as people read them. @type {(args: string) => string} */
function pretty(args) {
  const value = parsed(args);
  if (value === undefined) return args;
  const line = JSON.stringify(value);
  return line.length <= 80 ? line : words(value);
}

/** The image of a result, if it is one. @param {any} output */
function imageOf(output) {
  const part = Array.isArray(output?.content)
    ? output.content.find((/** @type {any} */ one) => one?.type === "image")
    : null;
  const url = part ? `data:${part.mimeType};base64,${part.data}` : output;
  if (typeof url !== "string" || !IMAGES.some((type) => url.startsWith(`data:${type};base64,`))) return null;
  return make("img", { src: url, alt: "An image that the tool returned" });
}
