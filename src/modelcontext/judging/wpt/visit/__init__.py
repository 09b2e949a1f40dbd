"""Visits, each of which opens one test in a browser until it has reported."""
