// The state of the chat page, from events.
import assert from "node:assert/strict";
import { test } from "node:test";
import { approvals, isBusy, newState, take } from "../src/modelcontext_agent/server/page/state.js";

const after = (...events) => {
  const state = newState();
  for (const [type, data] of events) take(state, { type, data, id: "1" });
  return state;
};
const status = (name, reason = "") => ["status", { status: name, reason }];
const said = (text) => ["message", { role: "user", text }];
const answered = (text) => ["message", { role: "assistant", text }];
const delta = (text) => ["text_delta", { text }];
const call = (id, name = "search", origin = "https://shop.example") => [
  "tool_call",
  { tool_call_id: id, tool_name: name, origin, frame: "main", args: "{}", created_at: null },
];
const result = (id, output, is_error = false) => [
  "tool_result",
  { tool_call_id: id, output, is_error, created_at: null },
];
const kinds = (state) => state.items.map((item) => item.kind);

test("a step that is tried again leaves nothing of what it streamed", () => {
  const half = [said("Hi"), status("running"), delta("Half"), call("c1")];
  const retry = ["retry", { attempt: 1, error: "It is overloaded.", retrying_at: "2026-01-01T00:00:00Z" }];
  assert.deepEqual(kinds(after(...half, status("pending", "retry"), retry)), ["user", "retry"]);
  assert.deepEqual(kinds(after(...half, status("pending", "lease_expired"))), ["user"]);
});

test("a retry is over when the next attempt begins", () => {
  const retry = ["retry", { attempt: 1, error: "It is overloaded.", retrying_at: "2026-01-01T00:00:00Z" }];
  const waiting = after(status("running"), status("pending", "retry"), retry);
  assert.equal(waiting.items[0].isOver, false);
  take(waiting, { type: "status", data: { status: "running" }, id: "9" });
  assert.equal(waiting.items[0].isOver, true);
});

test("messages during a turn are queued until it is done", () => {
  const state = after(said("One"), status("running"), said("Two"), said("Three"), delta("A"));
  assert.deepEqual(state.queue, ["Two", "Three"]);
  take(state, { type: "message", data: { role: "assistant", text: "A" }, id: "2" });
  take(state, { type: "done", data: { interrupted: false }, id: "3" });
  assert.deepEqual(state.queue, []);
  assert.deepEqual(
    state.items.map((item) => item.text),
    ["One", "A", "Two", "Three"],
  );
});

test("the answer of a step stands before its calls, however it came", () => {
  assert.deepEqual(kinds(after(status("running"), call("c1"), answered("Late."))), ["answer", "call"]);
  assert.deepEqual(kinds(after(status("running"), delta("Early"), call("c1"), answered("Early."))), ["answer", "call"]);
  assert.deepEqual(kinds(after(status("running"), call("c1"), answered(""))), ["call"]);
});

test("an id that is used again means the latest call", () => {
  const state = after(call("c1"), answered(""), result("c1", 1), call("c1"), answered(""), result("c1", "no", true));
  assert.deepEqual(
    state.items.map((item) => [item.state, item.output]),
    [
      ["done", 1],
      ["error", "no"],
    ],
  );
});

test("a denied call stays denied, and no longer waits for a person", () => {
  const tool = { name: "search" };
  const asked = ["approval_required", { tool_calls: [{ tool_call_id: "c1", tool, approval: { digest: "d" } }] }];
  const state = after(call("c1"), answered(""), status("requires_action"), asked);
  assert.deepEqual([approvals(state).length, approvals(state)[0].approvalDigest, isBusy(state)], [1, "d", true]);
  take(state, { type: "approval", data: { tool_call_id: "c1", decision: "deny" }, id: "8" });
  take(state, { type: "tool_result", data: { tool_call_id: "c1", output: "Denied.", is_error: true }, id: "9" });
  assert.deepEqual([approvals(state).length, state.items[0].state], [0, "denied"]);
});

test("a tool of a page that is named advisor gets no card of the advisor", () => {
  assert.deepEqual(kinds(after(call("c1", "advisor"))), ["call"]);
  assert.deepEqual(kinds(after(call("c1", "advisor", null))), ["advisor"]);
});

test("events that are unknown, or named as a property of objects, change nothing", () => {
  assert.deepEqual(after(["toString", {}], ["__proto__", {}], ["chat:error", {}]), newState());
});
