"""Serving pages: a small HTTP server, synchronous requests that wait for another document, and folders with Pyodide."""
