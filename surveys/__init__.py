"""Surveys: what others do, written down in docs. They are in no wheel."""
