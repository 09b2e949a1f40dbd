"""The check of a page's forms: the tools that they offer, and their problems, for authors of forms."""
