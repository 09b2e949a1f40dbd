"""Running: products, and the servers of the pages that they load."""
