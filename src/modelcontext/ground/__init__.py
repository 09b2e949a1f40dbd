"""The ground: code that every other wing uses, and that does not depend on the web platform."""
