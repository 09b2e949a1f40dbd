"""The verbs ``agent`` and ``mcp``. The command line of the core finds them by this distribution's entry points."""
