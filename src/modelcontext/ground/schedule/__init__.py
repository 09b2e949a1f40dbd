"""Schedules: every order in which a run can happen, and how to explore all of them without trying each.

Theory of operation
===================

The question is which results a run can have. The answer is a set, and the claim is that the set is complete. This text says
how the set is found, and what the claim rests on. Read it before you change this package, and before you add state that two
event loops, or an event loop and steps in parallel, can reach.

Runs, actions, schedules
------------------------

A world is deterministic except for its choices. Between two actions it asks a chooser which process acts next (``pick``).
Inside an action an algorithm may ask for a free choice (``choose``). A *process* is a strand (steps in parallel, which act up
to their next ``yield``) or a task (which runs to its end). A task that is about to change a shared map, or the set of
documents, *gives way* first: either it continues, or other processes act in its middle, nested to any depth. So a strand is
atomic between two yields, and a task is atomic between two places where it gives way. The list of all answers is a
*schedule*. The same schedule always gives the same run. The choosers are in :mod:`.choose`.

:func:`.search.every_schedule` tries all schedules, one run each. There are too many as soon as three things race, so
:class:`.graph.StateGraph` explores states instead. It starts each run from nothing, replays a beginning, takes one
transition that was never taken, and continues, depth first, until it reaches a known state. Two savings make
that feasible, and a third one saves runs. Each rests on an assumption.

The first saving: equal states are explored once
------------------------------------------------

A *state* is everything that decides how a run continues. :mod:`.fingerprint` puts every object that is reachable from the
user agent and the run into a canonical form. Objects are numbered in the order in which they are found. Generators, and the
frames of tasks that gave way, are represented by their position and locals, functions by their code and closure. Two runs
with equal fingerprints have the same future.

The observations of a run so far are left out on purpose: the logs of a program are written and never read. Therefore two
histories may meet in one state, and a state keeps the results *from there on* (:mod:`.results`): one sequence of
observations for each log, and the rest at the end. Logs are compared one by one. No result tells the order of entries in two
different logs. A state may have more results than fit into memory, so a set of them is a decision diagram: sets with equal
parts share them, equal sets are one number, and a set is counted without being listed (``test_results.py`` holds the diagrams
against plain sets). This changes neither what is explored nor what is found. Five registrations on one event loop
have a million results in 60,000 states, and the diagrams of all these states have some 20,000 nodes together.

The form may separate equal states: an object of an unknown type is unlike every other, which costs only time. The danger is
the other direction. A class can list in a method ``relevant`` the attributes that decide how it continues. An attribute that
is missing there merges states that differ. The form never reads module globals and attributes of classes: keep no state
there.

A run that leads back to a state which is still being explored need never end. That is an error
(:class:`.graph.EndlessError`), with any bound. So the graph has no cycles, and everything that follows from a state is known
when the search leaves it for the last time.

The second saving: actions that commute are tried in one order
--------------------------------------------------------------

Each action leaves a *footprint*: the keys that it read and wrote. A key is a kind of state and a name
(:mod:`.footprint`). The structures record their footprints themselves, so that algorithms need not. Two actions *clash* when
one writes what the other reads or writes (:mod:`.independence` has the exact rule). Four attributes of kinds refine the rule:

* ``activity`` decides which tasks can run at all. An action that writes it clashes with everything.
* ``ordered`` is first in, first out. Two tasks of one source on one event loop never change places, so the same key twice is
  not a race, while two sources on one loop are.
* ``unread``: two writes matter only if a later read can tell which came first, as with the order of a map's entries.
* ``structure`` matters only to the guided search (below).

State that belongs to one event loop has no key of its own: each task that does anything writes the key of its loop.

At every state the graph takes one process first and explores everything that follows. Then it knows what every other process,
and every descendant of one, will ever touch from there on. If the action clashes with none of that, its process alone is a
*persistent set*. In any other run the process acts later (a run ends only when nothing can act), past actions that it
commutes with. There it can be moved to the front, and no log changes. So the other options need not be tried. If the action
clashes, the next option is tried. Several processes are a persistent set together if the action of each clashes with nothing
that any process outside the set will ever touch from there on: the same proof. In the end all options are tried. All free
choices inside an action that is tried are tried.

The order in which options are tried decides how soon a persistent set is found, and nothing else. The graph tries first what
has clashed with the smallest share of other processes so far, at the same place in the code.

A task that has given way has a rule of its own for continuing: tasks of its own loop cannot come between, so ``ordered`` state
does not count. Another task that gives way in its middle clashes with everything (``StateGraph._clashing``).

The third saving: squares are completed without a run
-----------------------------------------------------

From a state, one process leads to a second state, and another to a third. From the second state the other process has led to
a fourth. If the two actions commute, the first process leads from the third state to the fourth. Then no run is needed to
know (:mod:`.squares`). Here even ``unread`` keys clash, so that it is the same state, and not only one with the same results.
The footprint, the observations and the free choices of the other process must be the same on both sides of the square.

The claim of completeness
-------------------------

``complete`` means that every option was tried except those that a persistent set lets wait, and that no bound was reached.
Then every result of every schedule is in the set. The claim rests on five things:

1. *Replay is deterministic.* No clock, no randomness, no order that depends on addresses or hashes
   (``tests/schedule/test_replay.py``).
2. *Fingerprints are complete.* Everything that decides the future is in them (``test_fingerprint.py``).
3. *Footprints are complete.* Every shared structure records its reads and writes. ``test_footprints.py`` takes each kind
   away and sees a race lose a result. A kind without a race fails.
4. *Scheduling points are complete.* A ``yield`` stands between the shared accesses of steps in parallel (a check of the
   specification's code), and a structure calls :func:`.footprint.about_to_write` before a task changes it.
5. *Names agree.* Structures that are made before anything races are numbered, the same in every run. Later ones share one
   name, which makes more actions clash. Where it would make fewer clash, a separate kind repairs that (``giving way later``).

The programs of the corpus, generated programs and generated races are explored both ways, and give the same sets. An
incomplete set judges nothing: an outcome that is not in it may still be allowed.

The guided search
-----------------

:func:`.search.search` looks for one observed outcome. It gives up a beginning as soon as a log departs from the observed
one, or where it reaches a state that it has seen with logs of the same length. A *silent* action writes nothing and reads only
``structure`` that has not changed in any run. It commutes with everything, so no alternative to it need be tried. When such
structure does change, the search starts again without that assumption.

Two other searches cannot decide that no schedule shows an outcome, but find most outcomes much sooner:

* :class:`.search.EagerSearch` never puts off visible actions. Each attempt tries them in another random order: most outcomes
  take some dozens of runs, and hundreds in an unlucky order. It cannot find an outcome in which a visible action has to wait
  for an invisible one, and it takes states for one in which the same processes have acted equally often. So it knows before
  a run whether that leads to a new state. In some attempts one process is late (:class:`.search.Late`): it acts when
  some others that can be seen have passed it. A script that begins to listen when one event has passed is such a process.
* :class:`.climb.Climb` gives every process a rank, lets the one of least rank act, and changes the ranks that came closest to
  the outcome. It finds what eager attempts cannot, and misses outcomes in whose logs many entries are equal: there nothing
  shows that a run has come closer.

So all make attempts in turn. One run, first in, first out, tells which kind gets most of the runs. An outcome with the entries
of that run, in another order, is for eager attempts. One that lacks some of them needs a process that is late. One that has
others is for climbs. In between, the graph is explored until a run comes to a state from where the rest of the observed logs
is known to follow: up to two small bounds, and in the end as far as needed.

Reasons for an unexplored schedule
----------------------------------

There are five reasons. ``modelcontext litmus explain NAME --why-not SCHEDULE`` says which one it is for a schedule, and which
explored schedule stands for it (:mod:`.reasons`). ``modelcontext litmus enumerate`` prints the numbers.

* *No such schedule*: an action is atomic up to its next scheduling point, and tasks of one source are first in, first out.
* *The bound*: ``complete`` is false, and ``runs`` equals the bound.
* *A known state*: its beginning leads to a state that another one has led to (``covered`` counts the paths through the graph).
* *Actions commute*: at some state the graph tried one process only, because the action of that process clashes with nothing
  that follows.
* *A guided search* left it out. Its result is not a set of all outcomes. With an outcome before ``--why-not``, the command
  asks the search for that outcome.

If you believe that a known state or commuting actions have lost an outcome, enumerate every schedule, and look at one that
shows it::

    from modelcontext.programs.program.exploration import allowed_outcomes
    from modelcontext.programs.program.reading import load

    program = load("program.toml")
    every = allowed_outcomes(program, naive=True, bound=1_000_000)
    found = allowed_outcomes(program)
    for text in every.outcomes.keys() - found.outcomes.keys():
        print(",".join(map(str, every.schedule_to(text))))  # modelcontext trace PROGRAM --schedule …

The command names the actions that were taken to commute, with their footprints, and the trace shows every choice with its
options. Find the first one where the order of two actions matters, and the state that
both of them touch. Then let ``StateGraph._clashing`` always return ``{ALL}``, as an experiment. If the outcome is found now, a
footprint is missing. If it is still lost, a fingerprint leaves something out. If the enumeration does not show the outcome
either, look for a missing scheduling point (claim 4).
"""
