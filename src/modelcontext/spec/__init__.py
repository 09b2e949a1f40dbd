"""The specification: its text, its algorithms, and the verbs in which they speak."""
