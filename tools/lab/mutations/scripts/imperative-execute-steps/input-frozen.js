// The callback's input is frozen.
// Breaks: step 4
// Noticed by: execute-tool-inputs.https.html

wrap_callback((run, [input, options]) => run(Object.freeze(input), options));
