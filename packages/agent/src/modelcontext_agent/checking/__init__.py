"""The check of a page's tools: definitions, forms and, on request, what the tools do that claim to only read."""
