"""Issues and findings as texts that are ready to be filed, with pages of plain JavaScript that show them."""
