"""Infra: strings as JavaScript has them, ordered maps, assertions."""
