// Values as the page side of the program language makes and writes them; test_notated_values.py is the same test for Python.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { maker } from "../../src/modelcontext/programs/program/runtime/making.js";
import { writer } from "../../src/modelcontext/programs/program/runtime/writing.js";

const { origins, values } = JSON.parse(readFileSync(new URL("values.json", import.meta.url), "utf-8"));
const NOTATIONS = [
  ...["$js", "$bigint", "$symbol", "$string", "$repeat", "$object", "$function", "$toJSON", "$cycle", "$error"],
  ...["$signal", "$abortedSignal", "$promise", "$thenable", "$callback"],
];

const frame = createContext({});
const realm = (id, constructors) => ({
  id,
  intrinsics: new Map(constructors.map(({ prototype, name }) => [prototype, name])),
});
const realms = [
  realm("top", [Object, Array, Error, TypeError, DOMException]),
  realm("child", runInContext("[Object, Array, TypeError]", frame)),
];
const popup = {};
const { written, eventAttributes } = writer("top", origins, { popup }, realms);
const { make } = maker(origins, NOTATIONS, { written });

for (const { of, is } of values) {
  test(`${JSON.stringify(of)} is written as ${JSON.stringify(is)}`, () => {
    assert.equal(JSON.stringify(written(make(of))), JSON.stringify(is));
  });
}

const FOREIGN = {
  "[1]": { $array: [1], $realm: "child" },
  "({ a: [] })": { $object: [["a", { $array: [], $realm: "child" }]], $realm: "child" },
  "new TypeError()": { $error: "TypeError", $realm: "child" },
};
for (const [expression, is] of Object.entries(FOREIGN)) {
  test(`${expression} of a frame is written with its realm`, () => {
    assert.deepEqual(written(runInContext(expression, frame)), is);
  });
}

test("A window is written as the document that it is known by", () => {
  assert.deepEqual(written([popup]), [{ $window: "popup" }]);
});

test("An event is written with its flags", () => {
  const event = new Event("toolchange", { cancelable: true });
  assert.deepEqual(eventAttributes(event), { interface: "Event", type: "toolchange", flags: ["cancelable"] });
});
