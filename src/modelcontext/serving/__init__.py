"""What pages are served from: a small HTTP server, answers that a page waits for, and folders with Python in them."""
