"""The grammar of specification prose, as functions that return every reading at a place."""
