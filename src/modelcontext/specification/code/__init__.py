"""The code of a revision, held against its text."""
