// toolactivated is fired when the execution is over, and not before it begins.
// Breaks: step 7
// Noticed by: toolactivated.https.html

const names = shared("activated", () => []);
intercept("toolactivated", (event) => {
  drop(event);
  names.push([own, event.toolName]);
});
replace_method("executeTool", (call, args) => {
  const promise = call(...args);
  const end = () => {
    for (const [context, toolName] of names.splice(0)) {
      setTimeout(() => dispatch("toolactivated", { toolName }, context), 0);
    }
  };
  promise.then(end, end);
  return promise;
});
