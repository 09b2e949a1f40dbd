"""Opening one test in a browser, until it has reported."""
