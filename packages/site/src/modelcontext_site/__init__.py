"""The site: the specification and all that is known about it, as a folder of pages that need no server."""
