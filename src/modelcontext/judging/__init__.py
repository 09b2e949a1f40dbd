"""Judging: observations, clients and texts, held against the outcomes that the specification allows."""
