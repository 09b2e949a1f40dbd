"""The ground: what every wing stands on, and what knows no web platform."""
