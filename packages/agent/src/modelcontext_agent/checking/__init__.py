"""The check of a page's tools as a reviewer sees them: definitions, forms, and, if asked, what read-only tools do."""
