"""The revisions of the specification, each complete in its own folder."""
