"""Exposure: a page's tools in the words of a provider, and what a page says in a frame that says whose words they are."""
