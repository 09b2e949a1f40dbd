"""Earlier builds of browsers as products, and since when each of them shows an outcome."""
