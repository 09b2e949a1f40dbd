// The event is fired at once in the document that registers, while registerTool() runs, and not by a task.
// Breaks: step 6.6

let fired = 0;
replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  let failed = false;
  const promise = call(...watched.args);
  // Whether it failed, a promise does not tell at once; of these tools it is known that they do not.
  const { name, description, signal, exposedTo } = watched.seen;
  failed =
    !is_name(name) || description === "" || signal?.aborted || exposedTo !== undefined || document.defaultView === null;
  if (!failed) {
    ++fired;
    dispatch("toolchange");
    promise.catch((reason) => {
      if (reason !== signal?.reason) {
        --fired;
      }
    });
  }
  return promise;
});
intercept("toolchange", (event) => {
  if (fired > 0) {
    --fired;
    drop(event);
  }
});
