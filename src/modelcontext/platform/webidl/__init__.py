"""Web IDL: the boundary between script and algorithms, driven by the extracted IDL."""
