"""Hosts: they carry out the verbs of the algorithms."""
