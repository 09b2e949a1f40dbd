"""Hosts: the environments that carry out the verbs of the algorithms."""
