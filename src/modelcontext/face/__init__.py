"""The Python face: a simulated browser for people who prototype agents and tools."""
