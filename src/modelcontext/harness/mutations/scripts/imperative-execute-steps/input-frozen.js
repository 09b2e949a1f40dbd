// The callback's input is frozen.
// Breaks: step 4

wrap_callback((run, [input, options]) => run(Object.freeze(input), options));
