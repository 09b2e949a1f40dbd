"""The specification: the text, its algorithms in Python, and the verbs in which they speak."""
