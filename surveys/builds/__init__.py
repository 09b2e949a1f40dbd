"""Builds of browsers side by side: since when each deviates, and from which text."""
