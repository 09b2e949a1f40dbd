"""Running tests in the format of web-platform-tests: finding them, serving them, and collecting their results."""
