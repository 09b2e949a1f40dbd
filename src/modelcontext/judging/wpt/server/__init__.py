"""The server of tests, like that of web-platform-tests."""
