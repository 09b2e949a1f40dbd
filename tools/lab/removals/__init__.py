"""Trials by removal: whether anything notices that a text lacks one of its steps.

A removal is a text without one step and the steps below it; the steps after it have other numbers then. The compiler refuses
the text, with a place, or the text is a revision, and runs. A removal is noticed if some program, or litmus test, has other
outcomes in that revision, or ends in an error. Only those run that reach the step in the unchanged text, the smallest first.
The others cannot differ: up to the step, both revisions do the same.

A removal that changes the Python of assertions only can be noticed by nobody: an assertion of a right text holds. Any other
removal that survives needs a person's reason, in the table of this folder or in that of steps that no program can reach.
"""
