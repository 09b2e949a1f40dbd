"""The parts of DOM that the specification uses: events, trees and aborting."""
