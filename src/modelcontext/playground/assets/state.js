// The state after a frame, with the changes since the frame before.
import { byId, make } from "./dom.js";

/** @type {(one: unknown, other: unknown) => boolean} */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @type {(title: string, content: Element, isChanged: boolean) => Element} */
function part(title, content, isChanged) {
  return make(
    "div",
    { className: isChanged ? "part changed" : "part" },
    make("h3", {}, title, isChanged ? make("span", { className: "badge" }, "changed") : null),
    content,
  );
}

/** @type {(items: any[], tag?: string) => Element} */
const list = (items, tag = "ul") =>
  items.length
    ? make(
        tag,
        {},
        items.map((item) => make("li", {}, item)),
      )
    : make("p", { className: "hint" }, "empty");

/** @type {(value: any) => string} */
const words = (value) =>
  Array.isArray(value)
    ? value.map(words).join(" ")
    : value !== null && typeof value === "object"
      ? Object.entries(value)
          .map(([key, member]) => `${key} ${words(member)}`)
          .join(", ")
      : String(value);

/** @type {(entries: Record<string, unknown> | undefined) => Element} */
const map = (entries) =>
  list(
    Object.entries(entries ?? {})
      .map(([key, value]) => [make("b", {}, key), value && words(value) ? ` ${words(value)}` : ""].flat())
      .map((parts) => make("span", {}, ...parts)),
  );

/** @type {(state: import("../types.d.ts").State, before: import("../types.d.ts").State) => void} */
export function showState(state, before) {
  const parts = [];
  for (const [id, document] of Object.entries(state.documents)) {
    const known = before.documents[id] ?? {};
    parts.push(
      part(`Document ${id}`, make("p", {}, `${document.status}, ${document.origin}`), known.status !== document.status),
    );
    parts.push(
      part(`Tool map of ${id}`, map(document["tool map"]), !same(known["tool map"] ?? {}, document["tool map"])),
    );
    const local = document["local pending executions"];
    if (local && Object.keys(local).length + Object.keys(known["local pending executions"] ?? {}).length) {
      parts.push(
        part(`Local pending executions of ${id}`, map(local), !same(known["local pending executions"] ?? {}, local)),
      );
    }
  }
  for (const [id, executions] of Object.entries(state["pending executions"])) {
    parts.push(
      part(`Pending executions of ${id}`, map(executions), !same(before["pending executions"][id] ?? {}, executions)),
    );
  }
  for (const [id, loop] of Object.entries(state["event loops"])) {
    const known = before["event loops"][id] ?? { tasks: [], microtasks: 0 };
    const microtasks = loop.microtasks
      ? make("p", {}, `${loop.microtasks} ${loop.microtasks === 1 ? "microtask" : "microtasks"}`)
      : null;
    parts.push(part(`Queued tasks of ${id}`, make("div", {}, list(loop.tasks, "ol"), microtasks), !same(known, loop)));
  }
  parts.push(part("In parallel", list(state["in parallel"]), !same(before["in parallel"], state["in parallel"])));
  const promise = (/** @type {[label: string, settled: string]} */ [label, settled]) =>
    make("span", { className: settled }, `${label} `, make("span", { className: "badge" }, settled));
  parts.push(
    part("Promises", list(Object.entries(state.promises).map(promise)), !same(before.promises, state.promises)),
  );
  byId("state-list").replaceChildren(...parts);
}
