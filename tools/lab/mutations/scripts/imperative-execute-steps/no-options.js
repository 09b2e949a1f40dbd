// The callback is invoked with the input alone.
// Breaks: step 11

wrap_callback((run, [input, options], _name, callback) => (callback.length > 1 ? run(input, options) : run(input)));
