"""Tests in the format of web-platform-tests: finding them, serving them, running them and collecting their results."""
