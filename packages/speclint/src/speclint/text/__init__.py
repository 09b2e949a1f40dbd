"""The source of a specification as data: algorithms with steps and lines, definitions, prose, IDL, suppressions."""
