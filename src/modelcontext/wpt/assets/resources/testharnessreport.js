// Hands the results to whoever drives this browser; in a browser that nobody drives they are shown in the page.
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
