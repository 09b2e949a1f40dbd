// The length of registerTool() is 2, as if the options were required.
// Breaks: Web IDL
// Noticed by: idlharness.https.window.html

Object.defineProperty(prototype.registerTool, "length", { value: 2 });
