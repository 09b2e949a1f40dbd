"""Serving pages: a small HTTP server, answers that a page waits for, and folders with Python."""
