"""Generated races: the programs of a few racing actions up to symmetry, and their classes by the outcomes that they have.

The tool diy makes litmus tests for memory models so: not an idea of a person, but every combination of a few instructions.
Here an instruction is an *action* of the API (:mod:`.actions`). Memory is the structures that actions share: the tools of a
document, a running call, a frame. :mod:`.enumeration` combines actions in *scenes* of one or two documents, :mod:`.writing`
makes a program of each combination, and :mod:`.classes` explores it.
"""
