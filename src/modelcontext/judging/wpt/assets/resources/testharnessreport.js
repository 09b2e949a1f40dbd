// Reports the results to the driver of this browser; without a driver the page shows them.
{
  const { modelcontextReport: report, modelcontextNote: note, modelcontextSkipped: skipped } = self;
  setup({ output: report === undefined, timeout_multiplier: self.modelcontextTimeoutMultiplier ?? 1 });
  if (report !== undefined) {
    add_completion_callback((tests, harness) => {
      report({
        status: harness.status,
        message: harness.message,
        subtests: tests.map(({ name, status, message, stack }) => ({ name, status, message, stack })),
      });
    });
  }
  // An audit of the tests leaves out those that stand in the way of others.
  if (skipped !== undefined) {
    for (const name of ["test", "promise_test"]) {
      const make = self[name];
      self[name] = (steps, title, ...rest) => (skipped.includes(title) ? undefined : make(steps, title, ...rest));
    }
  }
  // The simulated browser is told of each status of a subtest; the last one comes before its clean-up.
  if (note !== undefined) {
    let told = false;
    add_test_state_callback((test) => {
      if (told) return;
      told = true;
      const prototype = Object.getPrototypeOf(test);
      const { set_status } = prototype;
      prototype.set_status = function (...values) {
        note(this.name);
        return set_status.apply(this, values);
      };
    });
  }
}
