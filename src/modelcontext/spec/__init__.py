"""The specification: the text, its algorithms in Python, and the verbs that the algorithms call."""
