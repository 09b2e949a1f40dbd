// The state after a frame, with the changes since the frame before.
import { badge, byId, hint, list, make } from "./dom.js";

/** @type {(one: unknown, other: unknown) => boolean} */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @type {(value: any) => string} */
const words = (value) =>
  Array.isArray(value)
    ? value.map(words).join(" ")
    : value !== null && typeof value === "object"
      ? Object.entries(value)
          .map(([key, member]) => `${key} ${words(member)}`)
          .join(", ")
      : String(value);

/** @type {(items: any[], tag?: string) => Element} */
const listOrEmpty = (items, tag) => (items.length ? list(items, tag) : hint("empty"));

/** @type {(entries: Record<string, unknown> | undefined) => Element} */
const map = (entries) =>
  listOrEmpty(
    Object.entries(entries ?? {})
      .map(([key, value]) => [make("b", {}, key), value && words(value) ? ` ${words(value)}` : ""].flat())
      .map((parts) => make("span", {}, ...parts)),
  );

/** @type {(state: import("../types.d.ts").State, before: import("../types.d.ts").State) => void} */
export function showState(state, before) {
  /** @type {Element[]} */
  const parts = [];
  /** @type {(title: string, known: unknown, now: unknown, content: Element) => void} */
  const add = (title, known, now, content) => {
    const isChanged = !same(known, now);
    const heading = make("h3", {}, title, isChanged ? badge("changed") : null);
    parts.push(make("div", { className: isChanged ? "part changed" : "part" }, heading, content));
  };
  for (const [id, document] of Object.entries(state.documents)) {
    const known = before.documents[id] ?? {};
    add(`Document ${id}`, known.status, document.status, make("p", {}, `${document.status}, ${document.origin}`));
    add(`Tool map of ${id}`, known["tool map"] ?? {}, document["tool map"], map(document["tool map"]));
    const [had, has] = [known, document].map((one) => one["local pending executions"] ?? {});
    if (Object.keys({ ...had, ...has }).length) add(`Local pending executions of ${id}`, had, has, map(has));
    for (const [name, form] of Object.entries(document.forms ?? {})) {
      add(`Form ${name} of ${id}`, known.forms?.[name] ?? {}, form, map(form));
    }
  }
  for (const [id, executions] of Object.entries(state["pending executions"])) {
    add(`Pending executions of ${id}`, before["pending executions"][id] ?? {}, executions, map(executions));
  }
  for (const [id, loop] of Object.entries(state["event loops"])) {
    const microtasks = loop.microtasks
      ? make("p", {}, `${loop.microtasks} ${loop.microtasks === 1 ? "microtask" : "microtasks"}`)
      : null;
    const known = before["event loops"][id] ?? { tasks: [], microtasks: 0 };
    add(`Queued tasks of ${id}`, known, loop, make("div", {}, listOrEmpty(loop.tasks, "ol"), microtasks));
  }
  add("In parallel", before["in parallel"], state["in parallel"], listOrEmpty(state["in parallel"]));
  const promises = Object.entries(state.promises).map(([label, settled]) =>
    make("span", { className: settled }, `${label} `, badge(settled)),
  );
  add("Promises", before.promises, state.promises, listOrEmpty(promises));
  byId("state-list").replaceChildren(...parts);
}
