"""Patches of a text in its own words, each line anchored by its algorithm and step."""
