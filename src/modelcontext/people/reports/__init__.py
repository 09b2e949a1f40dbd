"""Reports of the results of a run, for people and for other programs."""
