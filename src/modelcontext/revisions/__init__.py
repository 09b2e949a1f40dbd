"""The revisions of the specification: each a whole folder that reads whole, with no other in it."""
