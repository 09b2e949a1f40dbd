"""Judging: observations, clients and texts, compared with the outcomes that the specification allows."""
