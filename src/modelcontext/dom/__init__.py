"""What the specification uses of DOM: events, and aborting."""
