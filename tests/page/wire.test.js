// A realm makes values of the data that Python writes; test_wire.py tests the other side of wire.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { list, made, pathOf, windowAt } from "../../src/modelcontext/hosts/page/wire.js";

const table = JSON.parse(readFileSync(new URL("wire.json", import.meta.url), "utf-8"));
const [value, holder, view, object] = [{}, { promise: Promise.resolve() }, {}, {}];
const lookup = {
  value: (handle) => ({ 7: value, 8: holder })[handle],
  window: (realm) => ({ 3: view })[realm],
  object: (id) => ({ 1: object })[id],
};
const realm = {
  error: (kind, name, message) => (kind === "TypeError" ? new TypeError(message) : new DOMException(message, name)),
  array: (items) => ({ items: Object.values(items) }),
  object: (members) => ({ members: Object.values(members) }),
};
const make = (data) => made(data, realm, lookup);

const expected = {
  undefined: undefined,
  null: null,
  "a boolean": true,
  "a string": "caf\u00e9 \u{1f600}",
  "a lone surrogate": "\ud800",
  "a held value": value,
  "a promise": holder.promise,
  "a TypeError": new TypeError("wrong"),
  "a DOMException": new DOMException("aborted", "AbortError"),
  "an empty list": { items: [] },
  "a list": { items: ["a", undefined, { items: [value] }] },
  "a dictionary": {
    members: [
      ["description", "d"],
      ["inputSchema", value],
      ["name", "__proto__"],
      ["origin", "https://a.test"],
      ["window", view],
    ],
  },
  "a window": view,
  "a platform object": object,
};

for (const [name, data] of Object.entries(table)) {
  test(`${name} is made`, () => {
    assert.ok(Object.hasOwn(expected, name));
    assert.deepEqual(make(data), expected[name]);
  });
}

test("Handles, windows and objects in data become the known objects", () => {
  assert.equal(make(["held", 7]), value);
  assert.equal(make(["promise", 8]), holder.promise);
  assert.equal(make(["window", 3]), view);
  assert.equal(make(["object", 1]), object);
});

test("Data of another kind is refused", () => {
  assert.throws(() => make(["unknown", 1]), { name: "TypeError", message: "no value is written as unknown" });
});

test("Array.prototype cannot observe operations on a list", () => {
  const noticed = [];
  const data = table["a list"];
  Object.defineProperty(Array.prototype, 0, { configurable: true, set: () => noticed.push("setter") });
  const iterate = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function () {
    noticed.push("iterator");
    return iterate.call(this);
  };
  try {
    make(["list", data[1]]);
    list()[0] = 1;
  } finally {
    Array.prototype[Symbol.iterator] = iterate;
    delete Array.prototype[0];
  }
  assert.deepEqual(noticed, []);
});

/** A window with frames, as far as ways are concerned. */
function windowWith(...frames) {
  const made = Object.assign({}, frames);
  made.parent = made;
  for (const frame of frames) frame.parent = made;
  return made;
}

test("The path to a window leads to it", () => {
  const inner = windowWith();
  const top = windowWith(windowWith(), windowWith(windowWith(), inner));
  assert.deepEqual(Object.values(pathOf(inner)), [1, 1]);
  assert.deepEqual(Object.values(pathOf(top)), []);
  assert.equal(windowAt(top, pathOf(inner)), inner);
  assert.equal(windowAt(top, []), top);
});

test("No path leads to a window that is gone", () => {
  const frame = windowWith();
  frame.parent = null;
  assert.equal(pathOf(frame), null);
  assert.equal(windowAt(windowWith(), null), null);
  assert.equal(windowAt(windowWith(), [0, 1]), null);
  assert.equal(windowAt(null, []), null);
});
