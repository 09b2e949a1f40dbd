"""Schedules: who makes the free choices of a run, and how all of them are tried."""
