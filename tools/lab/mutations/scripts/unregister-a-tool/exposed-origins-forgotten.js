// When a tool is unregistered, the documents of other origins that it was exposed to are not notified.
// Breaks: step 4
// Noticed by: toolchange-cross-origin.https.html

const list = prototype.getTools;
const is_foreign = self !== top && shared("a root", () => self) === self;
let known = 0;
let turn = Promise.resolve();
intercept("toolchange", (event) => {
  if (is_foreign) {
    drop(event);
    // Only the list tells whether a tool has come or gone.
    turn = turn.then(async () => {
      const { length } = await apply(list, own, [{ fromOrigins: [...location.ancestorOrigins] }]);
      if (length >= known) {
        dispatch("toolchange");
      }
      known = length;
    });
  }
});
