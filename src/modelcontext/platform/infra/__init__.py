"""Infra: JavaScript strings, ordered maps, assertions."""
