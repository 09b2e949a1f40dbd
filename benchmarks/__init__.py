"""Benchmarks: ratios of two things that are measured side by side in one run. None passes or fails."""
