"""The ground: every wing uses it, and it knows nothing of the web platform."""
