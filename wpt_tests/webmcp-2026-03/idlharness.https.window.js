// META: script=/resources/WebIDLParser.js
// META: script=/resources/idlharness.js
// META: timeout=long

"use strict";

idl_test(["webmcp"], ["html", "dom"], (idl_array) => {
  idl_array.add_objects({
    Navigator: ["navigator"],
    ModelContext: ["navigator.modelContext"],
  });
});
