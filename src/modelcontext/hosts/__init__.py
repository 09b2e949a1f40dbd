"""The hosts: where the verbs of the algorithms are done."""
