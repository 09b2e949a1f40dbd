"""Benchmarks: ratios of what is measured side by side in one run. Nothing here passes or fails."""
