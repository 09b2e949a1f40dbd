"""People: the command line, reports, the playground, and the check of forms."""
