"""The parts of DOM that the specification uses: events and aborting."""
