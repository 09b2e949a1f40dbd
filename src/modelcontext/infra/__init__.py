"""Infra: strings as JavaScript has them, ordered maps, assertions; and the footprints of shared state."""
