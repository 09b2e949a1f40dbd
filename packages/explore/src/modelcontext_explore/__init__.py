"""Scenarios in Python, explored under every schedule.

Theory of operation
===================

A *scenario* is a function that takes a :class:`~modelcontext.Browser`. It opens documents, registers tools, starts scripts
(functions and coroutines, which run in the event loop of a document), lets the browser run, and returns a result. The model is
the same as for programs: its free choices are which task or parallel step comes next, wherever the text does not say it, and
in which place of a task others act in its middle (:mod:`modelcontext.ground.schedule`).

Replay
------

A suspended coroutine cannot be copied. So each run calls the scenario anew, with a new browser, and repeats the choices of the
run before up to a point. That needs scenarios that are deterministic. If a run differs from the run before after the same
choices, that is an error which says so.

A run is never broken off in the middle of a task: a script is not to see an exception that is not its own. Its coroutines are
closed when it is over, and the browser is closed before, so that a ``finally`` can do nothing to the next run.

States
------

Python's objects cannot be put into a canonical form in general. So the state of a run is told by its events: the actions so
far, each with the earlier actions on which it depends (:mod:`modelcontext.ground.schedule.event_runs`).

There is one kind of moment at which states are known exactly: where nothing can happen, and the code of the scenario goes on.
No race crosses such a *barrier*. There a fingerprint (:mod:`modelcontext.ground.schedule.fingerprint`) is taken of everything
that the scenario's frames, the coroutines and the browser can reach. An object of an unknown type is unlike every other, so
states are only merged where all is known. For this reason ``browser.run_until_idle()`` in the middle of a scenario saves runs.

Independence
------------

Structures of the model keep footprints. Objects of Python keep none. Two rules are there for them, and the second one is
always sound:

1. If no object that can change is in reach of the scripts of two event loops (:mod:`.sharing`), scripts of one event loop
   cannot tell when those of another act, except by the API. Then tasks of two event loops commute if their footprints do.
   Every run checks this before it lets the browser run, and for each function that a script gives to another document.
   (It does not look into the traceback of an exception that a caller gets as a cause.)
2. If some run finds such an object, everything begins again, and each task that does anything is taken to touch all objects
   of Python. So no two tasks commute. Steps in parallel still do, and tasks without an effect.

The code of the scenario itself can touch everything. It acts at barriers. Where it calls the API while tasks are waiting,
these may act in the middle of the call, and clash with all that the scenario does then.

Outcomes
--------

An outcome is what the scenario returned, what scripts logged, which exceptions ended functions, and which calls and scripts
never ended. There is one log for each event loop, and no order between two of them, as for programs. A scenario that is to
tell the order of two origins can keep a list.

Time
----

Time is virtual. A timer can fire at any moment after it was set, since everything else may take any time, and timers fire in
the order in which they are due. So a timeout races with what it limits. A loop that sleeps and then checks again has no
end under the schedule in which nothing else happens. That is an error if the run comes back to a state where it has been.
Otherwise the run is cut off after ``most_actions``, and the exploration is not complete.
"""

from modelcontext_explore.asserting import assert_always, assert_possible
from modelcontext_explore.exploration import IncompleteError, ScenarioExploration, explore
from modelcontext_explore.outcomes import CallbackException, ScenarioOutcome
from modelcontext_explore.scenario_run import Scenario, ScenarioError
from modelcontext_explore.stories import ScenarioStory

__all__ = [
    "CallbackException",
    "IncompleteError",
    "Scenario",
    "ScenarioError",
    "ScenarioExploration",
    "ScenarioOutcome",
    "ScenarioStory",
    "assert_always",
    "assert_possible",
    "explore",
]
