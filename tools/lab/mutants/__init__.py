"""Mutants of the text: texts with one small fault, and whether anything notices it.

A mutant is the text with a patch: a step removed, two steps exchanged, a condition negated, another exception, or steps that
do not run in parallel any more. The compiler refuses the text, with a place, or the text is a revision, and runs. It is
noticed if some program, or litmus test, has other outcomes in that revision, or ends in an error. Only those run that reach a
changed step in the unchanged text, the smallest first. The others cannot differ: up to the step, both revisions do the same.

A mutant whose Python differs in nothing that can be seen is equivalent: an assertion of a right text holds, and the order of
two assignments that do not need each other is all the same. Any other mutant that survives needs a person's reason, in the
table of this folder or in that of steps that no program can reach.
"""
