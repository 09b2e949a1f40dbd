"""Schedules: every order in which a run can happen, and how all of them are known without trying each.

Theory of operation
===================

The question is which results a run can have. The answer is a set, and the claim is that the set is complete. This text says
how the set is found, and what the claim rests on. Read it before you change anything in this room, and before you add state
that two event loops, or an event loop and steps in parallel, can reach.

Runs, actions, schedules
------------------------

A world is deterministic but for its choices. Between two actions it asks a chooser which process acts next
(``pick``); inside an action an algorithm may ask for a free choice (``choose``). A *process* is a strand (steps in
parallel, which act up to their next ``yield``) or a task (which runs to its end). A task that is about to change a shared
map, or which documents there are, *gives way* first: either it goes on, or others act in its middle, nested as deep as it
comes. So a strand is atomic between two yields, and a task is atomic between two places where it gives way. The list of all
answers is a *schedule*. The same schedule always gives the same run; :mod:`.choose` has the choosers.

:func:`.explore.every_schedule` tries all schedules, one run each. There are too many as soon as three things race, so
:class:`.graph.StateGraph` explores states instead. It starts each run from nothing, replays a beginning, takes one
transition that was never taken, and goes on, depth first, until it comes to a state that it knows. Two savings make that
feasible; each has an assumption.

The first saving: equal states are explored once
------------------------------------------------

A *state* is everything that decides how a run goes on. :mod:`.fingerprint` puts all that is reachable from the user agent
and the run into a canonical form: objects are numbered in the order in which they are found, generators and the frames of
tasks that gave way are their position and their locals, functions are their code and what they close over. Two runs with
equal fingerprints have the same future.

What a run has observed so far is left out on purpose: the logs of a program are written and never read. Therefore two
histories may meet in one state, and a state keeps the results *from there on* (:mod:`.results`): one sequence of
observations for each log, and what is left at the end. Logs are compared one by one; no result tells the order of entries
in two different logs.

The form may tell apart states that are the same: an object of an unknown type is unlike every other, which costs time only.
The danger is the other direction. A class can say by a method ``relevant`` which of its attributes decide how it goes on,
and an attribute that is missing there merges states that differ. Module globals, and attributes of functions, are never
looked at: keep no state there.

A run that leads back to a state which is still being explored need never end. That is an error
(:class:`.graph.EndlessError`), whatever the bound. So the graph has no cycles, and all that follows from a state is known when
the search leaves it for the last time.

The second saving: actions that commute are tried in one order
--------------------------------------------------------------

Each action leaves a *footprint*: the keys that it read and wrote. A key is a kind of state and a name
(:mod:`.footprint`). The structures record it themselves, so no algorithm has to think of it. Two actions *clash* when one
writes what the other reads or writes (:mod:`.independence` has the exact rule). Four kinds of state refine it, and each says
so where it is declared:

* ``activity`` decides which tasks can run at all. An action that writes it clashes with everything.
* ``ordered`` is first in, first out: two tasks of one source on one event loop never change places, so the same key twice
  is no race, while two sources on one loop are.
* ``unread``: two writes matter only if somebody reads afterwards which came first, as with the order of a map's entries.
* ``structure`` matters to the guided search alone (below).

State that belongs to one event loop has no key of its own: each task that does anything writes the key of its loop.

At every state the graph takes one process first and explores all that follows. Then it knows what every other process, and
whatever descends from one, will ever touch from there on. If the action clashes with none of that, its process alone is a
*persistent set*. In any other run it acts later (a run ends only when nothing can act), past actions that it commutes
with; there it can be moved to the front, and no log changes. So the other options need not be tried. If it clashes, the
next option is tried, and in the end all of them are. The free choices inside an action that is tried are all tried.

Where a task has given way, going on with it has a rule of its own: tasks of its own loop cannot come between, so ``ordered``
state does not count. Another task that gives way in the middle of this one always clashes (``StateGraph._clashes_with``).

What "complete" claims
----------------------

``complete`` says: no option is left untried but those that a persistent set lets wait, and no bound was reached. Then every
result of every schedule is in the set. The claim rests on five things:

1. *Replay is deterministic.* No clock, no randomness, no order that depends on addresses or hashes
   (``tests/schedule/test_replay.py``).
2. *Fingerprints are complete.* Whatever decides the future is in them (``test_fingerprint.py``).
3. *Footprints are complete.* Every shared structure records its reads and writes. ``test_footprints.py`` takes each kind
   away and sees a race lose a result; a kind without a race fails.
4. *Scheduling points are complete.* A ``yield`` stands before each shared access of steps in parallel (a check of the
   specification's code), and a structure calls :func:`.footprint.about_to_write` before a task changes it.
5. *Names agree.* Structures that are made before things race are numbered, the same in every run. Later ones share one
   name, which makes more actions clash. Where it would make fewer clash, a kind of its own mends that (``giving way later``).

The programs of the corpus, generated programs and generated races are explored both ways, and give the same sets. A set that
is not complete judges nothing: an outcome that is not in it may still be allowed.

The guided search
-----------------

:func:`.explore.search` looks for one observed outcome. It gives up a beginning as soon as a log departs from the observed
one, or where it comes to a state, with logs of the same length, that it has seen. A *silent* action writes nothing and reads
only ``structure`` that has not changed in any run: it commutes with everything, so nothing is left to try beside it. When such
structure does change, the search starts again without that assumption. With ``eager``, visible actions are never put off: that
finds most outcomes at once, and is never complete.

Why a schedule was not explored
-------------------------------

There are three reasons. *The bound*: ``complete`` is false, and ``runs`` equals the bound. *A known state*: its beginning
leads to a state that another one has led to; ``covered`` counts the ways through the graph. *It waits*: at
some state the process that was tried first clashes with nothing that follows. If you believe that one of the last two has
lost an outcome, enumerate every schedule, and look at one that shows it::

    every = allowed_outcomes(program, naive=True, bound=1_000_000)
    found = allowed_outcomes(program)
    for text in every.outcomes.keys() - found.outcomes.keys():
        print(every.schedules[text])  # modelcontext trace PROGRAM --schedule …

The trace shows every choice with its options. Find the first one where the order of two actions matters, and ask which state
both of them touch. Then let ``StateGraph._clashes_with`` always return True, for a try: if the outcome is found now, a
footprint is missing; if it is still lost, a fingerprint leaves something out.
"""
