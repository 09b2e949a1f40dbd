"""The source of a specification as data: algorithms with steps and lines, definitions, prose, IDL, suppressions.

This is the reader of sources, in Markdown or HTML, which need not build yet. It does not read what Bikeshed builds.
"""
