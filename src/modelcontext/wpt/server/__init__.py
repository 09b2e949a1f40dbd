"""The server of tests, as web-platform-tests has one."""
