// Reports the results to the driver of this browser; without a driver the page shows them.
{
  const report = self.modelcontextReport;
  setup({ output: report === undefined, timeout_multiplier: self.modelcontextTimeoutMultiplier ?? 1 });
  if (report !== undefined) {
    add_completion_callback((tests, harness) => {
      report({
        status: harness.status,
        message: harness.message,
        subtests: tests.map(({ name, status, message }) => ({ name, status, message })),
      });
    });
  }
}
