// The signal of the callback is not aborted.
// Breaks: step 7.6

wrap_callback((run, [input]) => run(input, { signal: new AbortController().signal }));
