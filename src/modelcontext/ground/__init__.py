"""The ground: code that every other wing uses, and that knows nothing of the web platform."""
