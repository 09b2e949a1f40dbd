"""Checking the forms of a page: the tools that they offer, as people who write forms want to read them."""
