"""The lab: what tests the tools of this project. It is in no wheel."""
